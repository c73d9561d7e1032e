//! `curve`: a load at full speed, then at shares of the rate that it reached.
//!
//! Owns what the table says and what cannot go with it. The rates follow at run time from the record of the step at
//! full speed (`drivelab_core::relative`).

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

/// A place on a curve.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Point {
    /// The closed loop, with all that the load has in flight.
    FullSpeed,
    /// An open loop with this share of its operations per second, in per cent.
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

    /// As much of an amount as the share says.
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

/// The places of a test's curve in their order, full speed first; empty where it has none. A moment of the last share
/// is enough for the smoke form.
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

/// What a step at a share of the rate says about it; the base gets its id later.
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

/// Whether a load takes shares of its full speed: all of a curve's but groups with a rate of their own.
pub(crate) fn scales(values: &Values<'_, '_>) -> bool {
    !values.own.is_some_and(|own| own.has("rate"))
}

/// What a load of a curve must not state: the curve says when its operations start.
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

/// Adds what is wrong with the curve of a test by itself.
pub(crate) fn check(test: &Table, errors: &mut Errors) {
    let Some(entry) = test.entry(CURVE) else { return };
    if let Some(other) = ["steady", "find_rate"].into_iter().find(|key| test.has(key)) {
        let title = format!("`curve` and `{other}` exclude each other");
        errors.push(Diagnostic::new(entry.key_at.clone(), title, "both decide which rates are run"));
    }
}

/// Adds what is wrong with the table of a curve, wherever it stands.
pub(crate) fn check_table(holder: &Table, errors: &mut Errors) {
    let Some(table) = holder.table(CURVE) else { return };
    if table.time("stop_above").is_some_and(|bound| bound.is_zero()) {
        let at = table.get("stop_above").map_or_else(|| table.at.clone(), |value| value.at.clone());
        errors.push(Diagnostic::new(at, "no operation takes no time", "expected a bound above 0 s"));
    }
}
