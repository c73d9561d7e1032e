//! Any bytes for the decoder `fdp_statistics`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::nvme("fdp_statistics", bytes));
