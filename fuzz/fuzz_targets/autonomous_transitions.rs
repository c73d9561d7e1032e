//! Any bytes for the decoder `autonomous_transitions`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::nvme("autonomous_transitions", bytes));
