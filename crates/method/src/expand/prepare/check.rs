//! Errors in a single step of `[[prepare]]`.
//!
//! Owns which keys each action takes. Must not know: targets.

use std::collections::HashMap;

use crate::expand::prepare::block::block_name;
use crate::expand::prepare::flat;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::near::nearest;
use crate::tree::value::{Table, name_at};

/// Keys of the actions that write.
const WRITING: [&str; 18] = [
    "passes",
    "block_size",
    "queue_depth",
    "threads",
    "span",
    "data",
    "compress_percent",
    "dedup_percent",
    "data_window",
    "data_pattern",
    "data_file",
    "verify",
    "direct",
    "reuse",
    "until",
    "slice",
    "at_most",
    "cap",
];

/// Adds the errors in a single step; `tests` are the methodology's tests by name. Each action has its own keys; other
/// keys would be ignored, so they are refused.
pub(crate) fn preparation(root: &Table, step: &Table, tests: &HashMap<&str, &Table>, errors: &mut Errors) {
    before_a_test(root, step, tests, errors);
    flat::check(root, step, errors);
    let action = step.text("action");
    let with_pattern;
    let allowed: &[&str] = match action {
        "idle" => &["time"],
        "cool_down" => &["below", "cap"],
        "fill" => &WRITING,
        "overwrite_random" => {
            with_pattern = [&WRITING[..], &["pattern", "time"]].concat();
            &with_pattern
        }
        "discard" => &["passes", "block_size", "queue_depth", "threads", "span", "direct", "reuse", "cap"],
        _ => return,
    };
    let always = ["action", "before", "profiles", "forms", "sources", "source_of", "derived", "approximation"];
    for table in step.form_tables().chain([step]) {
        for (name, entry) in &table.entries {
            if !allowed.contains(&name.as_str()) && !always.contains(&name.as_str()) {
                let label = format!("`{action}` takes: {}", allowed.join(", "));
                errors.push(Diagnostic::new(entry.key_at.clone(), format!("`{action}` has no `{name}`"), label));
            }
        }
        if let (Some(entry), true) = (table.entry("passes"), table.has("time")) {
            let title = "`time` and `passes` both say when the step ends";
            errors.push(Diagnostic::new(entry.key_at.clone(), title, "expected only one of them"));
        }
    }
    let at = || step.get("action").map_or(step.at.clone(), |value| value.at.clone());
    if action == "cool_down" && !step.has("below") {
        let label = "expected `below = \"45 C\"` beside it";
        errors.push(Diagnostic::new(at(), "`cool_down` does not say how cool", label));
    }
    if action == "idle" && !step.has("time") {
        errors.push(Diagnostic::new(at(), "`idle` does not say how long", "expected `time = \"30 s\"` beside it"));
    }
}

/// `before` names a test of the methodology, and no other test has the name that its preparation gets.
fn before_a_test(root: &Table, step: &Table, tests: &HashMap<&str, &Table>, errors: &mut Errors) {
    let Some(before) = step.get("before") else { return };
    let wanted = step.text("before");
    if !tests.contains_key(wanted) {
        let title = format!("there is no test '{wanted}' to prepare for");
        let error = Diagnostic::new(before.at.clone(), title, "expected the name of a test");
        errors.push(error.near(nearest(wanted, root.tables("tests").iter().map(|test| test.text("name")))));
    }
    if let Some(taken) = tests.get(block_name(wanted).as_str()) {
        let title = format!("'{}' is the name of the preparation of '{wanted}'", block_name(wanted));
        errors.push(Diagnostic::new(name_at(taken), title, "expected another name"));
    }
}
