//! The vocabulary of when a step ends and what follows it.
//!
//! The meaning of each key is what schema and messages say about it. Must not know: what keys mean together.

use crate::vocabulary::shape::{Key, Kind, Word, key, word};

const ON_ERROR: &[Word] = &[
    word(
        "tolerate",
        "Single errors do not end the step; 1000 in a row, a second of only errors, or a full or lost target do.",
    ),
    word("stop", "The first error ends the step."),
    word("keep", "No error ends the step."),
];

/// Parameters of when a step ends and what follows it: allowed in defaults, tests, cases and forms.
pub(crate) static ENDING: &[Key] = &[
    key("time", Kind::Duration, "Stop after this measured time; the ramp is not counted."),
    key("volume", Kind::Size, "Stop after this many bytes, reads and writes together; the ramp is not counted."),
    key(
        "passes",
        Kind::Whole(1, 1_000_000),
        "Stop when the whole span was touched this many times; not with pattern = \"random\".",
    ),
    key(
        "operations",
        Kind::Whole(1, i64::MAX as u64),
        "Stop after this many operations, completed or failed; the ramp is not counted.",
    ),
    key(
        "coverage",
        Kind::Share,
        "Stop when this share of the span's blocks was touched; not with pattern = \"random\".",
    ),
    key(
        "at_least",
        Kind::Duration,
        "The step does not end before this measured time, even if `volume` or `passes` is reached.",
    ),
    key(
        "cap",
        Kind::Duration,
        "The step never lasts longer than this. Default 1 h, or twice `time` if that is longer.",
    ),
    key(
        "errors",
        Kind::OneOf(ON_ERROR),
        "What happens if single operations fail; failures are always counted. Default tolerate.",
    ),
    key("ramp", Kind::Duration, "Time at the start that is left out of the results. Default 0 s."),
    key("rest", Kind::Duration, "Waiting after the step; excludes duty_cycle. Default 0 s."),
    key(
        "duty_cycle",
        Kind::Whole(1, 100),
        "Active share of step and rest together, per cent: the rest follows from it.",
    ),
    key("rest_cap", Kind::Duration, "Longest rest that duty_cycle may require. Default 10 min."),
    key("start_below", Kind::Temperature, "The step begins only when the drive is cooler than this, such as \"45 C\"."),
    key("start_below_cap", Kind::Duration, "Longest wait for that; then the step begins anyway. Default 30 min."),
];
