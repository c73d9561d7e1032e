//! Any bytes for the reader of traces `fio_v3`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::trace("fio_v3", bytes));
