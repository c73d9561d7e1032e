//! Any bytes for the decoder `endurance_group`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::nvme("endurance_group", bytes));
