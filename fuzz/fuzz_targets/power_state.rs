//! Any bytes for the decoder `power_state`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::nvme("power_state", bytes));
