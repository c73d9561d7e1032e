//! Target, drive and testbed as pairs of name and value, for every format. Unknown values are shown as "unknown".

use std::borrow::Cow;

use drivelab_core::condition::{ConditionFacts, EncryptionFacts, HardwareFacts, Series};
use drivelab_core::environment::{BlockDeviceFacts, Environment, FileSystemFacts, TargetKind};
use drivelab_core::finding::Finding;
use drivelab_core::label::Label;
use drivelab_core::run::Break;
use drivelab_core::units::Bytes;

use crate::figure::format;
use crate::figure::input::ReportInput;
use crate::words::run_facts;

/// A fact to show.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fact {
    /// The name.
    pub(crate) name: Cow<'static, str>,
    /// The value.
    pub(crate) value: String,
}

fn fact(name: impl Into<Cow<'static, str>>, value: impl Into<String>) -> Fact {
    Fact { name: name.into(), value: value.into() }
}

fn or_unknown(value: Option<&String>) -> String {
    value.cloned().unwrap_or_else(|| "unknown".to_owned())
}

/// Title of the review: the drive. If it has no model and a file on it was measured, the title is what the user named,
/// with the drive in brackets.
#[must_use]
pub fn title(environment: &Environment) -> String {
    let target = &environment.target;
    // A redacted page has no folder name for a scratch file.
    let folder_known = target.path.parent().is_some_and(|folder| !folder.as_os_str().is_empty());
    let is_place = match target.kind {
        TargetKind::ScratchFile => folder_known && environment.condition.is_none(),
        kind => kind.is_file(),
    };
    match environment.drive().filter(|device| device.model.is_none()) {
        Some(device) if is_place => {
            let what = if device.virtual_because.is_some() { "virtual disk" } else { "drive" };
            format!("{} ({what} {})", environment.named(), device.name)
        }
        _ => drive_name(environment),
    }
}

/// The drive's model, or a name in its place.
pub(crate) fn drive_name(environment: &Environment) -> String {
    let Some(device) = environment.drive() else {
        let target = &environment.target;
        let path = || target.path.display().to_string();
        return target.file_system.as_ref().map_or_else(path, |system| format!("{} file system", system.kind));
    };
    match (&device.model, &device.virtual_because) {
        (Some(model), _) => model.trim().to_owned(),
        (None, Some(_)) => format!("Virtual disk {}", device.name),
        (None, None) => format!("Drive {}", device.name),
    }
}

/// Facts about the drive, one list for each block device from the file system downwards.
pub(crate) fn drives(input: &ReportInput<'_>) -> Vec<Vec<Fact>> {
    input.records.environment.target.devices.iter().map(device_facts).collect()
}

fn device_facts(device: &BlockDeviceFacts) -> Vec<Fact> {
    let name = device
        .partition
        .as_ref()
        .map_or_else(|| device.name.clone(), |part| format!("{} (partition {part})", device.name));
    let link = device.link.as_ref().map_or_else(
        || "unknown".to_owned(),
        |link| {
            let possible = link.possible.as_ref().filter(|possible| **possible != link.negotiated);
            let possible = possible.map_or_else(String::new, |possible| format!(", possible {possible}"));
            let rate = link
                .bytes_per_second
                .map_or_else(String::new, |rate| format!(", at most {} MB/s", format::mb_s(rate / 1e6)));
            format!("{}{possible}{rate}", link.negotiated)
        },
    );
    let media = match device.rotational {
        _ if device.virtual_because.is_some() => "virtual",
        Some(true) => "spinning",
        Some(false) => "solid state (as reported)",
        None => "unknown",
    };
    let mut facts = vec![
        fact("Device", name),
        fact("Model", or_unknown(device.model.as_ref())),
        fact("Serial", or_unknown(device.serial.as_ref())),
        fact("Firmware", or_unknown(device.firmware.as_ref())),
        fact("Capacity", format::bytes(device.capacity)),
        fact("Transport", device.transport.clone()),
        fact("Link", link),
        fact("Media", media),
        fact("Block size", format!("{} logical, {} physical", device.logical_block_size, device.physical_block_size)),
        fact("Scheduler", or_unknown(device.scheduler.as_ref())),
        fact("Block layer queue", device.nr_requests.map_or_else(|| "unknown".to_owned(), |n| format!("{n} requests"))),
        fact("Write cache", or_unknown(device.write_cache.as_ref())),
    ];
    if let Some(because) = &device.virtual_because {
        facts.push(fact("Virtual", because.clone()));
    }
    if !device.lies_on.is_empty() {
        facts.push(fact("Lies on", device.lies_on.join(", ")));
    }
    facts
}

fn file_system(system: &FileSystemFacts) -> [Fact; 3] {
    [
        fact("File system", format!("{} on {} at {}", system.kind, system.source, system.mount_point.display())),
        fact("Mount options", system.options.clone()),
        fact("Size and free space", format!("{}, {} free", format::bytes(system.total), format::bytes(system.free))),
    ]
}

/// Why writing to the target was allowed, or that nothing is written.
fn guard(environment: &Environment) -> String {
    let Some(guard) = &environment.guard else { return "nothing is written".to_owned() };
    let destroy = guard.destroy_named.as_ref();
    let destroy = destroy.map_or_else(String::new, |path| format!(" (--destroy {})", path.display()));
    let found = guard.device.as_ref().map_or_else(String::new, |device| {
        let holds = if device.overridden.is_empty() { "nothing".to_owned() } else { device.overridden.join(", and ") };
        format!("; found on it: {holds} ({})", device.looked_at)
    });
    format!("allowed: {}{destroy}{found}", guard.allowed_because)
}

/// What was set up around the target; empty if nothing was.
fn condition(environment: &Environment) -> Vec<Fact> {
    let Some(condition) = &environment.condition else { return Vec::new() };
    let ConditionFacts { asked, partition, file_system, encryption, hardware, power, done, series } = condition;
    let mut facts = vec![fact("Conditions", asked.ground()), fact("Arm", asked.arm())];
    facts.extend(partition.iter().map(|made| {
        let share = format!("{} of {}", format::bytes(made.length), format::bytes(made.of));
        fact("Partition", format!("{}, {share}", made.node))
    }));
    facts.extend(file_system.iter().map(|made| fact("Created with", format!("{} ({})", made.command, made.version))));
    facts.extend(encryption.iter().flat_map(encrypted));
    facts.extend(hardware.iter().flat_map(encrypted_by_the_drive));
    facts.extend(power.iter().map(|power| {
        let watts =
            power.max_watts.map_or_else(String::new, |watts| format!(", at most {watts} W according to its own table"));
        fact("Power state", format!("{} ({} before, restored afterwards){watts}", power.state, power.before))
    }));
    if !done.is_empty() {
        facts.push(fact("Set up", done.join("; ")));
    }
    facts.extend(series.iter().flat_map(place_in_series));
    facts
}

/// The place of a run among the runs of one command, and how its conditions differ from those of the methodology.
fn place_in_series(series: &Series) -> Vec<Fact> {
    let Series { at, of, round, rounds, order, replaced, left_out, loop_on_file } = series;
    let mut facts = Vec::new();
    if *of > 1 {
        let order = if *rounds > 1 { format!(", round {round} of {rounds}, order {order}") } else { String::new() };
        facts.push(fact("Series", format!("run {at} of {of}{order}")));
    }
    if *loop_on_file {
        facts.push(fact("Device", "a loop device on a file, not a drive".to_owned()));
    }
    let listed = [("Replaced by flags", replaced), ("Left out", left_out)];
    facts.extend(listed.into_iter().filter(|(_, all)| !all.is_empty()).map(|(name, all)| fact(name, all.join("; "))));
    facts
}

fn encrypted(found: &EncryptionFacts) -> [Fact; 2] {
    let EncryptionFacts { version, cipher, key_bits, sector_size, data_offset, flags, header: _, check } = found;
    let flags = if flags.is_empty() { String::new() } else { format!(", {}", flags.join(", ")) };
    let data = format::bytes(*data_offset);
    [
        fact(
            "Encryption",
            format!(
                "{cipher}, {key_bits}-bit key, sectors of {sector_size} bytes{flags}, data starts at {data}; {version}"
            ),
        ),
        fact(
            "Encryption tested",
            format!(
                "{} of known text written: {} pieces of it found on the device below, chi-square {:.0} (random bytes: 255)",
                format::bytes(check.bytes),
                check.plain_pieces,
                check.chi_square
            ),
        ),
    ]
}

fn encrypted_by_the_drive(found: &HardwareFacts) -> [Fact; 2] {
    let HardwareFacts { version, range, key_bits, data_offset, length, header: _, owned_before, check, .. } = found;
    let (start, length) = (format::bytes(*data_offset), format::bytes(*length));
    let tried =
        if found.tried_on_hardware { "" } else { "; the developers of drivelab have not yet tested this on hardware" };
    let owner = if *owned_before {
        ""
    } else {
        "; the drive had no owner before and keeps the key given with --opal-admin-key"
    };
    let locked = if check.refused_while_locked {
        "the drive refused to read it while locked"
    } else {
        "reads while locked returned something else"
    };
    let back = if check.read_back { "was read back after unlocking again" } else { "was not read back" };
    [
        fact(
            "Encryption",
            format!(
                "by the drive (TCG Opal), locking range {range} of {length} from {start}, unlocked with a {key_bits}-bit key; \
                 {version}{owner}{tried}"
            ),
        ),
        fact(
            "Encryption tested",
            format!(
                "{} of known text {back}, {locked}; whether it is encrypted on the media cannot be seen from outside, because \
                 the drive decrypts what it returns",
                format::bytes(check.bytes)
            ),
        ),
    ]
}

/// Bytes of the sets of files that the steps used, each set counted once.
fn sets(input: &ReportInput<'_>) -> u64 {
    let loads = input.records.plan.steps().filter_map(|step| step.workload()?.files.as_ref());
    let mut all: Vec<_> = loads.map(|load| (&load.set.name, load.set.bytes().get())).collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(|(_, bytes)| bytes).sum()
}

/// How much of the target the steps touched, and the size of the target if it is larger.
fn tested(input: &ReportInput<'_>) -> String {
    let target = &input.records.environment.target;
    let all = format::bytes(target.length);
    let of = match target.kind {
        TargetKind::BlockDevice => format!("the device's {all}"),
        _ => all.clone(),
    };
    let spans = drivelab_analysis::tested(input.records);
    let size = format::bytes(Bytes::new(spans.iter().map(|span| span.length.get()).sum()));
    match spans.as_slice() {
        [] => match sets(input) {
            0 => format!("nothing yet of {of}"),
            bytes => format!("sets of files, {} in total", format::bytes(Bytes::new(bytes))),
        },
        [only] if only.length >= target.length => all,
        [only] if only.offset.get() == 0 => format!("{size} at the start of {of}"),
        [only] => format!("{size} of {of}, starting at byte {}", format::count(only.offset.get())),
        several => format!("{size} in {} places of {of}", several.len()),
    }
}

/// Facts about the drives, the testbed, and what the user states, each group with its title.
pub(crate) fn groups(input: &ReportInput<'_>) -> Vec<(String, Vec<Fact>)> {
    let drives = drives(input).into_iter().map(|facts| ("Drive".to_owned(), facts));
    let others = [("Testbed".to_owned(), testbed(input)), ("Stated by the author".to_owned(), stated(input))];
    drives.chain(others).filter(|(_, facts)| !facts.is_empty()).collect()
}

/// Facts about the target: file or device, file system, direct I/O, write guard.
pub(crate) fn target(input: &ReportInput<'_>) -> Vec<Fact> {
    let environment = &input.records.environment;
    let target = &environment.target;
    let direct = if target.direct_io.supported { "supported" } else { "not supported" };
    let bundle = if environment.bundle_on_same_device {
        "on the same device as the target"
    } else {
        "on a different device from the target"
    };
    let mut facts = vec![
        fact("Target", target.path.display().to_string()),
        fact("Kind", target.kind.words()),
        fact("Tested size", tested(input)),
    ];
    facts.extend(target.file_system.iter().flat_map(file_system));
    facts.push(fact("Direct I/O", format!("{direct}: {}", target.direct_io.reason)));
    facts.push(fact("Write guard", guard(environment)));
    if !target.used_by.is_empty() {
        facts.push(fact("Used by", target.used_by.join("; ")));
    }
    facts.extend(condition(environment));
    facts.push(fact("Record of the run", bundle));
    facts
}

/// The conditions that the user states, the note and the tags. The title stands in the head.
pub(crate) fn stated(input: &ReportInput<'_>) -> Vec<Fact> {
    let Label { title: _, note, tags, conditions } = &input.records.label;
    let of_testbed = input.records.environment.testbed.note.clone().unwrap_or_default();
    let more = [("Note", note.clone()), ("Testbed note", of_testbed), ("Tags", tags.join(", "))].into_iter();
    let more = more.filter(|(_, value)| !value.is_empty()).map(|(name, value)| fact(name, value));
    conditions.iter().map(|(name, value)| fact(name.clone(), value.clone())).chain(more).collect()
}

/// The title of the run and what else the user states about it.
pub(crate) fn titled(input: &ReportInput<'_>) -> Vec<Fact> {
    let title = Some(&input.records.label.title).filter(|title| !title.is_empty());
    title.map(|title| fact("Title", title.clone())).into_iter().chain(stated(input)).collect()
}

/// Facts about the host.
pub(crate) fn testbed(input: &ReportInput<'_>) -> Vec<Fact> {
    let testbed = &input.records.environment.testbed;
    let cpu = format!("{} ({} logical CPUs)", or_unknown(testbed.cpu_model.as_ref()), testbed.cpus);
    let foreign =
        testbed.foreign_io.map_or_else(|| "unknown".to_owned(), |rate| format!("{} MB/s", format::mb_s(rate / 1e6)));
    let stolen = testbed.cpu_stolen.filter(|stolen| *stolen >= 0.005);
    let stolen = stolen.map_or_else(String::new, |stolen| format!(", and {:.0} % stolen", 100.0 * stolen));
    let busy = testbed.cpu_busy.map_or_else(|| "unknown".to_owned(), |busy| format!("{:.0} %{stolen}", 100.0 * busy));
    let mut facts = vec![
        fact("CPU", cpu),
        fact("Frequency governor", or_unknown(testbed.governor.as_ref())),
        fact("Memory", format::bytes(testbed.memory)),
        fact("Board", or_unknown(testbed.board.as_ref())),
        fact("Board firmware", or_unknown(testbed.firmware.as_ref())),
        fact("Kernel", testbed.kernel.clone()),
        fact("Runs under", testbed.hypervisor.clone().unwrap_or_else(|| "bare metal (no hypervisor found)".to_owned())),
        fact("CPUs busy before the run", busy),
        fact("Load average before the run", format!("{:.2} (mean over 1 min)", testbed.load_average_1m)),
        fact("I/O of other programs before the run", foreign),
        fact("One thread can issue", ceiling(&input.records.environment)),
    ];
    if let Some(tag) = &testbed.tag {
        facts.insert(0, fact("Name", tag.clone()));
    }
    if !testbed.unknown.is_empty() {
        facts.push(fact("Not found", testbed.unknown.join("; ")));
    }
    facts
}

/// How many operations the host can generate, and when that was measured.
pub(crate) fn ceiling(environment: &Environment) -> String {
    let measured = environment.ceilings.as_ref().and_then(|ceilings| Some((ceilings, ceilings.bound_iops()?)));
    measured.map_or_else(
        || "not measured on this host; run drivelab doctor".to_owned(),
        |(ceilings, iops)| {
            let day = ceilings.measured.split('T').next().unwrap_or_default();
            format!("{} IOPS at 4 KiB (writes to /dev/null; drivelab doctor, {day})", format::iops(iops))
        },
    )
}

/// Interruptions that no finding reports, a sentence each. The finding `run_resumed` covers an interruption, unless
/// another version of drivelab resumed the run.
pub(crate) fn breaks(input: &ReportInput<'_>) -> Vec<String> {
    let records = input.records;
    let findings = run_facts::findings(input);
    let told = |one: &Break| {
        let same_tool = one.resumed.as_ref().is_some_and(|resumed| resumed.tool == records.tool);
        same_tool && findings.iter().any(|finding| finding.code == "run_resumed" && is_at(finding, one.at_ns))
    };
    let sentences = run_facts::breaks(input);
    records.breaks.iter().zip(sentences).filter(|(one, _)| !told(one)).map(|(_, sentence)| sentence).collect()
}

/// Whether a finding's first evidence is this run time, to a millisecond.
fn is_at(finding: &Finding, at_ns: u64) -> bool {
    finding.evidence.first().is_some_and(|evidence| (evidence.value - at_ns as f64 / 1e9).abs() < 1e-3)
}
