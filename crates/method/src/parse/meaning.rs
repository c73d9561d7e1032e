//! Checks what the values of a file mean together, as far as no target is needed: names, references, contradictions.
//!
//! Works on a tree in which wrong values may be missing, so that these errors are reported together with the others.
//! Tables that have a file of their own are checked there. Must not know: targets, plans.

use std::collections::HashSet;

use crate::expand::prepare::block::PREPARE;
use crate::expand::prepare::check::preparation;
use crate::expand::{limits, scores};
use crate::load::{bursts, curve, groups, search};
use crate::sources::{profile, traces};
use crate::target::conditions;
use crate::target::wanted::{MethodTarget, file_size_of, kind_of};
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::{Errors, MOST_KEPT};
use crate::tree::marks::{cited, sources_of};
use crate::tree::near::nearest;
use crate::tree::value::{Located, STATED_FORMS, Table, Value, by_name};
use crate::vocabulary::alike::{EXCLUSIVE, together};
use crate::vocabulary::parameters::REPEATS;

/// Adds the errors in the whole file.
pub(crate) fn check(root: &Table, errors: &mut Errors) {
    let sources: Vec<&str> = root.tables("sources").iter().map(|source| source.text("id")).collect();
    unique(root.tables("sources"), "id", "source", errors);
    unique(root.tables("tests"), "name", "test", errors);
    unique(root.tables("profiles"), "name", "profile", errors);
    profile::check(root, errors);
    recovers_to(root, errors);
    root.tables("profiles").iter().for_each(|table| parameters(table, &sources, errors));
    unique(root.tables("traces"), "name", "trace", errors);
    traces::check(root, errors);
    unique(root.tables("file_sets"), "name", "file set", errors);
    for set in root.tables("file_sets") {
        parameters(set, &sources, errors);
        set.form_tables().for_each(|form| parameters(form, &sources, errors));
    }
    forms(root, errors);
    sizes(root, errors);
    rest_caps(root, errors);
    conditions::check(root, &sources, errors);
    root.table("defaults").into_iter().for_each(|table| parameters(table, &sources, errors));
    for form in root.form_tables() {
        parameters(form, &sources, errors);
    }
    let tests = by_name(root.tables("tests"));
    for step in root.tables("prepare") {
        preparation(root, step, &tests, errors);
        cited(step.list("sources"), &sources, errors);
        parameters(step, &sources, errors);
        step.form_tables().for_each(|form| parameters(form, &sources, errors));
        undeclared_forms(root, step, errors);
    }
    for test in root.tables("tests") {
        one_test(root, test, &sources, errors);
    }
    unique(root.tables("scores"), "name", "score", errors);
    scores::check(root, &sources, errors);
    limits::check(root, errors);
}

/// Checks that `recovers_to` names a test that runs before it.
fn recovers_to(root: &Table, errors: &mut Errors) {
    let tests = root.tables("tests");
    let mut before: HashSet<&str> = HashSet::new();
    for (at, test) in tests.iter().enumerate() {
        let wanted = test.text("recovers_to");
        if let Some(value) = test.get("recovers_to").filter(|_| !before.contains(&wanted)) {
            errors.add(&value.at, || {
                let title = format!("there is no test '{wanted}' before '{}'", test.text("name"));
                let error = Diagnostic::new(value.at.clone(), title, "expected the name of an earlier test");
                error.near(nearest(wanted, tests[..at].iter().take(MOST_KEPT).map(|test| test.text("name"))))
            });
        }
        before.insert(test.text("name"));
    }
}

fn one_test(root: &Table, test: &Table, sources: &[&str], errors: &mut Errors) {
    if let Some(name) = test.get("name").filter(|_| test.text("name") == PREPARE) {
        let title = format!("'{PREPARE}' is the name of the test that [[prepare]] makes");
        errors.push(Diagnostic::new(name.at.clone(), title, "expected another name"));
    }
    let repeats: Vec<&str> = REPEATS.into_iter().filter(|key| test.has(key)).collect();
    if let ([one, other, ..], Some(entry)) = (&repeats[..], repeats.first().and_then(|key| test.entry(key))) {
        let title = format!("`{one}` and `{other}` both say how often the test repeats");
        errors.push(Diagnostic::new(entry.key_at.clone(), title, "expected only one of them"));
    }
    if test.has("files")
        && let Some(kind) = root.table("target").and_then(|target| target.get("kind"))
        && kind.value != Value::Word("directory")
    {
        let error = Diagnostic::new(kind.at.clone(), "work on files needs a folder", "expected kind = \"directory\"");
        errors.push(error.help(format!("the test '{}' has [[tests.files]]", test.text("name"))));
    }
    unique(test.tables("groups"), "name", "group", errors);
    groups::check_names(test, errors);
    search::check(test, errors);
    curve::check(test, errors);
    for table in test.tables("groups").iter().chain(test.tables("files")) {
        parameters(table, sources, errors);
    }
    cited(test.list("sources"), sources, errors);
    parameters(test, sources, errors);
    unique(test.tables("cases"), "name", "case", errors);
    for case in test.tables("cases") {
        parameters(case, sources, errors);
        case_and_axes(root, test, case, errors);
    }
    undeclared_forms(root, test, errors);
    test.form_tables().for_each(|form| parameters(form, sources, errors));
}

/// A table of a form that the methodology does not have would never be used.
fn undeclared_forms(root: &Table, table: &Table, errors: &mut Errors) {
    for name in STATED_FORMS {
        let Some(entry) = table.table("forms").and_then(|forms| forms.entry(name)) else { continue };
        if !root.table("forms").is_some_and(|forms| forms.has(name)) {
            let title = format!("the methodology has no {name} form");
            let error = Diagnostic::new(entry.key_at.clone(), title, "this table would never be used");
            errors.push(error.help(format!("declare it with [forms.{name}], or remove this table")));
        }
    }
}

/// A case must not replace a list: otherwise the number of steps would no longer be the product of the axes.
fn case_and_axes(root: &Table, test: &Table, case: &Table, errors: &mut Errors) {
    for (name, entry) in &case.entries {
        let names = together(name);
        let of = |table: &Table| {
            names.iter().any(|name| matches!(table.get(name).map(|value| &value.value), Some(Value::List(_))))
        };
        let stated = |table: &Table| names.iter().any(|name| table.has(name));
        if of(test) || (!stated(test) && root.table("defaults").is_some_and(of)) {
            let title = format!("`{name}` is an axis of the test and is also in a case");
            errors.push(Diagnostic::new(entry.key_at.clone(), title, "expected in one of the two places"));
        }
    }
}

/// Contradictions and citations inside one table of parameters.
pub(crate) fn parameters(table: &Table, sources: &[&str], errors: &mut Errors) {
    for [one, other] in EXCLUSIVE {
        if let (Some(_), Some(entry)) = (table.entry(one), table.entry(other)) {
            let title = format!("`{one}` and `{other}` exclude each other");
            errors.push(Diagnostic::new(
                entry.key_at.clone(),
                title,
                format!("expected only one; `{one}` is stated too"),
            ));
        }
    }
    table.table("bursts").into_iter().for_each(|table| bursts::check(table, errors));
    curve::check_table(table, errors);
    sources_of(table, sources, errors);
    for [one, other] in [["source_of", "approximation"], ["source_of", "derived"], ["derived", "approximation"]] {
        for name in table.table(one).iter().flat_map(|marks| marks.entries.keys()) {
            let Some(double) = table.table(other).and_then(|marks| marks.entry(name)) else { continue };
            let title = format!("`{name}` {} and {}", says(one), says(other));
            errors.push(Diagnostic::new(double.key_at.clone(), title, "expected only one of the two"));
        }
    }
}

/// What a mark states about a parameter, in words.
fn says(mark: &str) -> &'static str {
    match mark {
        "source_of" => "has a source",
        "derived" => "is marked as derived",
        _ => "is marked as an approximation",
    }
}

fn unique(tables: &[Table], key: &str, what: &str, errors: &mut Errors) {
    let mut before = HashSet::with_capacity(tables.len());
    for table in tables {
        let Some(value) = table.get(key) else { continue };
        if !before.insert(table.text(key)) {
            errors.add(&value.at, || {
                let title = format!("there are two {what}s with the {key} '{}'", table.text(key));
                Diagnostic::new(value.at.clone(), title, "expected another one")
            });
        }
    }
}

fn forms(root: &Table, errors: &mut Errors) {
    let Some(entry) = root.entry("forms") else { return };
    // A wrong key there has its own error, and may well be the form that was meant.
    if root.form_tables().next().is_none() && !root.table("forms").is_some_and(|forms| forms.lacking) {
        let error =
            Diagnostic::new(entry.value.at.clone(), "no form is declared", "expected `faithful`, `quick` or both");
        errors.push(error.help("write [forms.quick] or [forms.faithful]; the table may be empty"));
    }
}

fn sizes(root: &Table, errors: &mut Errors) {
    let Some(target) = root.table("target") else { return };
    if matches!(kind_of(root), MethodTarget::File | MethodTarget::Any)
        && file_size_of(target).is_none()
        && let Some(share) = target.get("size")
    {
        let title = format!("the target is a file, and {} is a share of a device", share.value);
        let error = Diagnostic::new(share.at.clone(), title, "expected a size such as \"4 GiB\"");
        errors.push(error.help("say `file_size = \"4 GiB\"` beside it, or kind = \"block_device\""));
    }
    let own: Vec<&Table> = root.form_tables().filter_map(|form| form.table("target")).collect();
    for table in own.into_iter().chain([target]) {
        let size = file_size_of(table).or_else(|| file_size_of(target));
        let least = table.get("minimum_size").or_else(|| target.get("minimum_size"));
        if let (Some(size), Some(Located { value: Value::Size(least), at })) = (size, least)
            && *least > size
        {
            let title = format!("the smallest size, {least}, is larger than the wanted one, {size}");
            errors.push(Diagnostic::new(at.clone(), title, format!("expected at most {size}")));
        }
    }
}

/// `rest_cap` limits what `duty_cycle` asks for; if no `duty_cycle` can meet it, it would be ignored.
fn rest_caps<'t>(root: &'t Table, errors: &mut Errors) {
    let of_test = |test: &'t Table| -> Vec<&'t Table> {
        let own = std::iter::once(test);
        own.chain(test.tables("cases")).chain(test.form_tables()).collect()
    };
    let has = |tables: &[&Table]| tables.iter().any(|table| table.has("duty_cycle"));
    let general: Vec<&Table> = root.table("defaults").into_iter().chain(root.form_tables()).collect();
    let tests: Vec<Vec<&Table>> = root.tables("tests").iter().map(of_test).collect();
    if has(&general) {
        return;
    }
    let idle = tests.iter().filter(|tables| !has(tables)).flatten();
    let everywhere = general.iter().filter(|_| !tests.iter().any(|tables| has(tables)));
    for entry in idle.chain(everywhere).filter_map(|table| table.entry("rest_cap")) {
        let label = "it bounds the rest that `duty_cycle` asks for";
        let error = Diagnostic::new(entry.key_at.clone(), "`rest_cap` without `duty_cycle`", label);
        errors.push(error.help("state `duty_cycle` too, or remove `rest_cap`"));
    }
}
