//! Any bytes for the decoder `tcg_level_0`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::nvme("tcg_level_0", bytes));
