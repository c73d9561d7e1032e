//! Any bytes for the decoder `firmware_slots`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::nvme("firmware_slots", bytes));
