//! One segment: its frames become events, and a broken frame is classified as a torn tail or as damage.
//!
//! A kill leaves half a frame at the end; a power cut may leave holes in what was not yet fsynced. Both end before
//! the next durable event, because a durable event returns only after fsync. A broken frame *before* a durable event
//! was once on stable storage: that is damage.

use std::io::{BufReader, Read as _};
use std::path::Path;

use drivelab_core::event::{Event, EventBody};
use drivelab_core::input;

use crate::error::StoreError;
use crate::frame::{self, Frame};
use crate::torn::Torn;

/// Bytes of a line that are shown before the part that cannot be read.
const SHOWN: usize = 80;

/// Content of a segment, besides its events.
#[derive(Debug, Default)]
pub(crate) struct Segment {
    /// Number of its events.
    pub(crate) records: u64,
    /// Number of whole frames.
    pub(crate) frames: u32,
    /// The unreadable bytes after them.
    pub(crate) torn: Option<Torn>,
}

/// Whether the recorder fsyncs after this event at any position. (A finding before the first step is fsynced as well,
/// but its position is not known from the event alone.)
pub(crate) const fn is_durable(event: &EventBody) -> bool {
    match event {
        EventBody::RunStarted(_)
        | EventBody::RunResumed(_)
        | EventBody::InGroup(_)
        | EventBody::StepEnded(_)
        | EventBody::IdleEnded { .. }
        | EventBody::MadeAgain { .. }
        | EventBody::Interrupted { .. }
        | EventBody::RunEnded { .. } => true,
        EventBody::StepStarted { .. }
        | EventBody::MakingAgain { .. }
        | EventBody::Interval(_)
        | EventBody::StepFailed { .. }
        | EventBody::HostCpu(_)
        | EventBody::GroundTruth(_)
        | EventBody::DriveState(_)
        | EventBody::PreparationReused(_)
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

/// Takes the number of an event and the event itself; `None` for a skimmed event.
pub(crate) type Take<'t> = &'t mut dyn FnMut(u64, Option<Event>) -> Result<(), StoreError>;

/// Reads a whole segment, a frame at a time, and passes on its events in order. If `skim` is set, only the numbers of
/// intervals and samples are read: a long run mostly consists of them, and parsing them is most of the work. Their
/// frames are checked anyway, and each line was read back when it was written.
pub(crate) fn read(path: &Path, skim: bool, take: Take<'_>) -> Result<Segment, StoreError> {
    let unreadable = |error| StoreError::io("read", path, error);
    let file = input::open(path).map_err(unreadable)?;
    let length = file.metadata().map_err(unreadable)?.len();
    let mut input = BufReader::new(file);
    let (mut segment, mut offset, mut bytes) = (Segment::default(), 0, Vec::new());
    while offset < length {
        let damaged = |what: String, segment: &Segment| StoreError::Damaged {
            file: path.to_owned(),
            frame: Some(segment.frames),
            offset: Some(offset),
            what,
            readable: format!("the {} events before it in this file can still be read", segment.records),
        };
        frame::next(&mut input, length - offset, &mut bytes).map_err(unreadable)?;
        match frame::decode(&bytes, 0, Some(segment.frames)) {
            Ok(frame) => {
                let events = lines_of(&frame, skim).map_err(|what| damaged(what, &segment))?;
                for (number, event) in events {
                    take(number, event)?;
                    segment.records += 1;
                }
                segment.frames += 1;
                offset += frame.end as u64;
            }
            Err(why) => {
                // The bytes after it decide: torn tails are short.
                input.read_to_end(&mut bytes).map_err(unreadable)?;
                if holds_durable(&bytes) {
                    return Err(damaged(format!("{why}, but later records follow it"), &segment));
                }
                segment.torn = Some(Torn { file: path.to_owned(), offset, bytes: length - offset, why });
                break;
            }
        }
    }
    Ok(segment)
}

/// Whether these bytes contain a whole frame with a durable event, of any number. The frame at their beginning
/// counts, because the frames before it may be the lost ones.
fn holds_durable(bytes: &[u8]) -> bool {
    frame::candidates(bytes)
        .filter_map(|offset| frame::decode(bytes, offset, None).ok())
        .filter_map(|frame| lines_of(&frame, false).ok())
        .any(|events| events.iter().any(|(_, event)| event.as_ref().is_some_and(|event| is_durable(&event.event))))
}

/// The number of a line with an interval or samples, as the recorder writes it; `None` for every other line.
fn number_of_bulk(line: &[u8]) -> Option<u64> {
    let head = std::str::from_utf8(line.get(..80)?).ok()?;
    let (number, rest) = head.strip_prefix("{\"seq\":")?.split_once(",\"at_ns\":")?;
    let (_, event) = rest.split_once(",\"event\":{\"")?;
    let bulk = event.starts_with("interval\":") || event.starts_with("telemetry\":");
    if bulk { number.parse().ok() } else { None }
}

/// Reads one line back. An error shows the text before its position: serde_path_to_error here would add minutes of
/// compile time.
pub(crate) fn event(line: &[u8]) -> Result<Event, String> {
    serde_json::from_slice(line).map_err(|error| {
        let at = error.column().min(line.len());
        let before = line.get(at.saturating_sub(SHOWN)..at).unwrap_or_default();
        format!("{error}, after `{}`", String::from_utf8_lossy(before))
    })
}

/// The lines of a frame as numbers and events. Its checksum is right, so any error here was written that way.
fn lines_of(frame: &Frame, skim: bool) -> Result<Vec<(u64, Option<Event>)>, String> {
    let one = |line: &[u8]| -> Result<(u64, Option<Event>), String> {
        if let Some(number) = if skim { number_of_bulk(line) } else { None } {
            return Ok((number, None));
        }
        let event = event(line).map_err(|why| format!("an event is not readable: {why}"))?;
        Ok((event.seq, Some(event)))
    };
    let events: Vec<(u64, Option<Event>)> =
        frame.plain.split_inclusive(|byte| *byte == b'\n').map(one).collect::<Result<_, _>>()?;
    if events.len() as u64 != u64::from(frame.records) {
        return Err(format!("it holds {} events, but should hold {}", events.len(), frame.records));
    }
    Ok(events)
}
