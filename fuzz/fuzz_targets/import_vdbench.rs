//! Any bytes for the importer of Vdbench parameter files.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::import_vdbench(bytes));
