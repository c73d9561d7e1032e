//! One frame of a segment: conversion between bytes and lines. The layout is the table in docs/formats/bundle.md,
//! "Segments".
//!
//! Every byte is fixed, determined by its place, or covered by the checksum, so that a changed byte is always detected.

use std::io::{self, Read};

/// Bytes before the zstd frame.
pub(crate) const HEADER_LEN: usize = 32;
/// Largest frame, decompressed; a damaged or hostile file cannot fill the memory.
pub(crate) const MAX_PLAIN: usize = 64 << 20;
/// A skippable zstd frame of 24 bytes (RFC 8878, section 3.1.2) that contains drivelab's magic number.
const PREFIX: [u8; 16] = *b"\x5d\x2a\x4d\x18\x18\x00\x00\x00DLEVENT\x01";
/// The checked part of the header.
const CHECKED: std::ops::Range<usize> = 8..28;
/// Good for text, and fast enough not to matter: some KiB per second.
const LEVEL: i32 = 3;

/// A frame that was read.
#[derive(Debug)]
pub(crate) struct Frame {
    /// Number of lines that it should hold.
    pub(crate) records: u32,
    /// The lines.
    pub(crate) plain: Vec<u8>,
    /// Offset of the first byte after it.
    pub(crate) end: usize,
}

/// Makes a frame.
pub(crate) fn encode(number: u32, records: u32, plain: &[u8]) -> io::Result<Vec<u8>> {
    let packed = zstd::bulk::compress(plain, LEVEL)?;
    let length = u32::try_from(packed.len()).map_err(io::Error::other)?;
    let mut frame = Vec::with_capacity(HEADER_LEN + packed.len());
    frame.extend_from_slice(&PREFIX);
    for field in [number, records, length] {
        frame.extend_from_slice(&field.to_le_bytes());
    }
    let checksum = checksum(frame.get(CHECKED).unwrap_or_default(), &packed);
    frame.extend_from_slice(&checksum.to_le_bytes());
    frame.extend_from_slice(&packed);
    Ok(frame)
}

/// The bytes of the next frame of a stream with `left` bytes, whole or as far as they go. If no frame begins there,
/// as many bytes as a frame's header would state.
pub(crate) fn next(input: &mut impl Read, left: u64, into: &mut Vec<u8>) -> io::Result<()> {
    into.clear();
    input.by_ref().take(left.min(HEADER_LEN as u64)).read_to_end(into)?;
    let length = into.get(24..28).and_then(|four| <[u8; 4]>::try_from(four).ok()).map_or(0, u32::from_le_bytes);
    let left = left.saturating_sub(into.len() as u64);
    if into.starts_with(&PREFIX) {
        input.by_ref().take(left.min(u64::from(length))).read_to_end(into)?;
    }
    Ok(())
}

/// Reads the frame at `offset`; `number` is its required number, if known.
///
/// # Errors
/// A fragment that states what is wrong with it.
pub(crate) fn decode(bytes: &[u8], offset: usize, number: Option<u32>) -> Result<Frame, String> {
    let rest = bytes.get(offset..).unwrap_or_default();
    let header = rest.get(..HEADER_LEN).ok_or("the file ends inside the frame's header")?;
    if header.get(..PREFIX.len()) != Some(PREFIX.as_slice()) {
        return Err("no frame begins here".to_owned());
    }
    let field = |at: usize| {
        let four = header.get(at..at + 4).and_then(|four| <[u8; 4]>::try_from(four).ok());
        four.map_or(0, u32::from_le_bytes)
    };
    let (found, records, length) = (field(16), field(20), field(24) as usize);
    let packed = rest.get(HEADER_LEN..HEADER_LEN + length).ok_or("the file ends inside the frame")?;
    if checksum(header.get(CHECKED).unwrap_or_default(), packed) != field(28) {
        return Err("its checksum is wrong".to_owned());
    }
    if number.is_some_and(|number| number != found) {
        return Err(format!("it is frame {found}: frames before it are missing"));
    }
    let plain = unpack(packed).map_err(|error| format!("it cannot be decompressed: {error}"))?;
    Ok(Frame { records, plain, end: offset + HEADER_LEN + length })
}

/// Offsets at which a frame may begin.
pub(crate) fn candidates(bytes: &[u8]) -> impl Iterator<Item = usize> + '_ {
    bytes.windows(PREFIX.len()).enumerate().filter(|(_, window)| *window == PREFIX).map(|(at, _)| at)
}

fn checksum(header: &[u8], packed: &[u8]) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(header);
    hasher.update(packed);
    hasher.finalize()
}

fn unpack(packed: &[u8]) -> io::Result<Vec<u8>> {
    let mut plain = Vec::new();
    let decoder = zstd::stream::read::Decoder::with_buffer(packed)?;
    decoder.take(MAX_PLAIN as u64 + 1).read_to_end(&mut plain)?;
    if plain.len() > MAX_PLAIN {
        return Err(io::Error::other("more than 64 MiB"));
    }
    Ok(plain)
}
