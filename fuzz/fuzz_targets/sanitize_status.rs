//! Any bytes for the decoder `sanitize_status`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::nvme("sanitize_status", bytes));
