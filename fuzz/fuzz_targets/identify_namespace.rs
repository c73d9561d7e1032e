//! Any bytes for the decoder `identify_namespace`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::nvme("identify_namespace", bytes));
