//! What tells sides of one drive apart, for their titles.

use drivelab_analysis::bridge;
use drivelab_analysis::digest::RunFacts;
use drivelab_core::environment::BlockDeviceFacts;
use drivelab_report::{Compared, ComparedRun, Sides};

/// Last characters of a serial number that are shown.
const SERIAL_END: usize = 4;

/// What each side has behind its title: of profile, firmware, testbed, tested size, company and the end of the serial
/// number the first that differs between sides of one title; empty where the title says enough.
pub(super) fn apart(runs: &[ComparedRun<'_>], sides: &Sides) -> Vec<String> {
    let titles = Compared { runs, sides }.titles();
    let run = |side: usize| sides.runs[side].first().map(|run| &runs[*run].digest.run);
    let tells: [fn(&RunFacts) -> Option<String>; 6] = [
        |run| Some(run.profile.clone()),
        |run| device(run, |device| device.firmware.clone()),
        |run| Some(bridge::testbed(run)),
        |run| Some(run.tested.to_string()),
        |run| (run.drives_at_once() > 1).then(|| format!("{} drives at once", run.drives_at_once())),
        |run| device(run, |device| device.serial.as_deref().map(end)),
    ];
    let mut names = titles.clone();
    for tell in tells {
        let value = |side: usize| run(side).and_then(tell).filter(|value| !value.is_empty());
        let values: Vec<Option<String>> = (0..names.len()).map(value).collect();
        distinguish(&mut names, &values);
    }
    let behind = |(name, title): (&String, &String)| name[title.len()..].trim_start_matches(", ").to_owned();
    names.iter().zip(&titles).map(behind).collect()
}

/// The first that a device below the target has.
fn device(run: &RunFacts, of: fn(&BlockDeviceFacts) -> Option<String>) -> Option<String> {
    run.environment.target.devices.iter().find_map(of)
}

fn end(serial: &str) -> String {
    let from = serial.chars().count().saturating_sub(SERIAL_END);
    serial.chars().skip(from).collect()
}

/// Appends a value to each name that another side has too, if the values of these sides differ.
fn distinguish(names: &mut [String], values: &[Option<String>]) {
    let before = names.to_vec();
    for (at, name) in names.iter_mut().enumerate() {
        let differs = |other: usize| before[other] == before[at] && values[other] != values[at];
        if let Some(value) = values[at].as_ref().filter(|_| (0..before.len()).any(differs)) {
            name.push_str(&format!(", {value}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_sides_of_one_name_get_what_distinguishes_them() {
        let mut names = ["X", "X", "Y", "Z", "Z"].map(str::to_owned);
        let values = ["1.0", "1.0", "2.0", "3.0", "4.0"].map(|value| Some(value.to_owned()));
        distinguish(&mut names, &values);
        assert_eq!(names, ["X", "X", "Y", "Z, 3.0", "Z, 4.0"]);
        assert_eq!(["S4EWNX0R", "X1"].map(end), ["NX0R", "X1"]);
    }
}
