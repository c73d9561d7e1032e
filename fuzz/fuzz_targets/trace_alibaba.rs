//! Any bytes for the reader of traces `alibaba`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::trace("alibaba", bytes));
