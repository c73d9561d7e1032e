//! Any bytes for the decoder `handle_status`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::nvme("handle_status", bytes));
