//! What documents show about profiles: which tests each has, how they are prepared, and what each states itself.

use crate::documents::about::Parameter;
use crate::documents::stated;
use crate::methodology::Methodology;
use crate::tree::value::Table;

/// The table of a profile that replaces keys of the file's own table.
const CONDITIONS: &str = "conditions";

/// A profile, for lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileAbout {
    /// Name, as on the command line.
    pub name: String,
    /// What it is, in one sentence.
    pub purpose: String,
    /// Names of its tests.
    pub tests: Vec<String>,
    /// Numbers of the preparation steps that run in it, from 1.
    pub prepare: Vec<usize>,
    /// What it states itself; this overrides what tests and forms state.
    pub parameters: Vec<Parameter>,
}

impl Methodology {
    /// The profiles; the default, which applies if none is named, comes first.
    #[must_use]
    pub fn profiles(&self) -> Vec<ProfileAbout> {
        let about = |profile: &Table| ProfileAbout {
            name: profile.text("name").to_owned(),
            purpose: profile.text("purpose").to_owned(),
            tests: profile.list("tests").iter().map(|test| test.value.to_string()).collect(),
            prepare: self.prepared_in(profile),
            parameters: self.stated_in(profile),
        };
        self.whole().tables("profiles").iter().map(about).collect()
    }

    /// What a profile states; its conditions appear as `conditions.KEY`.
    fn stated_in(&self, profile: &Table) -> Vec<Parameter> {
        let forms = self.declared_forms();
        let around = |name: &'static str| {
            let own = profile.table(name).map(|table| stated::own(table, None, &forms)).unwrap_or_default();
            own.into_iter().map(move |one| Parameter { name: format!("{name}.{}", one.name), ..one })
        };
        let own = stated::own(profile, None, &forms).into_iter().filter(|one| one.name != CONDITIONS);
        own.chain(around(CONDITIONS)).collect()
    }

    /// The preparation steps of a profile, by their numbers.
    fn prepared_in(&self, profile: &Table) -> Vec<usize> {
        let name = profile.text("name");
        let wanted: Vec<String> = profile.list("tests").iter().map(|test| test.value.to_string()).collect();
        let is_done = |step: &Table| {
            let of_this = step.list("profiles").iter().any(|one| one.value.to_string() == name);
            let before_this = wanted.iter().any(|test| test == step.text("before"));
            (!step.has("profiles") || of_this) && (!step.has("before") || before_this)
        };
        let steps = self.whole().tables("prepare").iter().enumerate();
        steps.filter(|(_, step)| is_done(step)).map(|(index, _)| index + 1).collect()
    }
}
