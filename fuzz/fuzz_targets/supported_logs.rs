//! Any bytes for the decoder `supported_logs`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::nvme("supported_logs", bytes));
