//! Any bytes for the reader of traces `spc`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::trace("spc", bytes));
