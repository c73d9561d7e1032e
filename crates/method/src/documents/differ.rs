//! How two methodologies differ: targets, needs, profiles, tests, and every parameter in every form. Texts, sources
//! and marks do not count, because they change no step.

use std::collections::BTreeSet;

use drivelab_core::plan::Form;

use crate::documents::about::{Parameter, SuiteAbout, TestAbout};
use crate::methodology::Methodology;
use crate::tree::marks::MARKS;
use crate::tree::value::{Table, Value, text_of};

/// A difference between two methodologies.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// The test, `prepare N`, `target`, `requires`, `results`, `profiles`, `suite` or `traces`.
    pub test: String,
    /// The parameter, with the case or group that it belongs to (`log: queue_depth`); `None` for the whole test.
    pub parameter: Option<String>,
    /// The form, if they differ only in that form.
    pub form: Option<Form>,
    /// The value in the first methodology.
    pub first: Option<String>,
    /// The value in the second methodology.
    pub second: Option<String>,
}

/// Keys of a test that change its steps but are not parameters.
const OF_TEST: [&str; 7] = ["axes", "requires", "priority", "needs", "twin", "recovers_to", "published_unit"];

/// Keys of `[target]` and `[forms.F.target]`.
const OF_TARGET: [&str; 5] = ["kind", "size", "file_size", "minimum_size", "content"];

/// Keys of a profile that describe it and change nothing.
const TEXTS: [&str; 2] = ["name", "purpose"];

/// Every difference, in the order of the first methodology.
#[must_use]
pub fn differences(first: &Methodology, second: &Methodology) -> Vec<Difference> {
    let mut all = Vec::new();
    targets(first, second, &mut all);
    needs(first, second, &mut all);
    let unit = |method: &Methodology| text(Some(method.root()), "published_unit");
    push(&mut all, "results", "published_unit", None, (unit(first), unit(second)));
    profiles(first, second, &mut all);
    let (ones, others) = (first.tests(), second.tests());
    let named = |tests: &[TestAbout], name: &str| tests.iter().position(|test| test.name == name);
    for one in &ones {
        match named(&others, &one.name) {
            Some(at) => tests((first, one), (second, &others[at]), &mut all),
            None => all.push(whole(&one.name, Some(one.title.clone()), None)),
        }
    }
    let added = others.iter().filter(|other| named(&ones, &other.name).is_none());
    all.extend(added.map(|other| whole(&other.name, None, Some(other.title.clone()))));
    suites(first, second, &mut all);
    traces(first, second, &mut all);
    all
}

/// The file's `[requires]`.
fn needs(first: &Methodology, second: &Methodology, all: &mut Vec<Difference>) {
    let table = |method: &Methodology| method.root().table("requires").cloned().unwrap_or_default();
    let (one, other) = (table(first), table(second));
    let keys: BTreeSet<&String> = one.entries.keys().chain(other.entries.keys()).collect();
    for key in keys {
        push(all, "requires", key, None, (text(Some(&one), key), text(Some(&other), key)));
    }
}

/// `[[profiles]]` by name, and which of them is the first: the default if none is named.
fn profiles(first: &Methodology, second: &Methodology, all: &mut Vec<Difference>) {
    let of = |method: &Methodology| -> Vec<(String, String)> {
        let told = |table: &Table| (table.text("name").to_owned(), text_of(&Value::Table(without_texts(table))));
        method.whole().tables("profiles").iter().map(told).collect()
    };
    let (ones, others) = (of(first), of(second));
    let name = |all: &[(String, String)]| all.first().map(|(name, _)| name.clone());
    push(all, "profiles", "first", None, (name(&ones), name(&others)));
    by_name("profiles", &ones, &others, all);
}

/// The table without the keys that change nothing, also in its subtables.
fn without_texts(table: &Table) -> Table {
    let mut bare = table.clone();
    bare.entries.retain(|key, _| !TEXTS.contains(&key.as_str()) && !MARKS.contains(&key.as_str()));
    for entry in bare.entries.values_mut() {
        if let Value::Table(inner) = &mut entry.value.value {
            *inner = without_texts(inner);
        }
    }
    bare
}

/// `[[traces]]` by name: every key of each.
fn traces(first: &Methodology, second: &Methodology, all: &mut Vec<Difference>) {
    let of = |method: &Methodology| -> Vec<(String, String)> {
        let whole = |table: &Table| (table.text("name").to_owned(), text_of(&Value::Table(table.clone())));
        method.root().tables("traces").iter().map(whole).collect()
    };
    by_name("traces", &of(first), &of(second), all);
}

/// The two values under each name; names that only the second one has come last.
fn by_name(part: &str, ones: &[(String, String)], others: &[(String, String)], all: &mut Vec<Difference>) {
    let find = |all: &[(String, String)], name: &str| {
        all.iter().find(|(other, _)| other == name).map(|(_, text)| text.clone())
    };
    for (name, text) in ones {
        push(all, part, name, None, (Some(text.clone()), find(others, name)));
    }
    for (name, text) in others.iter().filter(|(name, _)| find(ones, name).is_none()) {
        push(all, part, name, None, (None, Some(text.clone())));
    }
}

fn whole(test: &str, first: Option<String>, second: Option<String>) -> Difference {
    Difference { test: test.to_owned(), parameter: None, form: None, first, second }
}

fn text(table: Option<&Table>, key: &str) -> Option<String> {
    table.and_then(|table| table.get(key)).map(|found| text_of(&found.value))
}

fn targets(first: &Methodology, second: &Methodology, all: &mut Vec<Difference>) {
    let of_form = |method: &Methodology, form: Form, key: &str| {
        text(method.form_table(form).and_then(|table| table.table("target")), key)
    };
    for key in OF_TARGET {
        let of = |method: &Methodology| text(method.root().table("target"), key);
        push(all, "target", key, None, (of(first), of(second)));
        for form in [Form::Faithful, Form::Quick] {
            push(all, "target", key, Some(form), (of_form(first, form, key), of_form(second, form, key)));
        }
    }
    let forms = |method: &Methodology| method.forms().iter().map(|form| form.name()).collect::<Vec<_>>().join(", ");
    push(all, "target", "forms", None, (Some(forms(first)), Some(forms(second))));
}

fn push(
    all: &mut Vec<Difference>,
    test: &str,
    parameter: &str,
    form: Option<Form>,
    (first, second): (Option<String>, Option<String>),
) {
    if first != second {
        all.push(Difference { test: test.to_owned(), parameter: Some(parameter.to_owned()), form, first, second });
    }
}

fn tests(
    (first, one): (&Methodology, &TestAbout),
    (second, other): (&Methodology, &TestAbout),
    all: &mut Vec<Difference>,
) {
    let table = |method: &Methodology, key: &str| match one.preparation_index() {
        Some(index) => text(method.whole().tables("prepare").get(index), key),
        None => text(method.whole().tables("tests").iter().find(|test| test.text("name") == one.name), key),
    };
    if one.is_preparation() {
        push(all, &one.name, "action", None, (Some(one.title.clone()), Some(other.title.clone())));
        push(all, &one.name, "profiles", None, (table(first, "profiles"), table(second, "profiles")));
    }
    for key in OF_TEST.into_iter().filter(|_| one.is_test()) {
        push(all, &one.name, key, None, (table(first, key), table(second, key)));
    }
    let same = |one: &&Parameter, other: &&Parameter| (&one.part, &one.name) == (&other.part, &other.name);
    let added = other.parameters.iter().filter(|other| !one.parameters.iter().any(|one| same(&one, other)));
    for parameter in one.parameters.iter().chain(added) {
        let of = |test: &TestAbout, form: Form| {
            let found = test.parameters.iter().find(|one| same(one, &parameter))?;
            found.forms.iter().find(|value| value.form == form)?.value.clone()
        };
        let name = match &parameter.part {
            Some(part) => format!("{part}: {}", parameter.name),
            None => parameter.name.clone(),
        };
        let both = |form: Form| (of(one, form), of(other, form));
        let (faithful, quick) = (both(Form::Faithful), both(Form::Quick));
        let only = |method: &Methodology| match method.forms().as_slice() {
            [form, Form::Smoke] => Some(*form),
            _ => None,
        };
        if let Some((form, of_other)) = only(first).zip(only(second)) {
            push(all, &one.name, &name, None, (of(one, form), of(other, of_other)));
        } else if faithful == quick {
            push(all, &one.name, &name, None, faithful);
        } else {
            push(all, &one.name, &name, Some(Form::Faithful), faithful);
            push(all, &one.name, &name, Some(Form::Quick), quick);
        }
    }
}

fn suites(first: &Methodology, second: &Methodology, all: &mut Vec<Difference>) {
    let of = |method: &Methodology| -> Vec<(String, String)> {
        let text = |one: SuiteAbout| {
            let tests = if one.tests.is_empty() { "all".to_owned() } else { one.tests.join(", ") };
            let form = if one.form.is_empty() { String::new() } else { format!("{} form, ", one.form) };
            (one.prefix, format!("{}: {tests}, {form}priority {}, {}", one.method, one.priority, one.requires))
        };
        method.suite().into_iter().map(text).collect()
    };
    by_name("suite", &of(first), &of(second), all);
}
