//! The draft of an article: sections in the order that readers expect, charts and tables by reference, sentences from
//! findings, and a gap wherever only the author can judge.

use std::fmt::Write as _;

use drivelab_core::plan::TestPlan;

use super::front::Front;
use super::items::{Items, value_text};
use super::types::Material;
use crate::figure::escape;
use crate::figure::input::ReportInput;
use crate::figure::op::Op;
use crate::figure::pairs::{measured, measured_tests};
use crate::figure::{cells, quantity};
use crate::views::across::sides::Sides;
use crate::views::run::look;

/// The draft of an article about these runs. It can be built as it is.
#[must_use]
pub fn draft(front: &Front, material: &Material<'_>) -> String {
    let items = Items::of(material);
    let mut text = head(front);
    let has = |kind: &str| matches!(items.part(kind), Ok(Ok(Some(_))));
    if has("short") {
        text += "\n{{ short }}\n";
    }
    text += "\n{{ gap In two or three sentences of your own: what is it, who is it for, is it worth its price? }}\n";
    text += "\n## What it is\n\n{{ gap Maker, class, controller and flash, price, what is special; a picture: ![The drive](drive.jpg) }}\n";
    if has("sheet") {
        text += "\n## Specification and measurement\n\n{{ sheet }}\n";
    }
    let several = material.runs.len() > 1;
    for (at, input) in material.runs.iter().enumerate() {
        let letter = drivelab_core::group::letter(at);
        if several {
            let _ = writeln!(text, "\n## {}", plain(&items.run_name(at, input)));
        }
        tests(&mut text, input, &items, if several { &letter } else { "" });
        heat_and_power(&mut text, &items, if several { &letter } else { "" });
    }
    beside(&mut text, &items, material.sides);
    text += "\n## Pros and cons\n\n- {{ gap What speaks for it }}\n- {{ gap What speaks against it }}\n";
    text += "\n## Verdict\n\n";
    if has("verdicts") {
        text += "{{ verdicts }}\n\n{{ gap Your own verdict; it may replace the line above }}\n";
    } else {
        text += "{{ gap Your own verdict }}\n";
    }
    text
}

/// Text from outside, in which no Markdown and no reference can begin.
fn plain(text: &str) -> String {
    escape::markdown(text).replace('{', "&#123;")
}

/// The front matter.
fn head(front: &Front) -> String {
    let quoted = |text: &str| toml::Value::String(text.to_owned()).to_string();
    let list = |all: &[String]| format!("[{}]", all.iter().map(|one| quoted(one)).collect::<Vec<_>>().join(", "));
    let mut text = "+++\n".to_owned();
    for (key, value) in [("title", &front.title), ("author", &front.author), ("date", &front.date)] {
        let _ = writeln!(text, "{key} = {}", quoted(value));
    }
    let _ = writeln!(text, "drives = {}", list(&front.drives));
    for (key, value, what) in [
        ("price", &front.price, "with currency and day"),
        ("bench", &front.bench, "what drivelab cannot read: memory speed, power supply"),
        ("cooling", &front.cooling, "heat sink, fan"),
        ("disclosure", &front.disclosure, "who provided the drive"),
    ] {
        let _ = writeln!(text, "{key} = {} # {what}", quoted(value));
    }
    let _ = writeln!(text, "runs = {}", list(&front.runs));
    if !front.against.is_empty() {
        let _ = writeln!(text, "against = {}", list(&front.against));
    }
    if !front.allow.is_empty() {
        let _ = writeln!(text, "allow = {}", list(&front.allow));
    }
    text + "+++\n"
}

/// A section for each test: its best figure, its charts, its findings, and a gap.
fn tests(text: &mut String, input: &ReportInput<'_>, items: &Items<'_>, letter: &str) {
    let prefix = if letter.is_empty() { String::new() } else { format!("{}-", letter.to_lowercase()) };
    let level = if letter.is_empty() { "##" } else { "###" };
    let run = if letter.is_empty() { String::new() } else { format!("{letter} ") };
    let mut told: Vec<&str> = Vec::new();
    for test in measured_tests(&input.records.plan) {
        let _ = writeln!(text, "\n{level} {}\n", plain(&test.title));
        if let Some(sentence) = best(input, test, letter) {
            let _ = writeln!(text, "{sentence}\n");
        }
        let (charts, tables) = items.of_test(&format!("{prefix}{}", test.name));
        for name in charts {
            let _ = writeln!(text, "{{{{ chart {name} }}}}\n");
        }
        for name in tables {
            let _ = writeln!(text, "{{{{ table {name} }}}}\n");
        }
        let about = |finding: &&&drivelab_core::finding::Finding| {
            finding.steps.iter().any(|key| test.steps.iter().any(|step| step.id == key.step))
        };
        let findings = crate::words::run_facts::findings(input);
        for finding in findings.iter().filter(about) {
            let grave = finding.answers || finding.severity != drivelab_core::finding::Severity::Note;
            if grave && !told.contains(&finding.code.as_str()) {
                told.push(&finding.code);
                let _ = writeln!(text, "{{{{ finding {run}{} }}}}\n", finding.code);
            }
        }
        let _ = writeln!(text, "{{{{ gap What does this show, and does it matter? }}}}");
    }
}

/// Temperature, power and CPU over the run, if anything was watched.
fn heat_and_power(text: &mut String, items: &Items<'_>, letter: &str) {
    let (prefix, level) = match letter {
        "" => (String::new(), "##"),
        letter => (format!("{}-", letter.to_lowercase()), "###"),
    };
    let (charts, _) = items.of_test(&format!("{prefix}telemetry"));
    if charts.is_empty() {
        return;
    }
    let _ = writeln!(text, "\n{level} Heat and power\n");
    for name in charts {
        let _ = writeln!(text, "{{{{ chart {name} }}}}\n");
    }
    text.push_str("{{ gap How warm does it get, does it throttle, what does it draw? }}\n");
}

/// A sentence with the best figure of a test, as a value that is checked when the page is built.
fn best(input: &ReportInput<'_>, test: &TestPlan, letter: &str) -> Option<String> {
    let steps: Vec<_> = measured(test).collect();
    let quantity = if look::counts_operations(test, &steps) { quantity::IOPS } else { quantity::THROUGHPUT };
    let valued = measured(test).filter_map(|step| {
        let op = Op::of(step);
        Some((step, op, cells::value(input, step, op, quantity)?))
    });
    let (step, op, _) = valued.max_by(|one, other| one.2.total_cmp(&other.2))?;
    let metric = cells::metric(input, step, op, quantity)?;
    let run = if letter.is_empty() { String::new() } else { format!("{letter} ") };
    let value = value_text(input, metric)?;
    let label = plain(&step.label);
    Some(format!("At best {{{{ value {run}{} = {value} }}}} ({label}).", metric.address))
}

/// The comparison: its tables and charts.
fn beside(text: &mut String, items: &Items<'_>, sides: &Sides) {
    let (charts, tables) = (items.comparison_charts(), items.comparison_tables());
    if charts.is_empty() && tables.is_empty() {
        return;
    }
    text.push_str("\n## Beside others\n\n");
    for side in &sides.published {
        let _ = writeln!(text, "- {}, published", plain(&side.name()));
    }
    if !sides.published.is_empty() {
        text.push('\n');
    }
    for name in charts {
        let _ = writeln!(text, "{{{{ chart {name} }}}}\n");
    }
    for name in tables.into_iter().filter(|name| !name.ends_with("-rest")) {
        let _ = writeln!(text, "{{{{ table {name} }}}}\n");
    }
    if matches!(items.part("choice"), Ok(Ok(Some(_)))) {
        text.push_str("{{ choice }}\n\n");
    }
    text.push_str("{{ gap Which would you buy, and for what? }}\n");
}
