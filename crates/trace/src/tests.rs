//! Small hand-written traces of each format, with their content worked out by hand; and faulty traces.

mod corpus;
mod formats;
mod made;
mod museum;

use std::io::Cursor;

use drivelab_core::replay::TraceOp;

use crate::error::TraceError;
use crate::format::Format;
use crate::reader::Reader;
use crate::stream::Stream;
use crate::survey::{Survey, survey_of};

/// All operations of a text.
fn all(text: &str, format: Option<Format>, device: Option<&str>) -> Result<Vec<TraceOp>, TraceError> {
    let reader = Reader::new("t", Cursor::new(text.as_bytes().to_vec()), format)?;
    let mut stream = Stream::new(reader, device.map(str::to_owned));
    let mut ops = Vec::new();
    while let Some(op) = stream.advance(|_, _| {})? {
        ops.push(op);
    }
    Ok(ops)
}

fn surveyed(text: &[u8], device: Option<&str>) -> Result<Survey, TraceError> {
    survey_of("t", text, None, device)
}
