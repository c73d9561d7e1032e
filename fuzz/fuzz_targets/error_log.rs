//! Any bytes for the decoder `error_log`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::nvme("error_log", bytes));
