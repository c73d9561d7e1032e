//! Any bytes for the decoder `ata_sense`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::ata("ata_sense", bytes));
