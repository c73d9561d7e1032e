//! What a methodology contains, for documents: its tests, and each parameter with its value in every form and the
//! origin of that value.
//!
//! Must not know: targets, plans, how documents look.

use drivelab_core::plan::Form;

use crate::documents::about::{AboutKind, NUMBERED, Parameter, SuiteAbout, TestAbout, ValueInForm};
use crate::documents::{around, files, scores};
use crate::expand::prepare::form;
use crate::layers::Layers;
use crate::methodology::{Entry, Methodology};
use crate::tree::marks::{MARKS, Mark, mark_in};
use crate::tree::value::{Table, text_of};
use crate::vocabulary::parameters::{RULES, parameters};

impl Methodology {
    /// The preparation steps and the tests, in the order in which they run, with every parameter.
    #[must_use]
    pub fn tests(&self) -> Vec<TestAbout> {
        let forms = self.declared_forms();
        let root = self.whole();
        let prepare = root.tables("prepare").iter().enumerate();
        let before = |test: &str| {
            let of_test = prepare.clone().filter(move |(_, step)| step.text("before") == test);
            of_test.map(|(index, step)| preparation(index, step, &forms)).collect::<Vec<_>>()
        };
        let mut all = around::about(self, &forms);
        all.extend(before(""));
        for test in root.tables("tests") {
            all.extend(before(test.text("name")));
            all.push(one(root, test, &forms));
        }
        all.extend(scores::about(root, &forms));
        all
    }

    /// The methodologies whose tests it takes over, in order.
    #[must_use]
    pub fn suite(&self) -> Vec<SuiteAbout> {
        let about = |entry: &Entry| SuiteAbout {
            method: entry.method.identity().name.clone(),
            title: entry.method.title().to_owned(),
            tests: entry.table.list("tests").iter().map(|name| name.value.to_string()).collect(),
            form: entry.table.text("form").to_owned(),
            prefix: entry.prefix().to_owned(),
            priority: entry.table.whole("priority").unwrap_or(0),
            requires: entry.table.get("requires").map_or_else(String::new, |found| text_of(&found.value)),
        };
        self.entries().iter().map(about).collect()
    }
}

fn preparation(index: usize, step: &Table, forms: &[Form]) -> TestAbout {
    let action = step.text("action");
    let mut parameters: Vec<Parameter> = Vec::new();
    for form in forms {
        let shortened = *form == Form::Quick && forms.contains(&Form::Faithful);
        for one in own(&form::in_form(step, *form, shortened), None, &[*form]) {
            match parameters.iter_mut().find(|other| other.name == one.name) {
                Some(other) => other.forms.extend(one.forms),
                None => parameters.push(one),
            }
        }
    }
    let before = if step.has("before") { format!(" before '{}'", step.text("before")) } else { String::new() };
    TestAbout {
        kind: AboutKind::Preparation,
        name: format!("{NUMBERED}{}", index + 1),
        title: format!("{action}{before}"),
        purpose: String::new(),
        sources: sources(step),
        parameters,
    }
}

fn one(root: &Table, test: &Table, forms: &[Form]) -> TestAbout {
    let of_test = parameters().filter_map(|key| {
        let of = |form: &Form| {
            let layers = Layers::new(root, test, None, *form);
            let value = layers.find(key.name).map(|found| text_of(&found.value));
            in_form(*form, value, layers.mark(key.name))
        };
        parameter(None, key.name, forms.iter().filter_map(of).collect())
    });
    let mut all: Vec<Parameter> = of_test.collect();
    RULES.into_iter().for_each(|name| rule(root, test, name, forms, &mut all));
    let parts = test.tables("cases").iter().map(|case| (case, true));
    let parts = parts.chain(test.tables("groups").iter().map(|group| (group, false)));
    all.extend(parts.flat_map(|(part, is_case)| of_part(root, test, part, forms, is_case)));
    all.extend(files::about(root, test, forms));
    TestAbout {
        kind: AboutKind::Test,
        name: test.text("name").to_owned(),
        title: test.text("title").to_owned(),
        purpose: test.text("purpose").to_owned(),
        sources: sources(test),
        parameters: all,
    }
}

/// Shows a repetition rule instead of `rounds`, in the forms that state no rounds of their own.
fn rule(root: &Table, test: &Table, name: &str, forms: &[Form], all: &mut Vec<Parameter>) {
    let Some(value) = test.get(name) else { return };
    let holds = |form: &Form| !Layers::new(root, test, None, *form).stated_by_form("rounds");
    let in_its_place = |form: Form| {
        let mark = mark_in(test, name).unwrap_or_else(|| Layers::new(root, test, None, form).mark("rounds"));
        ValueInForm { form, value: Some(text_of(&value.value)), mark }
    };
    let values: Vec<ValueInForm> = forms.iter().copied().filter(holds).map(in_its_place).collect();
    if let Some(rounds) = all.iter_mut().find(|one| one.name == "rounds") {
        rounds.forms.retain(|one| !values.iter().any(|value| value.form == one.form));
    }
    all.retain(|one| !one.forms.is_empty());
    all.extend(parameter(None, name, values));
}

/// What a case or group states; a value without a mark of its own takes the test's mark. A form of the test overrides
/// a case, so the form's value is shown there.
fn of_part(root: &Table, test: &Table, part: &Table, forms: &[Form], is_case: bool) -> Vec<Parameter> {
    let mut own = own(part, Some(part.text("name")), forms);
    for parameter in &mut own {
        for value in &mut parameter.forms {
            let layers = Layers::new(root, test, Some(part), value.form);
            if is_case && layers.stated_by_form(&parameter.name) {
                value.value = layers.find(&parameter.name).map(|found| text_of(&found.value));
                value.mark = layers.mark(&parameter.name);
            } else if value.mark == Mark::Unmarked {
                value.mark = mark_in(test, &parameter.name).unwrap_or(Mark::Unmarked);
            }
        }
    }
    own
}

/// What a table states itself, identical in every form. The action of a preparation step is its title; it is shown as
/// a parameter only if a mark mentions it.
pub(crate) fn own(table: &Table, part: Option<&str>, forms: &[Form]) -> Vec<Parameter> {
    let marked = parameters().map(|key| key.name).filter(|name| !table.has(name) && mark_in(table, name).is_some());
    let texts = ["name", "before", "profiles", "forms", "sources", "purpose", "tests"];
    let stated = table.entries.keys().map(String::as_str);
    let stated = stated.filter(|name| !texts.contains(name) && !MARKS.contains(name));
    let stated = stated.filter(|name| *name != "action" || mark_in(table, name).is_some());
    let all = stated.chain(marked).filter_map(|name| {
        let value = table.get(name).map(|found| text_of(&found.value));
        let mark = mark_in(table, name).unwrap_or(Mark::Unmarked);
        let forms = forms.iter().filter_map(|form| in_form(*form, value.clone(), mark.clone())).collect();
        parameter(part, name, forms)
    });
    all.collect()
}

fn parameter(part: Option<&str>, name: &str, forms: Vec<ValueInForm>) -> Option<Parameter> {
    (!forms.is_empty()).then(|| Parameter { part: part.map(str::to_owned), name: name.to_owned(), forms })
}

fn in_form(form: Form, value: Option<String>, mark: Mark) -> Option<ValueInForm> {
    (value.is_some() || mark != Mark::Unmarked).then_some(ValueInForm { form, value, mark })
}

fn sources(table: &Table) -> Vec<String> {
    table.list("sources").iter().map(|id| id.value.to_string()).collect()
}
