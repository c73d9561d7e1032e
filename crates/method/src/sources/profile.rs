//! `[[profiles]]` in a tree: named selections of its tests, with their own values and target.
//!
//! Owns which tests a profile has, and where the tree keeps the chosen profile, whose values override all others in
//! the file. Must not know: forms, targets.

use std::collections::HashSet;

use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::near::nearest;
use crate::tree::value::{Entry, Located, Table, Value};

/// Where the tree keeps the chosen profile; this is not a key of the language.
pub(crate) const CHOSEN: &str = "profile (chosen)";

/// The chosen profile of a tree, if it has profiles.
pub(crate) fn chosen(root: &Table) -> Option<&Table> {
    root.table(CHOSEN)
}

/// The tree with only this profile's tests, and with its values; `None` if there is no such profile.
pub(crate) fn choose(whole: &Table, name: &str) -> Option<Table> {
    let profile = whole.tables("profiles").iter().find(|profile| profile.text("name") == name)?;
    let mut root = whole.clone();
    let wanted: HashSet<String> = profile.list("tests").iter().map(|test| test.value.to_string()).collect();
    if let Some(Value::Tables(tests)) = root.entries.get_mut("tests").map(|entry| &mut entry.value.value) {
        tests.retain(|test| wanted.contains(test.text("name")));
    }
    if let Some(Value::Tables(steps)) = root.entries.get_mut("prepare").map(|entry| &mut entry.value.value) {
        let of_this = |step: &Table| step.list("profiles").iter().any(|one| one.value.to_string() == name);
        let before_this = |step: &Table| !step.has("before") || wanted.contains(step.text("before"));
        steps.retain(|step| (!step.has("profiles") || of_this(step)) && before_this(step));
    }
    let value = Located { value: Value::Table(profile.clone()), at: profile.at.clone() };
    root.entries.insert(CHOSEN.to_owned(), Entry { key_at: profile.at.clone(), value });
    Some(root)
}

/// The first profile, which is the default.
pub(crate) fn first(root: &Table) -> Option<&str> {
    root.tables("profiles").first().map(|profile| profile.text("name"))
}

/// Checks that profiles name existing tests, and preparation steps existing profiles.
pub(crate) fn check(root: &Table, errors: &mut Errors) {
    let tests: Vec<&str> = root.tables("tests").iter().map(|test| test.text("name")).collect();
    let known: HashSet<&str> = tests.iter().copied().collect();
    for name in root.tables("profiles").iter().flat_map(|profile| profile.list("tests")) {
        let wanted = name.value.to_string();
        if !known.contains(wanted.as_str()) {
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
