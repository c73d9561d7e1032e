//! What a command would do, as text. It is made from the document alone, so both have the same content.

use std::fmt::Write as _;

use drivelab_core::group::letter;
use drivelab_core::plan::LeftOut;
use drivelab_core::units::{BytesPerSecond, Nanos};

use crate::documents::dry_run::{DryRun, DryRunDevice, DryRunTarget};
use crate::figure::format;

/// Stated with every estimate of wear.
pub const ENDURANCE: &str = "the share of the rated endurance is unknown, because drives do not report their rating; divide \
                             the bytes written by the TBW on the data sheet";

/// Stated with every estimate of bytes: whether it holds for every drive, and if not, for which rate.
#[must_use]
pub fn guess_of_bytes(by_time: bool, rate: BytesPerSecond) -> String {
    if by_time {
        format!("estimated for {rate}; steps of a fixed time write proportionally more on a faster drive")
    } else {
        "the same on every drive: steps that write end by volume".to_owned()
    }
}

/// Appended to every estimate of time: the rate that it assumes, if any step ends by the data it moves.
#[must_use]
pub fn guess_of_time(by_rate: bool, rate: BytesPerSecond) -> String {
    if by_rate { format!(" (at {rate} for steps that end by volume or passes)") } else { String::new() }
}

/// The document as text: one line per fact, beginning with its name.
#[must_use]
pub fn dry_run_text(run: &DryRun) -> String {
    let mut text = "Dry run: nothing was created or written.\n".to_owned();
    let mut fact = |name: &str, what: &str| {
        let _ = writeln!(text, "{name:<8} {what}");
    };
    if let Some(run) = run.run {
        fact("Run", &run.to_string());
    }
    let steps = match run.steps_left {
        Some(left) => format!("{} of {} finished", run.steps - left.min(run.steps), format::counted(run.steps, "step")),
        None => format::counted(run.steps, "step"),
    };
    fact("Method", &format!("{} {}, {}, {steps}", run.method, run.method_version, run.form.words(&run.method)));
    let drives = (0..).zip(&run.drives).map(|(at, drive)| (drive, format!("{} ", letter(at))));
    for (target, letter) in run.target.iter().map(|target| (target, String::new())).chain(drives) {
        fact("Target", &format!("{letter}{}, {}", target.target.display(), tested(target)));
        target.device.iter().for_each(|device| device_text(device, &mut fact));
    }
    for (at, condition) in run.conditions.iter().enumerate() {
        let what = format!("{}. arm {}, {}; measured, then undone", at + 1, condition.arm(), condition.ground());
        fact("Sets up", &what);
    }
    let time = Nanos::new((run.estimated_time_s * 1e9) as u64);
    let left = if run.run.is_some() { " left" } else { "" };
    let guess = guess_of_time(run.timed_by_rate, run.assumed_rate);
    fact("Time", &format!("about {}{left}{guess}", format::duration(time)));
    match run.estimated_written.get() {
        0 => fact("Written", "nothing"),
        _ => written_text(run, &mut fact),
    }
    if !run.set.is_empty() {
        fact("Set", &run.set.join(", "));
    }
    for LeftOut { test, title, reason } in &run.left_out {
        fact("Left out", &format!("{test} ({title}): {reason}"));
    }
    run.limits.iter().for_each(|limit| fact("Fails if", limit));
    run.remarks.iter().for_each(|remark| fact("Note", remark));
    text
}

/// How much is tested; for a larger block device also its capacity.
fn tested(target: &DryRunTarget) -> String {
    let length = format::bytes(target.length);
    match target.device_capacity.filter(|capacity| target.device.is_some() && *capacity > target.length) {
        Some(capacity) => format!("{length} of the {} of the device", format::bytes(capacity)),
        None => length,
    }
}

fn device_text(device: &DryRunDevice, fact: &mut impl FnMut(&str, &str)) {
    let DryRunDevice { name, model, serial, found, looked_at, destroy } = device;
    let model = model.as_deref().unwrap_or("no model name");
    let serial = serial.as_ref().map_or_else(|| "no serial number".to_owned(), |serial| format!("serial {serial}"));
    fact("Device", &format!("{name}, {model}, {serial}"));
    let found = if found.is_empty() { "nothing".to_owned() } else { found.join("; ") };
    fact("Found", &format!("{found} ({looked_at})"));
    if let Some(destroy) = destroy {
        let named = if destroy.named { "this command has it" } else { "this command lacks it, so it would be refused" };
        fact("Destroy", &format!("its content will be lost; this needs {}: {named}", destroy.flag));
    }
}

fn written_text(run: &DryRun, fact: &mut impl FnMut(&str, &str)) {
    let share = |target: &DryRunTarget| {
        target.drive_writes.map_or_else(
            || "the capacity of the drive is not known".to_owned(),
            |writes| {
                let digits = if writes < 1.0 { 4 } else { 2 };
                format!("{writes:.digits$} times the capacity of the device")
            },
        )
    };
    let shares: Vec<String> = match &run.target {
        Some(target) => vec![share(target)],
        None => (0..).zip(&run.drives).map(|(at, target)| format!("{} {}", letter(at), share(target))).collect(),
    };
    let shares = if shares.is_empty() { String::new() } else { format!(" ({})", shares.join(", ")) };
    fact(
        "Written",
        &format!(
            "about {}{shares}; {}",
            format::bytes(run.estimated_written),
            guess_of_bytes(run.written_by_time, run.assumed_rate)
        ),
    );
    let targets: Vec<&DryRunTarget> = run.target.iter().chain(&run.drives).collect();
    let first = targets.first().map_or("", |target| target.endurance.as_str());
    if targets.iter().all(|target| target.endurance == first) {
        targets.first().into_iter().for_each(|_| fact("Wear", first));
        return;
    }
    for (at, target) in targets.iter().enumerate() {
        fact("Wear", &format!("{}: {}", letter(at), target.endurance));
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use drivelab_core::condition::Condition;
    use drivelab_core::ids::RunId;
    use drivelab_core::plan::Form;
    use drivelab_core::units::Bytes;

    use super::*;
    use crate::documents::commands::command_schemas;
    use crate::documents::dry_run::DryRunDestroy;

    fn target(device: Option<DryRunDevice>) -> DryRunTarget {
        DryRunTarget {
            target: PathBuf::from("/dev/sdb"),
            length: Bytes::GIB,
            written: Bytes::GIB,
            device_capacity: Some(Bytes::GIB),
            drive_writes: Some(1.0),
            endurance: ENDURANCE.to_owned(),
            device,
        }
    }

    fn dry_run() -> DryRun {
        DryRun {
            schema: DryRun::SCHEMA,
            schema_version: DryRun::VERSION,
            method: "quick".to_owned(),
            method_version: "1.0.0".to_owned(),
            form: Form::Quick,
            run: None,
            steps: 12,
            steps_left: None,
            estimated_time_s: 90.0,
            estimated_written: Bytes::GIB,
            written_by_time: true,
            timed_by_rate: false,
            assumed_rate: BytesPerSecond::new(500e6),
            target: None,
            drives: Vec::new(),
            conditions: Vec::new(),
            remarks: Vec::new(),
            left_out: Vec::new(),
            set: Vec::new(),
            limits: Vec::new(),
        }
    }

    fn device(named: bool) -> DryRunDevice {
        DryRunDevice {
            name: "sdb".to_owned(),
            model: Some("Some SSD".to_owned()),
            serial: Some("S7".to_owned()),
            found: vec!["an ext4 file system".to_owned()],
            looked_at: "everything was read".to_owned(),
            destroy: Some(DryRunDestroy { id: "S7".to_owned(), flag: "--destroy S7".to_owned(), named }),
        }
    }

    #[test]
    fn a_device_says_what_is_on_it_and_which_word_it_needs() {
        let text = dry_run_text(&DryRun { target: Some(target(Some(device(false)))), ..dry_run() });
        for words in [
            "Target   /dev/sdb, ",
            "Device   sdb, Some SSD, serial S7",
            "Found    an ext4 file system (everything was read)",
            "--destroy S7: this command lacks it",
            "1.00 times the capacity",
        ] {
            assert!(text.contains(words), "'{words}' is missing in\n{text}");
        }
    }

    #[test]
    fn a_device_of_which_a_part_is_tested_is_not_called_that_small() {
        let text = |capacity| {
            let target = DryRunTarget { device_capacity: capacity, ..target(Some(device(true))) };
            let text = dry_run_text(&DryRun { target: Some(target), ..dry_run() });
            text.lines().find(|line| line.starts_with("Target")).expect("a line").to_owned()
        };
        let whole = "Target   /dev/sdb, 1 GiB (1.07 GB)";
        assert_eq!([text(None), text(Some(Bytes::new(1 << 30)))], [whole, whole]);
        assert_eq!(text(Some(Bytes::new(4 << 30))), format!("{whole} of the 4 GiB (4.29 GB) of the device"));
    }

    #[test]
    fn the_rate_that_is_assumed_stands_where_something_hangs_on_it() {
        let lines = |timed_by_rate, written_by_time| {
            let assumed_rate = BytesPerSecond::new(50e6);
            let text = dry_run_text(&DryRun { timed_by_rate, written_by_time, assumed_rate, ..dry_run() });
            let line =
                |word: &str| text.lines().find(|line| line.starts_with(word)).expect("a line").contains("50 MB/s");
            (line("Time "), line("Written "))
        };
        assert_eq!([lines(true, false), lines(false, true)], [(true, false), (false, true)]);
        assert_eq!([lines(true, true), lines(false, false)], [(true, true), (false, false)]);
    }

    #[test]
    fn the_limits_of_a_methodology_are_listed() {
        let limits = vec!["reads/q1:read.iops < 100 k".to_owned()];
        let text = dry_run_text(&DryRun { limits, ..dry_run() });
        assert!(text.contains("\nFails if reads/q1:read.iops < 100 k\n"), "{text}");
    }

    #[test]
    fn wear_is_said_once_or_of_each_drive() {
        let of = |words: &str| DryRunTarget { endurance: words.to_owned(), ..target(None) };
        let wear = |drives: Vec<DryRunTarget>| {
            let text = dry_run_text(&DryRun { drives, ..dry_run() });
            text.lines().filter(|line| line.starts_with("Wear")).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(wear(vec![of("about 2 %"), of("about 2 %")]), ["Wear     about 2 %"]);
        assert_eq!(wear(vec![of("about 2 %"), of("not known")]), ["Wear     A: about 2 %", "Wear     B: not known"]);
        assert_eq!(wear(Vec::new()), Vec::<String>::new());
    }

    #[test]
    fn every_shape_is_one_document_of_one_schema() {
        let (_, schema) = command_schemas().into_iter().find(|(name, _)| *name == "dry-run").unwrap();
        let validator = jsonschema::validator_for(&schema).unwrap();
        let one = DryRun { target: Some(target(Some(device(true)))), ..dry_run() };
        let arms = DryRun { conditions: vec![Condition::default(); 2], ..one.clone() };
        let several = DryRun { drives: vec![target(None), target(None)], ..dry_run() };
        let left = DryRun { run: Some(RunId::now()), steps_left: Some(5), ..dry_run() };
        for document in [&one, &arms, &several, &left] {
            let value = serde_json::to_value(document).unwrap();
            let errors: Vec<String> = validator.iter_errors(&value).map(|error| error.to_string()).collect();
            assert_eq!(errors, Vec::<String>::new(), "{value:#}");
        }
        let mut broken = serde_json::to_value(&several).unwrap();
        broken["drives"][0]["length"] = serde_json::json!("long");
        assert!(!validator.is_valid(&broken), "the schema lets anything pass");
        let text = dry_run_text(&several);
        assert!(text.contains("Target   A /dev/sdb") && text.contains("B 1.00 times"), "{text}");
        assert!(dry_run_text(&left).contains("7 of 12 steps finished"), "{}", dry_run_text(&left));
        assert!(dry_run_text(&arms).contains("Sets up  2. arm none"), "{}", dry_run_text(&arms));
    }
}
