//! `curve`: a load at full speed, then at shares of the rate that it reached.
//!
//! Owns what the table states and what it cannot be combined with. The rates follow at run time from the record of
//! the step at full speed (`drivelab_core::relative`).

use drivelab_core::load::Arrivals;
use drivelab_core::relative::{RelativeRate, Rounding};
use drivelab_core::units::Nanos;

use crate::layers::Layers;
use crate::scope::Scope;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::value::{Located, Table, Value};
use crate::values::Values;

/// The axis that a curve makes.
pub(crate) const CURVE: &str = "curve";

/// A point on a curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Point {
    /// A closed loop with all operations that the load keeps in flight.
    FullSpeed,
    /// An open loop at this share of the closed loop's operations per second, in per cent.
    Percent(u32),
}

impl Point {
    /// On the axis.
    pub(crate) fn shown(self) -> String {
        match self {
            Point::FullSpeed => "full speed".to_owned(),
            Point::Percent(percent) => format!("{percent} %"),
        }
    }

    /// In names.
    pub(crate) fn text(self) -> String {
        match self {
            Point::FullSpeed => "full speed".to_owned(),
            Point::Percent(percent) => format!("{percent} % of full speed"),
        }
    }

    /// This point's share of an amount.
    pub(crate) fn part_of(self, amount: u64) -> u64 {
        match self {
            Point::FullSpeed => amount,
            Point::Percent(percent) => {
                u64::try_from(u128::from(amount) * u128::from(percent.min(100)) / 100).unwrap_or(u64::MAX)
            }
        }
    }
}

/// The table of a test, in one form.
fn table<'m>(test: &Table, layers: &Layers<'m>) -> Option<&'m Table> {
    match layers.find(CURVE).map(|found| &found.value) {
        Some(Value::Table(table)) if !test.has("steady") && !test.has("find_rate") => Some(table),
        _ => None,
    }
}

/// The points of a test's curve in order, full speed first; empty if it has no curve. In the smoke form, a moment of
/// the last share is enough.
pub(crate) fn points(scope: &Scope<'_>, test: &Table, layers: &Layers<'_>) -> Vec<Point> {
    let Some(table) = table(test, layers) else { return Vec::new() };
    let percent = |value: &Located<Value>| match value.value {
        Value::Whole(percent) => u32::try_from(percent).ok().map(Point::Percent),
        _ => None,
    };
    let mut shares: Vec<Point> = table.list("points").iter().filter_map(percent).collect();
    if scope.smoke() {
        shares.drain(..shares.len().saturating_sub(1));
    }
    std::iter::once(Point::FullSpeed).chain(shares).collect()
}

/// How many steps a load of the test becomes in the smoke form; 0 without a curve.
pub(crate) fn smoke_points(test: &Table, layers: &Layers<'_>) -> usize {
    table(test, layers).map_or(0, |table| 1 + table.list("points").len().min(1))
}

/// What a step at a share of the rate stores about it; the base gets its id later.
pub(crate) fn relative(test: &Table, values: &Values<'_, '_>, point: Option<Point>) -> Option<RelativeRate> {
    let Some(Point::Percent(percent)) = point else { return None };
    let (layers, _) = values.test?;
    let table = table(test, layers)?;
    let stop_above: Option<Nanos> = table.time("stop_above");
    Some(RelativeRate {
        of: drivelab_core::ids::StepId::new("", ""),
        percent,
        rounding: if table.text("rounding") == "vdbench" { Rounding::Vdbench } else { Rounding::None },
        arrivals: arrivals(values),
        stop_above,
    })
}

/// Spacing of arrivals as stated.
pub(crate) fn arrivals(values: &Values<'_, '_>) -> Arrivals {
    match values.word("arrivals") {
        "exponential" => Arrivals::Exponential,
        "uniform" => Arrivals::Uniform,
        _ => Arrivals::Constant,
    }
}

/// Whether a load runs at shares of its full speed: all loads of a curve do, except groups with a rate of their own.
pub(crate) fn scales(values: &Values<'_, '_>) -> bool {
    !values.own.is_some_and(|own| own.has("rate"))
}

/// Keys that a load of a curve must not state, because the curve decides when its operations start.
pub(crate) fn check_pace(values: &Values<'_, '_>, errors: &mut Errors) {
    for key in ["rate", "think_time", "bursts"] {
        let holds = values.get(key).is_none() || values.is_general(key);
        if !holds {
            let title = format!("`{key}` and `curve` exclude each other in '{}'", values.name);
            let error =
                Diagnostic::new(values.at(key), title, "a curve runs the load at full speed, then at shares of it");
            errors.push(error.help("a group may have a `rate` of its own, which it keeps at every point"));
        }
    }
}

/// Adds the errors in a test's curve by itself.
pub(crate) fn check(test: &Table, errors: &mut Errors) {
    let Some(entry) = test.entry(CURVE) else { return };
    if let Some(other) = ["steady", "find_rate"].into_iter().find(|key| test.has(key)) {
        let title = format!("`curve` and `{other}` exclude each other");
        errors.push(Diagnostic::new(entry.key_at.clone(), title, "both decide which rates are run"));
    }
}

/// Adds the errors in the table of a curve, wherever the table is.
pub(crate) fn check_table(holder: &Table, errors: &mut Errors) {
    let Some(table) = holder.table(CURVE) else { return };
    if table.time("stop_above").is_some_and(|bound| bound.is_zero()) {
        let at = table.get("stop_above").map_or_else(|| table.at.clone(), |value| value.at.clone());
        errors.push(Diagnostic::new(at, "every operation takes longer than 0 s", "expected a bound above 0 s"));
    }
}
