//! Any bytes for the decoder `protocol_list`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::nvme("protocol_list", bytes));
