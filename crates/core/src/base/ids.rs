//! Identifiers: a run, a step, one execution of a step.

use std::fmt;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Identifies one run permanently: a UUID version 7, so ids sort by the time the run began.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RunId(uuid::Uuid);

impl RunId {
    /// A short form for block headers, which have no space for the whole id: its leading time in milliseconds (RFC
    /// 9562, 5.7), and 16 random bits. A later run has a greater number.
    #[must_use]
    pub fn number(self) -> u64 {
        let (begin, end) = self.0.as_u64_pair();
        begin & !0xFFFF | end & 0xFFFF
    }

    /// When the id was made, in milliseconds since 1970 in UTC (RFC 9562, 5.7).
    #[must_use]
    pub fn began_ms(self) -> u64 {
        self.0.as_u64_pair().0 >> 16
    }

    /// Whether `part` can refer to this run: its id begins or ends with it, ignoring hyphens and case. An empty text
    /// matches no run.
    #[must_use]
    pub fn is_called(self, part: &str) -> bool {
        let plain = |text: &str| text.trim().replace('-', "").to_ascii_lowercase();
        let (id, part) = (plain(&self.to_string()), plain(part));
        !part.is_empty() && (id.starts_with(&part) || id.ends_with(&part))
    }

    /// The id of a run that begins at this time (milliseconds since 1970 in UTC), with bits that make it unique.
    #[must_use]
    pub const fn of(began_ms: u64, bits: [u8; 10]) -> Self {
        RunId(uuid::Builder::from_unix_timestamp_millis(began_ms, &bits).into_uuid())
    }

    /// A new id for a run that begins now.
    #[must_use]
    pub fn now() -> Self {
        RunId(uuid::Uuid::now_v7())
    }
}

impl fmt::Display for RunId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.hyphenated().fmt(f)
    }
}

impl FromStr for RunId {
    type Err = uuid::Error;

    fn from_str(text: &str) -> Result<Self, uuid::Error> {
        uuid::Uuid::parse_str(text).map(RunId)
    }
}

impl JsonSchema for RunId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "RunId".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({ "type": "string", "format": "uuid", "description": "UUID version 7 of the run" })
    }
}

/// Identifies one step of a plan, unique and readable: `corners/seq-1m-q8t1-read`.
///
/// Lower-case letters, digits, `-`, `.` and exactly one `/` between test and step.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct StepId(String);

impl StepId {
    /// Made from the test's name and the step's own slug.
    #[must_use]
    pub fn new(test: &str, slug: &str) -> Self {
        StepId(format!("{test}/{slug}"))
    }

    /// The whole text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The part after the test's name.
    #[must_use]
    pub fn slug(&self) -> &str {
        self.0.split_once('/').map_or(self.0.as_str(), |(_, slug)| slug)
    }
}

impl fmt::Display for StepId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// One execution of a step: the step and the round (from 1).
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
pub struct StepKey {
    /// The step in the plan.
    pub step: StepId,
    /// Round, counted from 1.
    pub round: u32,
}

impl fmt::Display for StepKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} round {}", self.step, self.round)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_called_by_its_begin_or_end() {
        let run: RunId = "01a2b3c4-0000-7000-8000-00000000ABCD".parse().unwrap();
        let fits = ["01a2", "01A2-b3c4", " 01a2b3c40000", "abcd", "01a2b3c4-0000-7000-8000-00000000abcd"];
        assert!(fits.iter().all(|part| run.is_called(part)));
        assert!(!["", " ", "-", "b3c4", "01a3"].iter().any(|part| run.is_called(part)));
    }
}
