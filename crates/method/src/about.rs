//! What a methodology says of itself, for documents: its tests, and each parameter with its value in every form and
//! where that value comes from.
//!
//! Must not know: targets, plans, how documents look.

use drivelab_core::plan::Form;

use crate::files;
use crate::keys::{RULES, parameters};
use crate::layers::{Layers, MARKS, mark_in};
use crate::methodology::{Entry, Methodology};
use crate::prepare;
use crate::value::{Table, Value};

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

/// Where the value of a parameter comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Mark {
    /// The source with this id states it.
    Stated(String),
    /// It follows from what the source states, in this way.
    Derived(String),
    /// It is ours, for this reason.
    Approximation(String),
    /// Nothing is said.
    Unmarked,
}

/// The source that stands for the project itself: what it "states" is our choice.
pub(crate) const OWN: &str = "own";

impl Mark {
    /// The mark of a value of the quick form that has none of its own, beside that of the faithful form.
    pub(crate) fn shortened(faithful: &Mark) -> Mark {
        let and = match faithful {
            Mark::Stated(source) if source == OWN => "; the faithful form's value is ours too".to_owned(),
            Mark::Stated(_) => "; the faithful form has the published value".to_owned(),
            Mark::Approximation(reason) => format!("; the faithful form's value is ours too: {reason}"),
            Mark::Derived(_) | Mark::Unmarked => String::new(),
        };
        Mark::Approximation(format!("shortened for the quick form{and}"))
    }
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

impl Methodology {
    /// The forms that the file declares.
    pub(crate) fn declared_forms(&self) -> Vec<Form> {
        self.forms().into_iter().filter(|form| *form != Form::Smoke).collect()
    }

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
        let mut all = crate::around::about(self, &forms);
        all.extend(before(""));
        for test in root.tables("tests") {
            all.extend(before(test.text("name")));
            all.push(one(root, test, &forms));
        }
        all.extend(crate::scores::about(root, &forms));
        all
    }
}

impl Methodology {
    /// The methodologies whose tests it takes over, in their order.
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
        for one in own(&prepare::in_form(step, *form, shortened), None, &[*form]) {
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

/// A rule by which a test repeats, in the place of `rounds`, in the forms that state no rounds of their own.
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

/// What a case or group states; a value without a mark of its own has that of its test. A form of the test is stronger
/// than a case, so its value stands there.
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

/// What a table states itself, the same in every form. The action of a preparation step is its title, and a parameter
/// only where a mark speaks of it.
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

/// A value as text, tables and lists too.
pub(crate) fn text_of(value: &Value) -> String {
    let of_table = |table: &Table| {
        let parts: Vec<String> =
            table.entries.iter().map(|(key, entry)| format!("{key} = {}", text_of(&entry.value.value))).collect();
        parts.join(", ")
    };
    match value {
        Value::List(list) => list.iter().map(|one| text_of(&one.value)).collect::<Vec<_>>().join(", "),
        Value::Table(table) => of_table(table),
        Value::Tables(tables) => tables.iter().map(of_table).collect::<Vec<_>>().join("; "),
        other => other.to_string(),
    }
}
