//! One segment: its frames to events, and the judgement whether a broken frame is a torn tail or damage.
//!
//! A kill leaves half a frame at the end; a power cut may leave holes in what was not yet fsynced. Both end
//! before the next durable event, because a durable event returns only after fsync. A broken frame *before* a
//! durable event was on stable storage once: that is damage.

use std::path::Path;

use drivelab_core::event::{Event, EventBody};

use crate::bundle::Torn;
use crate::error::StoreError;
use crate::frame::{self, Frame};

/// What a segment holds.
#[derive(Debug, Default)]
pub(crate) struct Segment {
    /// Its events in order.
    pub(crate) events: Vec<Event>,
    /// Whole frames.
    pub(crate) frames: u32,
    /// What follows them and cannot be read.
    pub(crate) torn: Option<Torn>,
}

/// Whether the recorder fsyncs after this event wherever it stands. (A finding before the first step is fsynced as
/// well, but where it stands cannot be told from it alone.)
pub(crate) const fn is_durable(event: &EventBody) -> bool {
    match event {
        EventBody::RunStarted(_)
        | EventBody::RunResumed(_)
        | EventBody::InGroup(_)
        | EventBody::StepEnded(_)
        | EventBody::IdleEnded { .. }
        | EventBody::Interrupted { .. }
        | EventBody::RunEnded { .. } => true,
        EventBody::StepStarted { .. }
        | EventBody::Interval(_)
        | EventBody::StepFailed { .. }
        | EventBody::HostCpu(_)
        | EventBody::RestStarted { .. }
        | EventBody::RestEnded { .. }
        | EventBody::CoolDownStarted { .. }
        | EventBody::CoolingDown { .. }
        | EventBody::CoolDownEnded { .. }
        | EventBody::TelemetryDescribed(_)
        | EventBody::Telemetry(_)
        | EventBody::Steadiness(_)
        | EventBody::Finding(_) => false,
    }
}

/// Reads a whole segment; `file` is for messages.
pub(crate) fn read(file: &Path, bytes: &[u8]) -> Result<Segment, StoreError> {
    let mut segment = Segment::default();
    let mut offset = 0;
    while offset < bytes.len() {
        let damaged = |what: String, segment: &Segment| StoreError::Damaged {
            file: file.to_owned(),
            frame: Some(segment.frames),
            offset: Some(offset as u64),
            what,
            readable: format!("the {} events before it in this file can still be read", segment.events.len()),
        };
        match frame::decode(bytes, offset, Some(segment.frames)) {
            Ok(frame) => {
                let events = events_of(&frame).map_err(|what| damaged(what, &segment))?;
                segment.events.extend(events);
                segment.frames += 1;
                offset = frame.end;
            }
            Err(why) if durable_follows(bytes, offset + 1) => {
                return Err(damaged(format!("{why}, and records follow that were written after it"), &segment));
            }
            Err(why) => {
                let lost = (bytes.len() - offset) as u64;
                segment.torn = Some(Torn { file: file.to_owned(), offset: offset as u64, bytes: lost, why });
                break;
            }
        }
    }
    Ok(segment)
}

/// Whether a whole frame with a durable event begins at `from` or later.
fn durable_follows(bytes: &[u8], from: usize) -> bool {
    frame::candidates(bytes, from)
        .filter_map(|offset| frame::decode(bytes, offset, None).ok())
        .filter_map(|frame| events_of(&frame).ok())
        .any(|events| events.iter().any(|event| is_durable(&event.event)))
}

/// The lines of a frame as events. Its checksum fits, so whatever is wrong here was written so.
fn events_of(frame: &Frame) -> Result<Vec<Event>, String> {
    let lines = frame.plain.split_inclusive(|byte| *byte == b'\n');
    let events: Vec<Event> = lines
        .map(|line| {
            let mut json = serde_json::Deserializer::from_slice(line);
            serde_path_to_error::deserialize(&mut json).map_err(|error| format!("an event is not readable: {error}"))
        })
        .collect::<Result<_, _>>()?;
    if events.len() as u64 != u64::from(frame.records) {
        return Err(format!("it holds {} events and should hold {}", events.len(), frame.records));
    }
    Ok(events)
}
