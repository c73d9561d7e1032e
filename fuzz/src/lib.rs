//! What every fuzz target does: give the bytes to one decoder and be content with an answer or an error.
//!
//! A panic, an overflow, an endless loop or memory without end is a finding. The decoders themselves live in the crates;
//! the tests there replay `corpus/`, so what fuzzing found once stays found on stable Rust.

/// Bytes for a decoder of `drivelab-nvme`.
///
/// # Panics
/// There is no decoder of this name.
pub fn nvme(name: &str, bytes: &[u8]) {
    let decoder = drivelab_nvme::decoder(name).expect("each target is named after its decoder");
    let _ = (decoder.decode)(bytes);
}

/// Bytes for a decoder of `drivelab-ata`.
///
/// # Panics
/// There is no decoder of this name.
pub fn ata(name: &str, bytes: &[u8]) {
    let decoder = drivelab_ata::decoder(name).expect("each target is named after its decoder");
    let _ = (decoder.decode)(bytes);
}
