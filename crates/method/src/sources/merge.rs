//! A methodology that is derived from another one: what its file states replaces what the included one states.
//!
//! Owns what replaces what, key by key. A replaced value loses its mark of origin, because the mark was about the old
//! value; its details go with it, because they would no longer apply. Must not know: files.

use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::marks::MARKS;
use crate::tree::near::nearest;
use crate::tree::value::{Entry, Located, Table, Value};
use crate::vocabulary::alike::{DETAILS, EXCLUSIVE, together};
use crate::vocabulary::parameters::REPEATS;

/// The tree of an included methodology with what the file states on top.
pub(crate) fn derived(mut base: Table, own: Table, dropped: &[Located<Value>], errors: &mut Errors) -> Table {
    drop_tests(&mut base, dropped, errors);
    // They are about steps that the file may change or leave out.
    base.entries.remove("limits");
    base.entries.remove("headlines");
    retain_known(&mut base);
    general_details(&mut base, &own);
    for (key, entry) in own.entries {
        match key.as_str() {
            "sources" => named(&mut base, &key, entry, "id", |before, own| *before = own),
            "scores" => named(&mut base, &key, entry, "name", |before, own| *before = own),
            "tests" => named(&mut base, &key, entry, "name", parameters),
            "defaults" | "target" | "requires" => inner(&mut base, &key, entry, parameters),
            "forms" => inner(&mut base, &key, entry, forms),
            _ => {
                base.entries.insert(key, entry);
            }
        }
    }
    base.lacking |= own.lacking;
    base
}

/// Leaves out tests by name; an unknown name is an error.
fn drop_tests(base: &mut Table, dropped: &[Located<Value>], errors: &mut Errors) {
    let names: Vec<String> = base.tables("tests").iter().map(|test| test.text("name").to_owned()).collect();
    for one in dropped {
        let wanted = one.value.to_string();
        if !names.contains(&wanted) {
            errors.push(unknown_test(one, &names));
        }
    }
    if let Some(Value::Tables(tests)) = base.entries.get_mut("tests").map(|entry| &mut entry.value.value) {
        tests.retain(|test| !dropped.iter().any(|one| one.value.to_string() == test.text("name")));
    }
    let is_dropped = |name: &str| dropped.iter().any(|one| one.value.to_string() == name);
    forget(base, is_dropped);
}

/// Removes references to dropped tests from the rest: preparation before them, profiles (a profile without tests
/// goes, together with the preparation that only it has), and `recovers_to`.
fn forget(base: &mut Table, is_dropped: impl Fn(&str) -> bool) {
    let mut tables = |key: &str, change: &dyn Fn(&mut Vec<Table>)| {
        let Some(Value::Tables(tables)) = base.entries.get_mut(key).map(|entry| &mut entry.value.value) else { return };
        change(tables);
        if tables.is_empty() {
            base.entries.remove(key);
        }
    };
    tables("prepare", &|steps| steps.retain(|step| !step.has("before") || !is_dropped(step.text("before"))));
    tables("profiles", &|profiles| {
        profiles.retain_mut(|profile| keep_names(profile, "tests", |name| !is_dropped(name)))
    });
    tables("tests", &|tests| {
        for test in tests.iter_mut().filter(|test| is_dropped(test.text("recovers_to"))) {
            test.entries.remove("recovers_to");
        }
    });
    let profiles: Vec<String> = base.tables("profiles").iter().map(|profile| profile.text("name").to_owned()).collect();
    if let Some(Value::Tables(steps)) = base.entries.get_mut("prepare").map(|entry| &mut entry.value.value) {
        steps.retain_mut(|step| keep_names(step, "profiles", |name| profiles.iter().any(|known| known == name)));
    }
}

/// Keeps some names of a list; returns whether any name is left, or there is no list.
fn keep_names(table: &mut Table, key: &str, keep: impl Fn(&str) -> bool) -> bool {
    let list = table.entries.get_mut(key).map(|entry| &mut entry.value.value);
    let Some(Value::List(names)) = list else { return true };
    names.retain(|name| keep(&name.value.to_string()));
    !names.is_empty()
}

/// The error that the included methodology has no test of this name.
pub(crate) fn unknown_test(name: &Located<Value>, known: &[String]) -> Diagnostic {
    let wanted = name.value.to_string();
    let label = format!("expected one of: {}", known.join(", "));
    Diagnostic::new(name.at.clone(), format!("the included methodology has no test '{wanted}'"), label)
        .near(nearest(&wanted, known.iter().map(String::as_str)))
}

/// Removes from forms and tests the details of what `[defaults]` no longer has.
fn general_details(base: &mut Table, own: &Table) {
    for (key, detail) in own.table("defaults").into_iter().flat_map(left_over) {
        let forms = [&*base, own].into_iter().filter_map(|root| root.table("forms"));
        let in_forms = forms.flat_map(|forms| forms.entries.values()).any(|form| match &form.value.value {
            Value::Table(form) => form.has(key),
            _ => false,
        });
        for (name, entry) in &mut base.entries {
            match &mut entry.value.value {
                Value::Table(forms) if name == "forms" => within(forms, key, detail),
                // If a form still has the key, the tests' details are still needed.
                Value::Tables(tests) if name == "tests" && !in_forms => {
                    tests.iter_mut().for_each(|test| take_out(test, key, detail));
                }
                _ => {}
            }
        }
    }
}

/// The details that no longer apply beside what a table states, each with the key that it refines.
fn left_over(own: &Table) -> impl Iterator<Item = (&'static str, &'static str)> {
    let is_left_over = |(key, word, _): &&(&'static str, Option<&str>, &str)| {
        let may_be = |value: &Value| match value {
            Value::List(list) => word.is_none_or(|word| list.iter().any(|one| one.value.to_string() == word)),
            other => word.is_none_or(|word| other.to_string() == word),
        };
        together(key).iter().any(|name| own.has(name)) && !own.get(key).is_some_and(|found| may_be(&found.value))
    };
    DETAILS.iter().filter(is_left_over).map(|(key, _, detail)| (*key, *detail))
}

/// Removes a detail from a table that does not state the key that it refines, and from its cases and forms.
fn take_out(table: &mut Table, key: &str, detail: &str) {
    if together(key).iter().any(|name| table.has(name)) {
        return;
    }
    table.entries.remove(detail);
    unmark(table, detail);
    for (name, entry) in &mut table.entries {
        match &mut entry.value.value {
            Value::Tables(cases) if name == "cases" => cases.iter_mut().for_each(|case| take_out(case, key, detail)),
            Value::Table(forms) if name == "forms" => within(forms, key, detail),
            _ => {}
        }
    }
}

/// Like [`take_out`], for every form of a table of forms.
fn within(forms: &mut Table, key: &str, detail: &str) {
    for entry in forms.entries.values_mut() {
        if let Value::Table(form) = &mut entry.value.value {
            take_out(form, key, detail);
        }
    }
}

/// Named tables: one with the same name is merged, any other is added at the end.
fn named(base: &mut Table, key: &str, entry: Entry, name: &str, merge: fn(&mut Table, Table)) {
    let (Value::Tables(own), at) = (entry.value.value, entry.value.at) else { return };
    let slot = base
        .entries
        .entry(key.to_owned())
        .or_insert_with(|| Entry { key_at: entry.key_at, value: Located { value: Value::Tables(Vec::new()), at } });
    let Value::Tables(before) = &mut slot.value.value else { return };
    for table in own {
        match before.iter_mut().find(|other| other.text(name) == table.text(name)) {
            Some(other) => merge(other, table),
            None => before.push(table),
        }
    }
}

/// A table in a table, merged if both have it.
fn inner(base: &mut Table, key: &str, entry: Entry, merge: fn(&mut Table, Table)) {
    match (base.entries.get_mut(key).map(|before| &mut before.value.value), entry.value.value) {
        (Some(Value::Table(before)), Value::Table(own)) => merge(before, own),
        (_, value) => {
            let value = Located { value, at: entry.value.at };
            base.entries.insert(key.to_owned(), Entry { key_at: entry.key_at, value });
        }
    }
}

/// `forms`: form by form.
fn forms(base: &mut Table, own: Table) {
    for (form, entry) in own.entries {
        inner(base, &form, entry, parameters);
    }
}

/// A table of parameters. Keys that state the same thing in another way are removed together with the replaced value.
pub(crate) fn parameters(base: &mut Table, own: Table) {
    let marks_of = |table: &Table, kind: &str| -> Vec<String> {
        table.table(kind).into_iter().flat_map(|marks| marks.entries.keys().cloned()).collect()
    };
    for key in own.entries.keys().filter(|key| !MARKS.contains(&key.as_str())) {
        for replaced in replaced_by(key) {
            base.entries.remove(replaced);
            unmark(base, replaced);
        }
    }
    left_over(&own).for_each(|(key, detail)| take_out(base, key, detail));
    for name in MARKS.iter().flat_map(|kind| marks_of(&own, kind)) {
        unmark(base, &name);
    }
    for (key, entry) in own.entries {
        match key.as_str() {
            "forms" => inner(base, &key, entry, forms),
            "target" | "requires" => inner(base, &key, entry, parameters),
            kind if MARKS.contains(&kind) => inner(base, &key, entry, |before, own| before.entries.extend(own.entries)),
            _ => {
                base.entries.insert(key, entry);
            }
        }
    }
}

/// The keys that a stated key replaces; tables that are merged are not among them.
fn replaced_by(key: &str) -> Vec<&str> {
    if matches!(key, "forms" | "target" | "requires") {
        return Vec::new();
    }
    let mut all = together(key);
    if REPEATS.contains(&key) {
        all.extend(REPEATS);
    }
    let pairs = EXCLUSIVE.iter().filter(|pair| pair.contains(&key));
    all.extend(pairs.flatten().copied());
    all
}

fn unmark(table: &mut Table, name: &str) {
    for kind in MARKS {
        let Some(Value::Table(marks)) = table.entries.get_mut(kind).map(|entry| &mut entry.value.value) else {
            continue;
        };
        marks.entries.remove(name);
        if marks.entries.is_empty() {
            table.entries.remove(kind);
        }
    }
}

/// Removes the scores of tests that the tree does not have.
fn retain_known(root: &mut Table) {
    let known: Vec<String> = root.tables("tests").iter().map(|test| test.text("name").to_owned()).collect();
    let Some(Value::Tables(scores)) = root.entries.get_mut("scores").map(|entry| &mut entry.value.value) else {
        return;
    };
    let is_known =
        |score: &Table| score.tables("parts").iter().all(|part| known.iter().any(|name| name == part.text("test")));
    scores.retain(is_known);
    if scores.is_empty() {
        root.entries.remove("scores");
    }
}
