//! Any bytes for the decoder `capabilities`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::nvme("capabilities", bytes));
