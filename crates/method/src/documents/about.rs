//! What documents say of a methodology, as types: tests, parameters, the value of each in every form and its origin.
//!
//! Must not know: where they come from, how documents look.

use drivelab_core::plan::Form;

use crate::tree::marks::Mark;

/// A methodology whose tests a suite takes over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuiteAbout {
    /// Name of the methodology.
    pub method: String,
    /// Its title.
    pub title: String,
    /// Names of the tests that are taken; empty for all.
    pub tests: Vec<String>,
    /// The form in which they run, where that is not the suite's own; else empty.
    pub form: String,
    /// What their names begin with.
    pub prefix: String,
    /// Added to the priority of each of them.
    pub priority: u64,
    /// What they need beside what they say themselves, in words: `target = block_device`; empty where nothing.
    pub requires: String,
}

/// What is told like a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AboutKind {
    /// A test, which `[[tests]]` names.
    Test,
    /// A step of the preparation.
    Preparation,
    /// What is stated beside the tests: conditions, several drives, a profile.
    Around,
    /// A score.
    Score,
}

/// A test, or what is told like one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestAbout {
    /// What it is.
    pub kind: AboutKind,
    /// Name of the test, or `prepare` with the number of the step (`prepare 1`).
    pub name: String,
    /// Title for people; of a preparation step its action and the test that it is done before.
    pub title: String,
    /// What it asks; empty for a preparation step.
    pub purpose: String,
    /// Ids of the sources that describe it.
    pub sources: Vec<String>,
    /// Every parameter that is stated or marked, first of the test, then of its cases and groups.
    pub parameters: Vec<Parameter>,
}

/// What the name of a preparation step begins with; its number follows.
pub(crate) const NUMBERED: &str = "prepare ";

impl TestAbout {
    /// Whether it is a preparation step.
    #[must_use]
    pub fn is_preparation(&self) -> bool {
        self.kind == AboutKind::Preparation
    }

    /// Of a preparation step its place among `[[prepare]]`.
    pub(crate) fn preparation_index(&self) -> Option<usize> {
        let number: usize = self.name.strip_prefix(NUMBERED).filter(|_| self.is_preparation())?.parse().ok()?;
        number.checked_sub(1)
    }

    /// Whether `[[tests]]` names it.
    #[must_use]
    pub fn is_test(&self) -> bool {
        self.kind == AboutKind::Test
    }
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The case or group that it belongs to; nothing where it is the test's own.
    pub part: Option<String>,
    /// Its key in the language.
    pub name: String,
    /// Its values, by declared form; a form in which it is neither stated nor marked is left out.
    pub forms: Vec<ValueInForm>,
}

/// A parameter's value in a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueInForm {
    /// The form: faithful or quick.
    pub form: Form,
    /// The value as text, lists separated by commas; nothing where only a mark speaks of it.
    pub value: Option<String>,
    /// Where it comes from.
    pub mark: Mark,
}
