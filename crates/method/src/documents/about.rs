//! What documents show about a methodology, as types: tests, parameters, each parameter's value in every form and its
//! origin.
//!
//! Must not know: where the facts come from, how documents look.

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
    /// The form in which they run, if it differs from the suite's own form; otherwise empty.
    pub form: String,
    /// Prefix of their names.
    pub prefix: String,
    /// Added to the priority of each of them.
    pub priority: u64,
    /// What they need in addition to their own needs, in words: `target = block_device`; empty if nothing.
    pub requires: String,
}

/// What is documented like a test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AboutKind {
    /// A test from `[[tests]]`.
    Test,
    /// A step of the preparation.
    Preparation,
    /// What is stated outside the tests: conditions, several drives, a profile.
    Around,
    /// A score.
    Score,
}

/// A test, or something that is documented like one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestAbout {
    /// Its kind.
    pub kind: AboutKind,
    /// Name of the test, or `prepare` with the number of the step (`prepare 1`).
    pub name: String,
    /// Title for people; for a preparation step, its action and the test that it prepares for.
    pub title: String,
    /// The question it answers; empty for a preparation step.
    pub purpose: String,
    /// Ids of the sources that describe it.
    pub sources: Vec<String>,
    /// Every parameter that is stated or marked: first those of the test, then those of its cases and groups.
    pub parameters: Vec<Parameter>,
}

/// Prefix of a preparation step's name; its number follows.
pub(crate) const NUMBERED: &str = "prepare ";

impl TestAbout {
    /// Whether it is a preparation step.
    #[must_use]
    pub fn is_preparation(&self) -> bool {
        self.kind == AboutKind::Preparation
    }

    /// For a preparation step, its index in `[[prepare]]`.
    pub(crate) fn preparation_index(&self) -> Option<usize> {
        let number: usize = self.name.strip_prefix(NUMBERED).filter(|_| self.is_preparation())?.parse().ok()?;
        number.checked_sub(1)
    }

    /// Whether it comes from `[[tests]]`.
    #[must_use]
    pub fn is_test(&self) -> bool {
        self.kind == AboutKind::Test
    }
}

/// One parameter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Parameter {
    /// The case or group that it belongs to; `None` if it belongs to the test itself.
    pub part: Option<String>,
    /// Its key in the methodology language.
    pub name: String,
    /// Its values by declared form; a form in which it is neither stated nor marked is left out.
    pub forms: Vec<ValueInForm>,
}

/// A parameter's value in a form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueInForm {
    /// The form: faithful or quick.
    pub form: Form,
    /// The value as text, lists separated by commas; `None` if only a mark mentions the parameter.
    pub value: Option<String>,
    /// Where it comes from.
    pub mark: Mark,
}
