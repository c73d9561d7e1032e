//! What distinguishes sides of one drive, for their titles.

use drivelab_analysis::bridge;
use drivelab_analysis::digest::RunFacts;
use drivelab_core::environment::BlockDeviceFacts;
use drivelab_report::format::short_bytes;
use drivelab_report::{Compared, ComparedRun, Sides};

/// Last characters of a serial number that are shown.
const SERIAL_END: usize = 4;

/// A property of a run that can distinguish its side, such as the firmware.
type Tell<'t> = &'t dyn Fn(&RunFacts) -> Option<String>;

/// What stands behind the title of each side: of profile, firmware, testbed, tested size, company and the end of the
/// serial number those that tell sides of one title apart, as few as it takes; empty where nothing has to.
pub(super) fn apart(runs: &[ComparedRun<'_>], sides: &Sides) -> Vec<String> {
    let titles = Compared { runs, sides }.titles();
    let run = |side: usize| sides.runs[side].first().map(|run| &runs[*run].digest.run);
    let testbed = bridge::naming(runs.iter().map(|run| &run.digest.run));
    let tells: [Tell<'_>; 6] = [
        &|run| Some(run.profile.clone()),
        &|run| device(run, |device| device.firmware.clone()),
        &|run| Some(testbed(run)),
        &|run| Some(short_bytes(run.tested)),
        &|run| (run.drives_at_once() > 1).then(|| format!("{} drives at once", run.drives_at_once())),
        &|run| device(run, |device| device.serial.as_deref().map(end)).filter(|_| !sides.redact),
    ];
    let mut apart = vec![String::new(); titles.len()];
    for tell in tells {
        let value = |side: usize| run(side).and_then(tell).filter(|value| !value.is_empty());
        let values: Vec<Option<String>> = (0..titles.len()).map(value).collect();
        distinguish(&titles, &mut apart, &values);
    }
    apart
}

/// The first that a device below the target has.
fn device(run: &RunFacts, of: fn(&BlockDeviceFacts) -> Option<String>) -> Option<String> {
    run.environment.target.devices.iter().find_map(of)
}

fn end(serial: &str) -> String {
    let from = serial.chars().count().saturating_sub(SERIAL_END);
    serial.chars().skip(from).collect()
}

/// Adds a value behind each title that another side has too, with the same behind it, if the values of these sides
/// differ.
fn distinguish(titles: &[String], apart: &mut [String], values: &[Option<String>]) {
    let before = apart.to_vec();
    for (at, behind) in apart.iter_mut().enumerate() {
        let same = |other: usize| titles[other] == titles[at] && before[other] == before[at];
        let differs = |other: usize| same(other) && values[other] != values[at];
        if let Some(value) = values[at].as_ref().filter(|_| (0..titles.len()).any(differs)) {
            behind.push_str(if behind.is_empty() { "" } else { ", " });
            behind.push_str(value);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sides_of_one_title_get_what_distinguishes_them() {
        let titles = ["X", "X", "Y", "Z", "Z", "Z"].map(str::to_owned);
        let mut apart = vec![String::new(); titles.len()];
        let known = |all: [&str; 6]| all.map(|value| Some(value.to_owned()).filter(|value| !value.is_empty()));
        distinguish(&titles, &mut apart, &known(["1.0", "1.0", "2.0", "3.0", "4.0", "4.0"]));
        distinguish(&titles, &mut apart, &known(["", "", "", "a", "b", "c"]));
        assert_eq!(apart, ["", "", "", "3.0", "4.0, b", "4.0, c"]);
        assert_eq!(["S4EWNX0R", "X1"].map(end), ["NX0R", "X1"]);
    }
}
