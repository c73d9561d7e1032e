//! Any bytes for the decoder `identify_controller`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::nvme("identify_controller", bytes));
