//! A test that may run, and why it does not; the tests of one methodology with what they share.
//!
//! Must not know: which of them are taken.

use drivelab_core::plan::TestPlan;
use drivelab_core::units::Nanos;

use crate::expand::written::Sequence;
use crate::methodology::Methodology;

/// Tests that may run, with what they share: one methodology.
pub(crate) struct Unit {
    /// Name and title of the methodology in the suite; `None` for the suite's own tests.
    pub(crate) entry: Option<(String, String)>,
    pub(crate) prepare: Vec<TestPlan>,
    /// All of its tests, including those that are not asked for: another test may need what they write.
    pub(crate) tests: Vec<Candidate>,
    pub(crate) sequence: Sequence,
}

/// A test that may run.
pub(crate) struct Candidate {
    /// The preparation that runs before this test alone.
    pub(crate) before: Vec<TestPlan>,
    pub(crate) test: TestPlan,
    pub(crate) priority: u64,
    /// Whether it is asked for. A test that is not asked for does not run and is not reported.
    pub(crate) asked: bool,
    /// Why it does not run, if that is known.
    pub(crate) out: Option<Out>,
}

/// Why a test does not run.
#[derive(Debug, Clone)]
pub(crate) enum Out {
    /// One of its own needs is not met.
    Unmet(String),
    /// It writes, and nothing may be written.
    Writes(String),
    /// It needs the data of a test that does not run.
    Lacks(String),
    /// It does not fit the time; by itself, with what it brings, it takes this long.
    Late(String, Nanos),
}

impl Out {
    pub(crate) fn words(&self) -> &str {
        let (Out::Unmet(words) | Out::Writes(words) | Out::Lacks(words) | Out::Late(words, _)) = self;
        words
    }
}

impl Unit {
    pub(crate) fn of(
        method: &Methodology,
        entry: Option<(String, String)>,
        prepare: Vec<TestPlan>,
        tests: Vec<Candidate>,
    ) -> Unit {
        let in_order = tests.iter().map(|Candidate { before, test, .. }| (&before[..], test));
        let sequence = Sequence::new(&prepare, in_order, method.reads_as_found());
        Unit { entry, prepare, tests, sequence }
    }
}
