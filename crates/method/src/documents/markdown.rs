//! The page of a methodology in docs/methods, and the overview table of all methodologies, generated from the files
//! alone.
//!
//! Owns the layout of these pages. Must not know: runs, results.

use std::fmt::Write as _;

use drivelab_core::plan::Form;

use crate::documents::about::{AboutKind, NUMBERED, Parameter, SuiteAbout, TestAbout, ValueInForm};
use crate::documents::profiles::ProfileAbout;
use crate::methodology::Methodology;
use crate::tree::marks::{Mark, OWN};

/// How many parameters of a methodology have each kind of origin.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Counts {
    stated: usize,
    derived: usize,
    ours: usize,
    unmarked: usize,
}

impl Counts {
    /// Counts every parameter in its strictest form: the faithful form if it exists, since the quick form is
    /// shortened on purpose. Each preparation step counts by itself, and so do parameters that are marked in it but
    /// not stated, because no case states them.
    fn of(tests: &[TestAbout]) -> Counts {
        let mut counts = Counts::default();
        let counted = |test: &TestAbout, one: &&Parameter| has_value(one) || test.is_preparation();
        let all = tests.iter().flat_map(|test| test.parameters.iter().filter(move |one| counted(test, one)));
        for parameter in all {
            let form = parameter.forms.iter().find(|value| value.form == Form::Faithful);
            match form.or(parameter.forms.first()).map(|value| &value.mark) {
                Some(Mark::Stated(source)) if source == OWN => counts.ours += 1,
                Some(Mark::Stated(_)) => counts.stated += 1,
                Some(Mark::Derived(_)) => counts.derived += 1,
                Some(Mark::Approximation(_)) => counts.ours += 1,
                Some(Mark::Unmarked) | None => counts.unmarked += 1,
            }
        }
        counts
    }
}

impl Methodology {
    /// Its page in docs/methods: what it asks, how, what it is good for, what it cannot tell, its sources, and every
    /// parameter with its origin. `example` is the file name of a kept result, if there is one.
    #[must_use]
    pub fn page(&self, example: Option<&str>) -> String {
        let tests = self.tests();
        let identity = self.identity();
        let mut page = format!(
            "<!-- Printed from methods/{name}.toml; do not edit. A test compares the two. -->\n# {title}\n\n`{name}` \
             {version}; runs on {kinds}. [Forms](../glossary.md#what-is-asked-for): {forms}.\n\n{summary}\n\n**Good \
             for.** {good}\n\n**Cannot tell.** {cannot}\n",
            name = identity.name,
            title = self.title(),
            version = identity.version,
            kinds = self.target().words(),
            forms = self.forms().iter().map(|form| form.name()).collect::<Vec<_>>().join(", "),
            summary = self.summary().trim(),
            good = self.good_for().trim(),
            cannot = self.cannot_tell().trim(),
        );
        let forms = self.forms().into_iter().filter(|form| *form != Form::Smoke);
        let sizes: Vec<String> = forms.map(|form| format!("{}: {}", form.name(), self.size_words(form))).collect();
        let _ = writeln!(page, "\n**Size.** {}.", sizes.join(". "));
        if let Some(example) = example {
            let _ = writeln!(page, "\nAn example of a quick-form result: [{example}]({example}).");
        }
        page.push_str("\n## Sources\n\n");
        for source in self.sources() {
            let _ = writeln!(page, "- **{}**: {}", source.id, source.citation.trim());
        }
        profiles(&mut page, self);
        page.push_str(ORDER);
        suite(&mut page, &self.suite());
        for alike in tests.chunk_by(is_same_preparation) {
            one_test(&mut page, alike);
        }
        let of_profiles: Vec<TestAbout> = self.profiles().iter().map(as_test).collect();
        deviations(&mut page, &[&tests[..], &of_profiles[..]].concat());
        page
    }
}

/// The heading of the tests, and what their tables need to be read.
const ORDER: &str = "
## What it does, in order

*From* is the source that states the value, *derived* if the value follows from what a source states, or *ours* if no
source states it. [The methodology language](../methodology-language.md) explains the parameters.
";

/// The named selections of its tests, and how each one differs.
fn profiles(page: &mut String, method: &Methodology) {
    let all = method.profiles();
    if all.is_empty() {
        return;
    }
    let tests: Vec<String> = method.tests().into_iter().filter(TestAbout::is_test).map(|test| test.name).collect();
    page.push_str(
        "\n## Profiles\n\n`--profile NAME` chooses one; the first is the default. Figures of different profiles \
         are not comparable.\n\n| Profile | What it is | Tests | What differs |\n|---|---|---|---|\n",
    );
    let everywhere = |step: &usize| all.iter().all(|profile| profile.prepare.contains(step));
    for profile in &all {
        let chosen: Vec<&String> = tests.iter().filter(|name| profile.tests.contains(name)).collect();
        let names: Vec<String> = chosen.iter().map(|name| format!("`{name}`")).collect();
        let own: Vec<String> =
            profile.prepare.iter().filter(|step| !everywhere(step)).map(|step| format!("prepare {step}")).collect();
        let prepared = (!own.is_empty()).then(|| format!("is prepared by {}", own.join(", ")));
        let stated = profile.parameters.iter().filter(|one| has_value(one)).map(|one| {
            let value = one.forms.first().and_then(|value| value.value.as_deref()).map(escaped).unwrap_or_default();
            match origin(one) {
                // What a profile needs of its target is not a test's value, so it has no mark.
                from if from.is_empty() && one.name == "target" => format!("`{}` is {value}", one.name),
                from if from.is_empty() => format!("`{}` is {value} (not stated)", one.name),
                from => format!("`{}` is {value} ({from})", one.name),
            }
        });
        let differs: Vec<String> = prepared.into_iter().chain(stated).collect();
        let differs = if differs.is_empty() { "only the tests".to_owned() } else { differs.join("; ") };
        let purpose = escaped(&profile.purpose);
        let _ = writeln!(page, "| `{}` | {purpose} | {} | {differs} |", profile.name, names.join(", "));
    }
}

/// What a profile states, in the same form as a test, for the tests that are asked for.
fn as_test(profile: &ProfileAbout) -> TestAbout {
    TestAbout {
        kind: AboutKind::Around,
        name: format!("profile {}", profile.name),
        title: profile.name.clone(),
        purpose: profile.purpose.clone(),
        sources: Vec::new(),
        parameters: profile.parameters.clone(),
    }
}

/// The methodologies whose tests a suite takes over.
fn suite(page: &mut String, entries: &[SuiteAbout]) {
    if entries.is_empty() {
        return;
    }
    page.push_str("\n| Methodology | Tests | Name prefix | Priority | Needs |\n|---|---|---|---|---|\n");
    for SuiteAbout { method, tests, form, prefix, priority, requires, .. } in entries {
        let which = if tests.is_empty() { "all".to_owned() } else { tests.join(", ") };
        let which = if form.is_empty() { which } else { format!("{which}, {form} form") };
        let _ =
            writeln!(page, "| [{method}]({method}.md) | {which} | `{prefix}-` | {priority} | {} |", escaped(requires));
    }
}

/// Whether a preparation step does the same as the step before it.
fn is_same_preparation(one: &TestAbout, next: &TestAbout) -> bool {
    one.is_preparation() && TestAbout { name: one.name.clone(), ..next.clone() } == *one
}

/// A test, or several identical preparation steps.
fn one_test(page: &mut String, alike: &[TestAbout]) {
    let [test, others @ ..] = alike else { return };
    let last = others.last().map_or_else(String::new, |last| format!(" to {}", last.name.trim_start_matches(NUMBERED)));
    let title = match test.name.strip_prefix(NUMBERED) {
        Some(number) => format!("Preparation {number}{last}: {}", test.title.replace('_', " ")),
        None => test.title.clone(),
    };
    let asks = if test.is_preparation() { String::new() } else { format!("`{}`: {}", test.name, test.purpose.trim()) };
    let from = if test.sources.is_empty() { String::new() } else { format!("(Source: {}.)", test.sources.join(", ")) };
    let _ = writeln!(page, "\n### {title}");
    let asks = format!("{asks} {from}");
    if !asks.trim().is_empty() {
        let _ = writeln!(page, "\n{}", asks.trim());
    }
    let shown: Vec<&Parameter> = test.parameters.iter().filter(|one| has_value(one)).collect();
    if shown.is_empty() {
        return;
    }
    let forms: Vec<Form> = [Form::Faithful, Form::Quick]
        .into_iter()
        .filter(|form| shown.iter().any(|one| one.forms.iter().any(|value| value.form == *form)))
        .collect();
    let heads: Vec<&str> = forms.iter().map(|form| form.name()).collect();
    let _ = writeln!(page, "\n| Parameter | {} | From |\n|---|{}---|", heads.join(" | "), "---|".repeat(heads.len()));
    for parameter in shown {
        let values: Vec<String> = forms.iter().map(|form| value_text(parameter, *form)).collect();
        let _ = writeln!(page, "| {} | {} | {} |", name_text(parameter), values.join(" | "), origin(parameter));
    }
}

/// Whether it is stated here. Other parameters only have a mark here, and cases or groups have the values.
fn has_value(parameter: &Parameter) -> bool {
    parameter.forms.iter().any(|value| value.value.is_some())
}

fn name_text(parameter: &Parameter) -> String {
    match &parameter.part {
        Some(part) => format!("{part}: `{}`", parameter.name),
        None => format!("`{}`", parameter.name),
    }
}

fn in_form(parameter: &Parameter, form: Form) -> Option<&ValueInForm> {
    parameter.forms.iter().find(|value| value.form == form)
}

fn value_text(parameter: &Parameter, form: Form) -> String {
    in_form(parameter, form).and_then(|value| value.value.as_deref()).map(escaped).unwrap_or_default()
}

/// Text that cannot break its table cell.
fn escaped(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace('|', "\\|")
}

/// Where the value of the strictest form comes from, in one word; the reasons follow below the tables.
fn origin(parameter: &Parameter) -> String {
    let strictest = in_form(parameter, Form::Faithful).or(parameter.forms.first());
    match strictest.map(|value| &value.mark) {
        Some(Mark::Stated(source)) if source == OWN => "ours".to_owned(),
        Some(Mark::Stated(source)) => source.clone(),
        Some(Mark::Derived(_)) => "derived".to_owned(),
        Some(Mark::Approximation(_)) => "ours".to_owned(),
        Some(Mark::Unmarked) | None => String::new(),
    }
}

/// Approximations and derived values, with the reasons: everything in which it may differ from its source.
fn deviations(page: &mut String, tests: &[TestAbout]) {
    let mut lines: Vec<(String, &'static str, String)> = Vec::new();
    for test in tests {
        for parameter in &test.parameters {
            for value in &parameter.forms {
                let (kind, reason) = match &value.mark {
                    Mark::Derived(how) => ("derived", how),
                    Mark::Approximation(why) => ("ours", why),
                    Mark::Stated(_) | Mark::Unmarked => continue,
                };
                let part = parameter.part.as_ref().map(|part| format!(", {part}")).unwrap_or_default();
                let place = format!("{}{part}: `{}`", test.name, parameter.name);
                let line = (place, kind, escaped(reason));
                if !lines.contains(&line) {
                    lines.push(line);
                }
            }
        }
    }
    if lines.is_empty() {
        return;
    }
    page.push_str("\n## Approximations and derived values\n\n| Where | What | Why |\n|---|---|---|\n");
    // A reason that applies in many places is printed once.
    let mut said: Vec<(&str, &str, Vec<&str>)> = Vec::new();
    for (place, kind, reason) in &lines {
        match said.iter_mut().find(|(other, why, _)| other == kind && why == reason) {
            Some((.., places)) => places.push(place),
            None => said.push((kind, reason, vec![place])),
        }
    }
    for (kind, reason, places) in said {
        let _ = writeln!(page, "| {} | {kind} | {reason} |", places.join("; "));
    }
}

/// docs/methods/README.md: all built-in methodologies, and how much of each is stated by its sources.
#[must_use]
pub fn overview(methods: &[Methodology]) -> String {
    let mut page = OVERVIEW.to_owned();
    for method in methods {
        let counts = Counts::of(&method.tests());
        let forms: Vec<&str> = method.forms().iter().map(|form| form.name()).collect();
        let _ = writeln!(
            page,
            "| [{name}]({name}.md) | {} | {} | {} | {} | {} | {} | {} |",
            method.title(),
            method.target().words(),
            forms.join(", "),
            counts.stated,
            counts.derived,
            counts.ours,
            counts.unmarked,
            name = method.identity().name,
        );
    }
    page
}

const OVERVIEW: &str = "\
<!-- Printed from methods/*.toml; do not edit. A test compares the two. -->
# The built-in methodologies

Each one is a file in `methods/`, runs with `drivelab run NAME TARGET`, and has a page here that is printed from the
file: what it asks, how, what it is good for, what it cannot tell, its sources, and every parameter with its origin.

- **stated**: the cited source states the value;
- **derived**: it follows from what the source states, from its program or its published figures; the page says how;
- **ours**: an approximation: no source states it, or only someone other than the source reports it. The page says
  why, and every result marks it. All values of our own methodologies are ours, too;
- **not stated**: the value has no mark.

The table counts the values of the faithful form, or of the quick form if there is no faithful form; each case and
group counts by itself. Values that no source states are also listed by hand in
[approximations.toml](approximations.toml), and a test checks that each of them is marked.

Some pages link to an example of a quick-form result. It was measured on a loop device or in a folder of a shared
virtual machine: it shows what a result looks like, and says nothing about any drive.

| Methodology | Title | Targets | Forms | Stated | Derived | Ours | Not stated |
|---|---|---|---|---|---|---|---|
";
