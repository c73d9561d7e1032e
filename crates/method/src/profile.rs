//! `[[profiles]]`: named selections of a methodology's tests, with values and a target of their own.
//!
//! Owns which tests a profile has and what tells it apart. A profile's values are the strongest of a file. Must not
//! know: forms, targets.

use crate::about::{self, Parameter};
use crate::diagnose::Diagnostic;
use crate::errors::Errors;
use crate::methodology::Methodology;
use crate::near::nearest;
use crate::value::{Entry, Located, Table, Value};

/// Where the tree keeps the profile that was chosen; no key of the language.
const CHOSEN: &str = "profile (chosen)";

/// The table of a profile that replaces keys of the file's.
const CONDITIONS: &str = "conditions";

/// A profile, for lists.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProfileAbout {
    /// Name, as on the command line.
    pub name: String,
    /// What it is, in a sentence.
    pub purpose: String,
    /// Names of its tests.
    pub tests: Vec<String>,
    /// Numbers of the preparation steps that are done in it, from 1.
    pub prepare: Vec<usize>,
    /// What it states itself, stronger than what tests and forms state.
    pub parameters: Vec<Parameter>,
}

/// The chosen profile of a tree, where it has profiles.
pub(crate) fn chosen(root: &Table) -> Option<&Table> {
    root.table(CHOSEN)
}

/// The tree with this profile's tests alone, and its values; `None` where there is no such profile.
pub(crate) fn choose(whole: &Table, name: &str) -> Option<Table> {
    let profile = whole.tables("profiles").iter().find(|profile| profile.text("name") == name)?;
    let mut root = whole.clone();
    let wanted: Vec<String> = profile.list("tests").iter().map(|test| test.value.to_string()).collect();
    if let Some(Value::Tables(tests)) = root.entries.get_mut("tests").map(|entry| &mut entry.value.value) {
        tests.retain(|test| wanted.iter().any(|name| name == test.text("name")));
    }
    if let Some(Value::Tables(steps)) = root.entries.get_mut("prepare").map(|entry| &mut entry.value.value) {
        let of_this = |step: &Table| step.list("profiles").iter().any(|one| one.value.to_string() == name);
        let before_this = |step: &Table| !step.has("before") || wanted.iter().any(|test| test == step.text("before"));
        steps.retain(|step| (!step.has("profiles") || of_this(step)) && before_this(step));
    }
    let value = Located { value: Value::Table(profile.clone()), at: profile.at.clone() };
    root.entries.insert(CHOSEN.to_owned(), Entry { key_at: profile.at.clone(), value });
    Some(root)
}

/// The first profile, which holds where none is named.
pub(crate) fn first(root: &Table) -> Option<&str> {
    root.tables("profiles").first().map(|profile| profile.text("name"))
}

/// Whether profiles name tests that there are, and preparation steps profiles.
pub(crate) fn check(root: &Table, errors: &mut Errors) {
    let tests: Vec<&str> = root.tables("tests").iter().map(|test| test.text("name")).collect();
    for name in root.tables("profiles").iter().flat_map(|profile| profile.list("tests")) {
        let wanted = name.value.to_string();
        if !tests.contains(&wanted.as_str()) {
            let title = format!("there is no test '{wanted}'");
            let near = nearest(&wanted, tests.iter().copied());
            errors.push(Diagnostic::new(name.at.clone(), title, "expected the name of a test").near(near));
        }
    }
    let profiles: Vec<&str> = root.tables("profiles").iter().map(|profile| profile.text("name")).collect();
    for name in root.tables("prepare").iter().flat_map(|step| step.list("profiles")) {
        let wanted = name.value.to_string();
        if !profiles.contains(&wanted.as_str()) {
            let title = format!("there is no profile '{wanted}'");
            let near = nearest(&wanted, profiles.iter().copied());
            errors.push(Diagnostic::new(name.at.clone(), title, "expected the name of a profile").near(near));
        }
    }
}

impl Methodology {
    /// The profiles, the one that holds where none is named first.
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

    /// What a profile states, its conditions as `conditions.KEY`.
    fn stated_in(&self, profile: &Table) -> Vec<Parameter> {
        let forms = self.declared_forms();
        let around = |name: &'static str| {
            let own = profile.table(name).map(|table| about::own(table, None, &forms)).unwrap_or_default();
            own.into_iter().map(move |one| Parameter { name: format!("{name}.{}", one.name), ..one })
        };
        let own = about::own(profile, None, &forms).into_iter().filter(|one| one.name != CONDITIONS);
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

    /// Name of the profile that was chosen; empty where there are none.
    #[must_use]
    pub fn profile(&self) -> &str {
        chosen(self.root()).map_or("", |profile| profile.text("name"))
    }

    /// The same methodology with another of its profiles.
    ///
    /// # Errors
    /// No such profile: which there are, in words.
    pub fn with_profile(&self, name: &str) -> Result<Methodology, String> {
        self.chosen(name).ok_or_else(|| {
            let all = self.profiles();
            let method = &self.identity().name;
            if all.is_empty() {
                return format!("the methodology '{method}' has no profiles; leave --profile out");
            }
            let names: Vec<&str> = all.iter().map(|profile| profile.name.as_str()).collect();
            let near = nearest(name, names.iter().copied());
            let near = near.map(|near| format!("; did you mean '{near}'?")).unwrap_or_default();
            format!("the methodology '{method}' has no profile '{name}'{near}\nits profiles are: {}", names.join(", "))
        })
    }
}
