//! Any bytes for the decoder `self_test`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::nvme("self_test", bytes));
