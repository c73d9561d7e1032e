//! Any bytes for the reader of traces `blkparse`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::trace("blkparse", bytes));
