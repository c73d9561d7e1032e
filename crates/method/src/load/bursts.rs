//! `bursts`: activity and pause in turn, by time or by volume.
//!
//! Owns which of its keys go together. Must not know: targets.

use drivelab_core::load::{Bursts, VolumeBursts};
use drivelab_core::units::Percent;

use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::value::Table;
use crate::values::Values;

/// Keys that belong to only one of the two ways, with an example and the meaning of each.
const BY_TIME: [(&str, &str); 2] =
    [("on", "on = \"1 s\": Time of activity."), ("off", "off = \"5 s\": Pause after it.")];

const BY_VOLUME: [(&str, &str); 2] = [
    ("volume", "volume = \"32 MB\": Bytes of one burst."),
    ("duty_cycle", "duty_cycle = 20: Active share of burst and pause together, per cent."),
];

/// A key that refines the second way.
const AT_MOST: &str = "on_at_most";

/// Which keys the table has: those of one way, all of them.
pub(crate) fn check(table: &Table, errors: &mut Errors) {
    let mut wrong = |title: String, label: &str, help: Option<&str>| {
        let error = Diagnostic::new(table.at.clone(), title, label);
        errors.push(match help {
            Some(help) => error.help(help),
            None => error,
        });
    };
    let stated = |keys: &[(&'static str, &str)]| keys.iter().map(|(key, _)| *key).find(|key| table.has(key));
    let by_volume = stated(&BY_VOLUME).or(table.has(AT_MOST).then_some(AT_MOST));
    let whole = "expected `on` and `off`, or `volume` and `duty_cycle`";
    let keys = match (stated(&BY_TIME), by_volume) {
        (Some(time), Some(volume)) => {
            return wrong(format!("`{time}` and `{volume}` exclude each other in `bursts`"), whole, None);
        }
        (None, None) if table.lacking => return,
        (None, None) => return wrong("`bursts` is empty".to_owned(), whole, None),
        (Some(_), None) => BY_TIME,
        (None, Some(_)) => BY_VOLUME,
    };
    if let Some((key, help)) = keys.iter().find(|(key, _)| !table.has(key))
        && !table.lacking
    {
        wrong(format!("`{key}` is missing in `bursts`"), "`bursts` needs more", Some(help));
    }
}

/// The bursts of a load, if it has any; `is_open` means that arrivals are scheduled.
pub(crate) fn bursts(
    values: &Values<'_, '_>,
    is_open: bool,
    errors: &mut Errors,
) -> (Option<Bursts>, Option<VolumeBursts>) {
    let Some(table) = values.table("bursts") else { return (None, None) };
    let none = ["on", AT_MOST].into_iter().find(|key| table.time(key).is_some_and(|time| time.is_zero()));
    if let Some(key) = none {
        let label = format!("expected `{key}` above 0 s");
        errors.push(Diagnostic::new(values.at("bursts"), "a burst of 0 s", label));
    }
    if let (Some(on), Some(off)) = (table.time("on"), table.time("off")) {
        return ((!off.is_zero()).then_some(Bursts { on, off }), None);
    }
    let (Some(volume), Some(duty)) = (table.size("volume"), table.whole("duty_cycle")) else { return (None, None) };
    let mut refuse = |title: &str, label: &str| errors.push(Diagnostic::new(values.at("bursts"), title, label));
    if is_open {
        let title = "bursts by volume end with the target's own work, and a rate is fixed in advance";
        refuse(title, "expected `on` and `off` beside a rate");
    }
    if values.time("think_time").is_some_and(|time| !time.is_zero()) {
        refuse("bursts by volume and `think_time` exclude each other", "both set pauses; expected one of them");
    }
    let on_at_most = table.time(AT_MOST);
    let bursts = Percent::new(duty).ok().map(|duty_percent| VolumeBursts { volume, duty_percent, on_at_most });
    (None, bursts)
}
