//! Axes: which parameters of a test are lists, in which order they run, and every combination of their values.
//!
//! Must not know: what a combination means for a target.

use drivelab_core::plan::Form;

use crate::layers::Layers;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::value::{Located, Table, Value, name_at};
use crate::values::Pick;
use crate::vocabulary::load::{CASE, axes};

/// Most steps of one test; more is taken for a mistake.
pub(crate) const MOST_STEPS: usize = 10_000;

/// All combinations of a test in a declared form; the outermost axis changes last.
pub(crate) fn picks<'m>(root: &'m Table, test: &'m Table, base: Form) -> Result<Vec<Pick<'m>>, Diagnostic> {
    let layers = Layers::new(root, test, None, base);
    let order = order(test, &layers)?;
    let cases = test.tables("cases");
    let mut picks = vec![Pick { case: None, values: Vec::new() }];
    for axis in order {
        let length = if axis == CASE { cases.len() } else { list(&layers, axis).len() };
        if picks.len().saturating_mul(length) > MOST_STEPS {
            let title = format!("the axes of '{}' make more than {MOST_STEPS} steps", test.text("name"));
            return Err(Diagnostic::new(name_at(test), title, "expected shorter lists"));
        }
        picks = picks
            .iter()
            .flat_map(|pick| (0..length).map(move |index| (pick, index)))
            .map(|(pick, index)| {
                let mut next = pick.clone();
                if axis == CASE {
                    next.case = cases.get(index);
                } else {
                    next.values.extend(list(&layers, axis).get(index).map(|value| (axis, value)));
                }
                next
            })
            .collect();
    }
    Ok(picks)
}

/// The axes, outermost first, as the test orders them.
fn order(test: &Table, layers: &Layers<'_>) -> Result<Vec<&'static str>, Diagnostic> {
    let mut present: Vec<&'static str> = axes().filter(|axis| !list(layers, axis).is_empty()).collect();
    if !test.tables("cases").is_empty() {
        present.push(CASE);
    }
    let written = test.list("axes");
    // An axis that the file does not know, because it was set on the command line, is the innermost one.
    let (set, stated): (Vec<&'static str>, Vec<&'static str>) =
        present.iter().partition(|axis| **axis != CASE && layers.is_set(axis));
    if written.is_empty() {
        if stated.len() < 2 {
            return Ok([stated, set].concat());
        }
        let title = format!("'{}' has several axes and does not say in which order they run", test.text("name"));
        let label = format!("expected `axes` with {} in some order, outermost first", quoted(&present));
        return Err(Diagnostic::new(name_at(test), title, label));
    }
    let mut order = Vec::new();
    for name in written {
        let Value::Word(axis) = name.value else { continue };
        let stated = if axis == CASE { present.contains(&CASE) } else { layers.find(axis).is_some() };
        if !stated && let Some((other, value)) = layers.set_instead(axis).and_then(|key| Some((key, layers.find(key)?)))
        {
            let test = test.text("name");
            let title = format!("`{other}` was set for all tests, and '{test}' runs once for each `{axis}`");
            let error =
                Diagnostic::new(value.at.clone(), title, format!("`{other}` and `{axis}` state the same thing"));
            let help = format!("set it for the tests that it is meant for: --set TEST.{other}=VALUE");
            return Err(error.help(help));
        }
        if !stated {
            let title = format!("'{axis}' is not an axis of '{}'", test.text("name"));
            return Err(Diagnostic::new(name.at.clone(), title, format!("its axes are {}", quoted(&present))));
        }
        if present.contains(&axis) {
            order.push(axis);
        }
    }
    order.extend(set.into_iter().filter(|axis| !written.iter().any(|name| name.value == Value::Word(axis))));
    match present.iter().find(|axis| !order.contains(axis)) {
        None => Ok(order),
        Some(missing) => {
            let at = test.get("axes").map_or_else(|| name_at(test), |value| value.at.clone());
            Err(Diagnostic::new(at, format!("`axes` does not name `{missing}`"), "expected every axis of the test"))
        }
    }
}

fn quoted(names: &[&str]) -> String {
    names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
}

fn list<'m>(layers: &Layers<'m>, axis: &str) -> &'m [Located<Value>] {
    match layers.find(axis).map(|found| &found.value) {
        Some(Value::List(list)) => list,
        _ => &[],
    }
}
