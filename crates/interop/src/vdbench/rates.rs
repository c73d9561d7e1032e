//! Rates of a run: full speed, stated rates, or a curve of shares of the highest rate.
//!
//! Facts: Vdbench Users Guide 5.04.07, `iorate=`, `curve=`, `stopcurve=`, `distribution=`, and its source (project
//! itfanr/vdbench, class RD_entry): a curve runs uncontrolled first; a share above 1,000 IOPS is rounded up to the
//! next 100, any other share to the next 10.

use super::lines::Entry;
use super::load::{Load, say, wrong};
use super::value::{list, thousandths};
use crate::State;
use crate::draft::{Origin, quoted, time};
use crate::notes::Fate;

/// Shares of a curve that states none, in per cent.
const POINTS: [u64; 6] = [10, 50, 70, 80, 90, 100];
/// Largest share that the language accepts, in per cent.
const LARGEST: u64 = 1_000;

/// The rates of a run.
pub(super) enum Rates {
    /// Full speed.
    Highest,
    /// These rates, as TOML.
    Stated(Vec<String>),
    /// Shares of the highest rate.
    Curve(Curve),
}

/// A curve.
pub(super) struct Curve {
    /// The language's table `curve`.
    pub(super) toml: String,
    /// Its steps: full speed, and each point.
    pub(super) points: u64,
    /// Whether the file states its points.
    pub(super) origin: Origin,
}

/// The rates of a run. Notes what becomes of every parameter about them.
pub(super) fn of(run: &Entry, loads: &mut [(&Entry, Load)], state: &mut State) -> Rates {
    let distribution = run.get("distribution").and_then(|param| {
        state.notes.say(&param.place, &param.written, Fate::Carried, "");
        param.values.first().cloned()
    });
    let param = run.get("iorate");
    let first = param.and_then(|param| param.values.first()).map_or("", String::as_str);
    let rates = if first == "curve" {
        curve(run, state)
    } else {
        for param in ["curve", "stopcurve"].into_iter().filter_map(|key| run.get(key)) {
            say(param, Fate::NoEffect, "only a run with iorate=curve has a curve", state);
        }
        stated(run, state)
    };
    let why = match rates {
        Rates::Highest => return rates,
        Rates::Stated(_) => {
            "operations arrive at the rate whatever the target does; in Vdbench the number of threads limits them"
        }
        Rates::Curve(_) => {
            "operations arrive at each share of the highest rate; in Vdbench the number of threads limits them"
        }
    };
    param.into_iter().for_each(|param| say(param, Fate::Changed, why, state));
    let arrivals = match distribution.as_deref().map(|word| word.chars().next()) {
        Some(Some('d')) => "constant",
        Some(Some('u')) => "uniform",
        _ => "exponential",
    };
    if let Some((_, main)) = loads.first_mut() {
        let origin = if distribution.is_some() { Origin::Stated } else { Origin::Default };
        main.table.set("arrivals", quoted(arrivals), origin);
    }
    rates
}

/// Numbers after `iorate`.
fn stated(run: &Entry, state: &mut State) -> Rates {
    let Some(param) = run.get("iorate") else { return Rates::Highest };
    state.notes.say(&param.place, &param.written, Fate::Carried, "");
    if param.values.first().is_some_and(|first| is_max(first)) {
        return Rates::Highest;
    }
    let numbers: Vec<String> = param.values.iter().filter(|text| !is_max(text)).cloned().collect();
    if numbers.len() < param.values.len() {
        say(param, Fate::Lost, "the uncontrolled run among the rates is left out", state);
    }
    let Some(rates) = list(&numbers, &|text| thousandths_of_rate(text)) else {
        wrong(param, "max, curve, or rates such as 1000 or (1000-5000,1000)", state);
        return Rates::Highest;
    };
    let text = |rate: u64| match rate % 1000 {
        0 => format!("{} IOPS", rate / 1000),
        part => format!("{}.{part:03} IOPS", rate / 1000),
    };
    Rates::Stated(rates.into_iter().map(|rate| quoted(&text(rate))).collect())
}

/// Full speed.
fn is_max(text: &str) -> bool {
    text.eq_ignore_ascii_case("max")
}

/// `iorate=curve` with the points and the end of the curve.
fn curve(run: &Entry, state: &mut State) -> Rates {
    let (mut points, mut origin) = (POINTS.to_vec(), Origin::Default);
    if let Some(param) = run.get("curve") {
        state.notes.say(&param.place, &param.written, Fate::Carried, "");
        let share = |text: &str| text.trim().parse::<u64>().ok().filter(|share| (1..=LARGEST).contains(share));
        match list(&param.values, &share) {
            Some(stated) => (points, origin) = (stated, Origin::Stated),
            None => wrong(param, "shares of the highest rate in per cent, such as (10,50,100) or (10-100,10)", state),
        }
    }
    let mut seen = Vec::new();
    points.retain(|point| {
        !seen.contains(point) && {
            seen.push(*point);
            true
        }
    });
    let words: Vec<String> = points.iter().map(u64::to_string).collect();
    let mut toml = format!("{{ points = [{}], rounding = \"vdbench\"", words.join(", "));
    if let Some(param) = run.get("stopcurve") {
        state.notes.say(&param.place, &param.written, Fate::Carried, "");
        match param.values.first().and_then(|text| milliseconds(text)) {
            Some(nanos) => toml.push_str(&format!(", stop_above = {}", quoted(&time(nanos)))),
            None => wrong(param, "a mean response time in milliseconds, such as 20 or 2.5", state),
        }
    }
    toml.push_str(" }");
    Rates::Curve(Curve { toml, points: points.len() as u64 + 1, origin })
}

/// Milliseconds with decimals, in nanoseconds; from a microsecond to a day.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "between 1,000 and 86,400,000,000,000")]
fn milliseconds(text: &str) -> Option<u64> {
    let value: f64 = text.trim().parse().ok()?;
    (0.001..=86_400_000.0).contains(&value).then(|| (value * 1e6).round() as u64)
}

/// A rate in thousandths of an operation per second; k means a thousand.
fn thousandths_of_rate(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    let (number, unit) = match text.strip_suffix('k') {
        Some(number) => (number, 1000),
        None => (text.as_str(), 1),
    };
    thousandths(number).filter(|rate| *rate > 0)?.checked_mul(unit)
}
