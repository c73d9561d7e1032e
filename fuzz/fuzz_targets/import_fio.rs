//! Any bytes for the importer of fio job files.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::import_fio(bytes));
