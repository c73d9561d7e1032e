//! Any bytes for the decoder `host_memory_buffer`.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| drivelab_fuzz::nvme("host_memory_buffer", bytes));
