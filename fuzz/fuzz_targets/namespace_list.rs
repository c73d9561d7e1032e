//! Any bytes for the decoder `namespace_list`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::nvme("namespace_list", bytes));
