//! Any bytes for the reader of traces `systor17`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::trace("systor17", bytes));
