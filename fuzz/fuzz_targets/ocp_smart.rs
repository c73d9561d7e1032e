//! Any bytes for the decoder `ocp_smart`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::nvme("ocp_smart", bytes));
