//! Any bytes for the decoder `ata_smart_thresholds`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::ata("ata_smart_thresholds", bytes));
