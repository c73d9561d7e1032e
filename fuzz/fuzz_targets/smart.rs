//! Any bytes for the decoder `smart`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::nvme("smart", bytes));
