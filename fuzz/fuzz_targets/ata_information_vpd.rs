//! Any bytes for the decoder `ata_information_vpd`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::ata("ata_information_vpd", bytes));
