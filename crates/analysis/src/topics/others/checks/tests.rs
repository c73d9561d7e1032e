//! What others moved on the target's device and on those below it, and the figures that it spoils.

use drivelab_core::files::{FilePlace, FileSet, FileSizes, FileSync};
use drivelab_core::finding::Finding;
use drivelab_core::metric::{Better, Wrong};
use drivelab_core::namespace::OtherNamespace;
use drivelab_core::plan::Action;
use drivelab_core::record::{GroupRecord, OpRecord, OtherRecord, StepRecord};
use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::SeriesDescription;
use drivelab_core::units::{Bytes, Percent};
use drivelab_core::workload::Workload;
use drivelab_samples::{recorded, sample_run, source};
use proptest::prelude::*;

use super::*;
use crate::analyse;
use crate::metrics::metric_def;

const STEP: &str = "mixes/w30";

fn step(run: &RunRecords) -> StepRecord {
    run.steps.iter().find(|record| record.key.step.as_str() == STEP).expect("the mix").clone()
}

/// Bytes that the step read, its ramp included, and wrote.
fn moved_by_step(run: &RunRecords) -> Moved {
    let record = step(run);
    let own = run.intervals.iter().filter(|interval| interval.key == record.key);
    Moved { read: own.map(|one| one.read.bytes.as_f64()).sum(), write: record.written_total.as_f64() }
}

/// Counters of a disk around the step, which saw this.
fn disk(run: &RunRecords, name: &str, moved: Moved) -> RecordedSource {
    let record = step(run);
    let times = [record.start_ns - 1_000_000, record.end_ns + 1_000_000];
    let mut disk =
        source(SourceKind::DiskStats, name, Quantity::Volume, &[(times[0], 1e12), (times[1], 1e12 + moved.read)]);
    disk.description.about = About::Drive(name.to_owned());
    for (series, after) in [("write_bytes", moved.write), ("discard_bytes", 0.0)] {
        disk.description.series.push(SeriesDescription::new(series, Quantity::Volume));
        disk.samples[0].values.push(Some(0.0));
        disk.samples[1].values.push(Some(after));
    }
    disk
}

fn found(run: &RunRecords) -> Option<Finding> {
    analyse(run).findings.into_iter().find(|finding| finding.code == "others_used_disk")
}

/// The finding if the disk counted this much more than the step moved.
fn with_more(more: Moved) -> Option<Finding> {
    let mut run = sample_run();
    let own = moved_by_step(&run);
    run.telemetry = recorded(vec![disk(&run, "nvme0n1", own.plus(more))]);
    found(&run)
}

fn read(read: f64) -> Moved {
    Moved { read, write: 0.0 }
}

#[test]
fn bytes_that_are_not_ours_are_others_and_our_own_are_not() {
    let own = moved_by_step(&sample_run()).sum();
    assert_eq!(with_more(read(0.0)), None);
    assert_eq!(with_more(read(0.01 * own)), None, "a journal");
    let found = with_more(read(0.5 * own)).expect("a finding");
    assert!((found.evidence[0].value - 0.5 * own).abs() < 1.0, "{found:?}");
    assert_eq!(found.evidence[0].what, "other bytes on nvme0n1");
    assert!(found.statement.contains(" nvme0n1."), "{}", found.statement);
}

/// On a slow load the floor of a rate is the larger limit, and it is the one that the evidence states.
#[test]
fn the_evidence_states_the_limit_that_was_applied() {
    let run = sample_run();
    let record = step(&run);
    // The counters are read a millisecond before and after the step.
    let floor = FOREIGN_RATE * ((record.end_ns - record.start_ns) as f64 / 1e9 + 0.002);
    let own = moved_by_step(&run).sum();
    let found = with_more(read(0.5 * own)).expect("a finding");
    let limit = found.evidence[0].limit.expect("a limit");
    assert!(near(limit, floor.max(FOREIGN_SHARE * own)), "{limit}, of {floor} and {}", FOREIGN_SHARE * own);
    let judged = |own: f64| {
        let account = Account {
            devices: vec!["sda"],
            own: read(own),
            due: read(own),
            allowed: read(own),
            counted: read(own + 5e6),
            seconds: 2.0,
            operations: None,
        };
        judge(&account, Spoils::Worse).and_then(|found| found[0].1[0].limit)
    };
    assert_eq!(judged(1e6), Some(2e6), "a megabyte a second for two seconds");
    assert_eq!(judged(80e6), Some(4e6), "a twentieth");
    assert_eq!(judged(200e6), None, "5 MB are no more than a twentieth of 200 MB");
}

fn near(one: f64, other: f64) -> bool {
    (one - other).abs() <= 0.01 * other
}

/// Half of what the step read came from another namespace: the disk of the target counts the other half, and more is
/// of others.
#[test]
fn reads_of_another_namespace_are_none_of_the_target() {
    let mut run = sample_run();
    let record = run.steps.iter_mut().find(|record| record.key.step.as_str() == STEP).expect("the mix");
    let half = OpRecord { bytes: Bytes::new(record.read.bytes.get() / 2), ..record.read.clone() };
    let group =
        |name: &str, read| GroupRecord { name: name.to_owned(), read, write: record.write.clone(), others: vec![] };
    record.groups = vec![group("main", half.clone()), group("readers", half)];
    for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps).filter(|step| step.id.as_str() == STEP) {
        let Action::Io { workload, .. } = &mut step.action else { continue };
        let on = Some(Box::new(OtherNamespace::like_target(Bytes::GIB, Bytes::new(512))));
        workload.beside.push(Workload { name: "readers".to_owned(), on, ..Workload::default() });
    }
    let own = moved_by_step(&run);
    let mut others = |moved: Moved| {
        run.telemetry = recorded(vec![disk(&run, "nvme0n1", moved)]);
        found(&run)
    };
    assert_eq!(others(Moved { read: 0.5 * own.read, ..own }), None);
    let found = others(own).expect("half of it is of others");
    assert!((found.evidence[0].value - 0.5 * own.read).abs() < 0.01 * own.read, "{found:?}");
}

#[test]
fn every_figure_of_a_disturbed_step_is_marked_with_its_direction_and_no_other_is() {
    let mut run = sample_run();
    let own = moved_by_step(&run);
    run.telemetry = recorded(vec![disk(&run, "nvme0n1", own.plus(read(own.sum())))]);
    let analysis = analyse(&run);
    let (of_step, others): (Vec<_>, Vec<_>) =
        analysis.metrics.iter().partition(|metric| metric.step.as_ref().is_some_and(|step| step.as_str() == STEP));
    assert!(of_step.iter().filter(|metric| metric.value.is_some()).count() > 10);
    for metric in of_step {
        let expected = match metric_def(&metric.id).expect("a definition").better {
            _ if metric.value.is_none() => None,
            Better::Higher => Some(Wrong::TooLow),
            Better::Lower => Some(Wrong::TooHigh),
            Better::Neutral => Some(Wrong::EitherWay),
        };
        assert_eq!(metric.wrong, expected, "{}", metric.address);
        assert_eq!(metric.spoiled_by.is_empty(), expected.is_none(), "{}", metric.address);
        assert!(metric.voided_by.is_empty(), "{}: a mark voids nothing", metric.address);
    }
    assert!(others.iter().all(|metric| metric.spoiled_by.is_empty() && metric.wrong.is_none()));
}

/// A sample run whose drive is a layer on others, which counted this; the layer counted what the step moved.
fn layered(passes_on: Option<PassesOn>, below: &[(&str, Moved)]) -> Option<Finding> {
    found(&layered_run(passes_on, below))
}

fn layered_run(passes_on: Option<PassesOn>, below: &[(&str, Moved)]) -> RunRecords {
    let mut run = sample_run();
    let own = moved_by_step(&run);
    let devices = &mut run.environment.target.devices;
    devices[0].passes_on = passes_on;
    devices[0].lies_on = below.iter().map(|(name, _)| (*name).to_owned()).collect();
    for (name, _) in below {
        let device =
            BlockDeviceFacts { name: (*name).to_owned(), lies_on: Vec::new(), passes_on: None, ..devices[0].clone() };
        devices.push(device);
    }
    let mut sources = vec![disk(&run, "nvme0n1", own)];
    sources.extend(below.iter().map(|(name, moved)| disk(&run, name, *moved)));
    run.telemetry = recorded(sources);
    run
}

/// Changes the load of the step.
fn with_load(mut run: RunRecords, change: impl Fn(&mut Workload)) -> RunRecords {
    for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps).filter(|step| step.id.as_str() == STEP) {
        let Action::Io { workload, .. } = &mut step.action else { continue };
        change(workload);
    }
    run
}

/// Codes of the findings about other I/O, and how the rate of the step is wrong.
fn marks(run: &RunRecords) -> (Vec<String>, Option<Wrong>) {
    let analysis = analyse(run);
    let codes = analysis.findings.iter().map(|finding| finding.code.clone()).filter(|code| code.starts_with("others"));
    let rate = analysis.metrics.iter().find(|metric| metric.address == format!("{STEP}:total.throughput"));
    (codes.collect(), rate.expect("a rate").wrong)
}

#[test]
fn a_page_cache_may_read_ahead_between_small_random_blocks_only_and_then_it_cannot_be_told() {
    let own = moved_by_step(&sample_run());
    let below = |times: f64| {
        let cached = own.plus(read(times * own.sum()));
        layered_run(Some(PassesOn::Cached), &[("sda", cached)])
    };
    assert_eq!(marks(&below(0.04)), (Vec::new(), None));
    assert_eq!(marks(&below(0.5)), (vec!["others_perhaps".to_owned()], Some(Wrong::EitherWay)));
    assert_eq!(marks(&below(5.0)), (vec!["others_used_disk".to_owned()], Some(Wrong::TooLow)));
    let used = (vec!["others_used_disk".to_owned()], Some(Wrong::TooLow));
    let in_order = with_load(below(0.5), |load| load.pattern = drivelab_core::workload::Pattern::Sequential);
    assert_eq!(marks(&in_order), used, "in order, each byte is read once");
    let large = with_load(below(0.5), |load| load.block_size = Bytes::new(256 << 10));
    // The blocks of the record are others: its rate is void.
    assert_eq!(marks(&large).0, used.0, "nothing is read ahead between large blocks");
    let short = with_load(
        layered_run(Some(PassesOn::Cached), &[("sda", Moved { read: 8.0 * own.sum(), write: 8.0 * own.write })]),
        |load| {
            load.block_size = Bytes::new(512);
        },
    );
    assert_eq!(marks(&short).0, Vec::<String>::new(), "whole pages");
}

#[test]
fn beside_loads_on_files_the_reads_of_others_are_judged_and_it_is_said_that_writes_are_not() {
    let own = moved_by_step(&sample_run());
    let files = |work: FileWork, moved: Moved| {
        let mut run = sample_run();
        run.telemetry = recorded(vec![disk(&run, "nvme0n1", moved)]);
        let run = with_load(run, |load| {
            let sizes = FileSizes::Fixed { size: Bytes::new(4096) };
            let compress_percent = Percent::ZERO;
            let set = FileSet { name: "one".into(), count: 1, sizes, total: None, seed: 1, compress_percent };
            load.files = Some(Box::new(FileLoad { set, work, of: FilePlace::Original, sync: FileSync::End }));
        });
        marks(&run).0
    };
    let writes = Moved { read: 0.0, write: 3.0 * own.write };
    assert_eq!(files(FileWork::Create, writes), ["others_not_watched"], "a file system writes more than its files");
    assert_eq!(files(FileWork::Create, writes.plus(read(own.sum()))), ["others_used_disk", "others_not_watched"]);
    let bytes = step(&sample_run()).read.bytes.as_f64();
    assert_eq!(files(FileWork::Read, writes.plus(read(bytes))), ["others_not_watched"], "what the files hold");
    assert_eq!(files(FileWork::Read, writes.plus(read(3.0 * own.sum()))), ["others_used_disk", "others_not_watched"]);
}

#[test]
fn a_busy_disk_below_a_layer_is_seen_and_what_the_layer_itself_asks_for_is_not() {
    let own = moved_by_step(&sample_run());
    let times = |times: f64| Moved { read: times * own.read, write: times * own.write };
    let busy = read(own.sum());
    for way in [PassesOn::Once, PassesOn::Cached] {
        assert_eq!(layered(Some(way), &[("sda", own)]), None, "{way:?}");
    }
    let crypt = layered(Some(PassesOn::Once), &[("sda", own.plus(busy))]).expect("the disk was busy");
    assert!((crypt.evidence[0].value - own.sum()).abs() < 1.0, "{crypt:?}");
    assert_eq!(crypt.evidence[0].what, "other bytes on sda");
    assert!(crypt.statement.contains(" sda."), "{}", crypt.statement);
    let cached = own.plus(read(5.0 * own.sum()));
    assert!(layered(Some(PassesOn::Cached), &[("sda", cached)]).is_some(), "more than any reading ahead");
    assert_eq!(layered(None, &[("sda", own.plus(busy))]), None, "the I/O of the layer is unknown");
    let half = times(0.5);
    assert_eq!(layered(Some(PassesOn::Once), &[("sda", half), ("sdb", half)]), None, "a stripe");
    assert!(layered(Some(PassesOn::Once), &[("sda", half), ("sdb", half.plus(busy))]).is_some());
    let mirror = Moved { read: 0.5 * own.read, write: own.write };
    assert_eq!(layered(Some(PassesOn::Copies), &[("sda", mirror), ("sdb", mirror)]), None);
    assert!(layered(Some(PassesOn::Copies), &[("sda", mirror), ("sdb", mirror.plus(busy))]).is_some(), "a resync");
    let parity = Moved { read: 0.3 * own.read + own.write, write: own.write };
    assert_eq!(layered(Some(PassesOn::Parity), &[("a", parity), ("b", parity), ("c", parity)]), None);
    assert!(layered(Some(PassesOn::Parity), &[("a", parity), ("b", parity), ("c", parity.plus(times(9.0)))]).is_some());
}

/// How an array of members as large as the target is marked if together they counted this.
fn array(passes_on: PassesOn, members: usize, counted: Moved) -> Vec<String> {
    let names = ["a", "b", "c", "d"];
    let each = counted.times(1.0 / members as f64);
    let below: Vec<(&str, Moved)> = names[..members].iter().map(|name| (*name, each)).collect();
    marks(&layered_run(Some(passes_on), &below)).0
}

/// Up to three times the writes and a read of each member passed as an array's own work, with no sign at all.
#[test]
fn an_array_with_parity_may_replace_what_it_writes_and_beyond_that_it_cannot_be_told() {
    let own = moved_by_step(&sample_run());
    let with = |reads: f64, writes: f64| Moved { read: own.read + reads * own.write, write: writes * own.write };
    let none: Vec<String> = Vec::new();
    let perhaps = vec!["others_perhaps".to_owned()];
    let used = vec!["others_used_disk".to_owned()];
    for (way, members, quiet, doubt, busy) in [
        (PassesOn::OneParity, 3, with(1.0, 2.0), with(3.0, 3.0), with(3.0, 4.0)),
        (PassesOn::OneParity, 4, with(2.0, 2.0), with(4.0, 2.0), with(12.0, 2.0)),
        (PassesOn::Parity, 4, with(2.0, 3.0), with(4.0, 3.0), with(4.0, 5.0)),
    ] {
        assert_eq!(array(way, members, quiet), none, "{way:?} of {members}, quiet");
        assert_eq!(array(way, members, doubt), perhaps, "{way:?} of {members}");
        assert_eq!(array(way, members, busy), used, "{way:?} of {members}, busy");
    }
}

/// What a missing device held is read from all the others: that may be the array's own work.
#[test]
fn an_array_that_lacks_a_device_cannot_be_told_from_others_that_read() {
    let own = moved_by_step(&sample_run());
    let degraded = Moved { read: 2.5 * own.read, ..own }.plus(Moved { read: own.write, write: own.write });
    assert_eq!(array(PassesOn::OneParity, 4, degraded), ["others_perhaps"]);
}

#[test]
fn a_mirror_writes_its_copies_and_no_more() {
    let own = moved_by_step(&sample_run());
    let with = |copies: f64| Moved { write: copies * own.write, ..own };
    assert_eq!(array(PassesOn::TwoCopies, 4, with(2.0)), Vec::<String>::new());
    assert_eq!(array(PassesOn::TwoCopies, 4, with(4.0)), ["others_used_disk"], "four members, two copies");
    assert_eq!(array(PassesOn::Copies, 3, with(3.0)), Vec::<String>::new());
    // LVM keeps the bitmap of each image on a separate device, which is not a copy.
    let maps = |copies: f64| {
        let nothing = Moved::default();
        let image = Moved { read: 0.5 * own.read, write: 0.5 * copies * own.write };
        let below = [("image0", image), ("map0", nothing), ("image1", image), ("map1", nothing)];
        let mut run = layered_run(Some(PassesOn::Copies), &below);
        let devices = run.environment.target.devices.iter_mut();
        devices.filter(|device| device.name.starts_with("map")).for_each(|map| map.capacity = Bytes::new(4 << 20));
        marks(&run).0
    };
    assert_eq!(maps(2.0), Vec::<String>::new());
    assert_eq!(maps(4.0), ["others_used_disk"]);
}

/// The map of a mirror costs a page a write at most, and no more than the regions that are touched.
#[test]
fn the_map_of_an_array_is_its_own_work() {
    let device = sample_run().environment.target.devices[0].clone();
    let over = |length: u64| Workload {
        span: drivelab_core::workload::Span { offset: Bytes::new(0), length: Bytes::new(length) },
        ..Workload::default()
    };
    assert!(near(passed::bitmap(1500.0, &device, &over(1 << 40), 10.0), 1500.0 * 4096.0), "slow and far apart");
    let close = passed::bitmap(1e6, &device, &over(1 << 30), 10.0);
    assert!(near(close, 512.0 * 3.0 * 4096.0), "512 regions, each set three times at most: {close}");
}

/// A file system of this kind below the target, whose disk counted this.
fn on_file_system(kind: &str, moved: Moved, change: impl Fn(&mut Workload)) -> Vec<String> {
    let mut run = sample_run();
    run.telemetry = recorded(vec![disk(&run, "nvme0n1", moved)]);
    run.environment.target.file_system.as_mut().expect("a file system").kind = kind.to_owned();
    marks(&with_load(run, change)).0
}

/// Eight times the bytes passed for the file system's own work, whatever the load.
#[test]
fn a_file_system_that_never_overwrites_is_given_what_its_trees_cost_for_the_load_at_hand() {
    let own = moved_by_step(&sample_run());
    let with = |times: f64| Moved { write: times * own.write, ..own };
    for kind in ["btrfs", "f2fs"] {
        // 4 KiB at random: a path of the trees for each.
        assert_eq!(on_file_system(kind, with(8.0), |_| ()), Vec::<String>::new(), "{kind}");
        let busy = with(8.0).plus(Moved { read: own.read, write: own.sum() });
        assert_eq!(on_file_system(kind, busy, |_| ()), ["others_used_disk"], "{kind}");
        let in_order = |load: &mut Workload| load.pattern = drivelab_core::workload::Pattern::Sequential;
        assert_eq!(on_file_system(kind, with(1.2), in_order), Vec::<String>::new(), "{kind}");
        assert_eq!(on_file_system(kind, with(7.0), in_order), ["others_perhaps"], "{kind}");
        assert_eq!(on_file_system(kind, with(10.0), in_order), ["others_used_disk"], "{kind}");
    }
    assert_eq!(on_file_system("ext4", with(7.0), |_| ()), ["others_used_disk"], "it overwrites");
    let large = Moved { read: 0.0, write: 1e9 };
    let (due, allowed) = passed::elsewhere(large, passed::alike(large), 1e9 / 1_048_576.0, 1, &Workload::default());
    assert!(near(due.write, 1.027e9) && near(allowed.write, 8e9), "1 MiB at random: {due:?}, {allowed:?}");
    let (two, _) = passed::elsewhere(large, passed::alike(large), 1e9 / 1_048_576.0, 2, &Workload::default());
    assert!(near(two.write, 2.027e9), "a copy on each of two devices: {two:?}");
}

#[test]
fn a_layer_of_which_nobody_knows_what_it_asks_for_is_named() {
    let own = moved_by_step(&sample_run());
    let said = |run: &RunRecords| {
        let mut findings = analyse(run).findings.into_iter();
        findings.find(|finding| finding.code == "others_not_watched")
    };
    let thin = layered_run(None, &[("sda", own)]);
    let note = said(&thin).expect("a note");
    assert!(note.statement.contains(" nvme0n1 "), "its name shows nowhere else: {}", note.statement);
    assert_eq!(said(&layered_run(Some(PassesOn::Once), &[("sda", own)])), None);
    let mut unwatched = thin.clone();
    unwatched.telemetry = recorded(Vec::new());
    assert_eq!(said(&unwatched), None, "another finding reports that nothing was watched");
}

/// The numbers of operations, in addition to the bytes of a disk.
fn counting(mut disk: RecordedSource, operations: Moved) -> RecordedSource {
    for (series, after) in [("reads", operations.read), ("writes", operations.write), ("discards", 0.0)] {
        disk.description.series.push(SeriesDescription::new(series, Quantity::Operations));
        disk.samples[0].values.push(Some(0.0));
        disk.samples[1].values.push(Some(after));
    }
    disk
}

/// Operations of the step, its ramp included.
fn operations_of_step(run: &RunRecords) -> Moved {
    let record = step(run);
    let sum = |of: fn(&drivelab_core::record::IntervalRecord) -> u64| -> f64 {
        run.intervals.iter().filter(|interval| interval.key == record.key).map(|one| of(one) as f64).sum()
    };
    Moved { read: sum(|one| one.read.count), write: sum(|one| one.write.count) }
}

/// Few bytes are many seeks: others that read 512 bytes at a time are below every limit of bytes.
#[test]
fn operations_of_others_are_seen_where_their_bytes_are_few() {
    let (own, number) = (moved_by_step(&sample_run()), operations_of_step(&sample_run()));
    let beside = |more: Moved, file_system: bool| {
        let mut run = sample_run();
        let bytes = own.plus(more.times(512.0 * number.sum()));
        let counted = number.plus(more.times(number.sum()));
        run.telemetry = recorded(vec![counting(disk(&run, "nvme0n1", bytes), counted)]);
        if !file_system {
            run.environment.target.file_system = None;
        }
        found(&run)
    };
    assert_eq!(beside(read(0.0), true), None);
    assert_eq!(beside(read(0.04), true), None, "less than a twentieth");
    let seen = beside(read(0.3), true).expect("a fifth and more");
    assert!(seen.evidence[0].what == "other operations on nvme0n1", "{seen:?}");
    let written = Moved { read: 0.0, write: 0.3 };
    assert_eq!(beside(written, true), None, "the journal of a file system that the load writes to");
    assert!(beside(written, false).is_some(), "a device has no journal");
}

/// Each write of the load is followed by a flush.
fn flushing(run: RunRecords) -> RunRecords {
    let mut run = with_load(run, |load| load.other.sync_every = 1);
    let key = step(&run).key;
    for interval in run.intervals.iter_mut().filter(|interval| interval.key == key) {
        let flushes = OpRecord { count: interval.write.count, ..OpRecord::default() };
        interval.others.push(OtherRecord::new(OpKind::Flush, flushes));
    }
    run
}

/// The file system below a loop device writes its journal for each flush, but rarely for more than 250 a second.
#[test]
fn the_journal_below_a_loop_device_is_of_others_only_without_flushes() {
    let (own, number) = (moved_by_step(&sample_run()), operations_of_step(&sample_run()));
    let record = step(&sample_run());
    let seconds = (record.end_ns - record.start_ns) as f64 / 1e9;
    let usual = JOURNAL_OF_FLUSH * JOURNALED_FLUSHES * seconds;
    assert!(number.write > 2.0 * JOURNALED_FLUSHES * seconds, "{number:?} in {seconds} s");
    let below = |journal: f64| {
        let mut run = layered_run(Some(PassesOn::Once), &[("sda", own.and_writes(journal))]);
        run.environment.target.devices[0].transport = "loop".to_owned();
        run
    };
    assert_eq!(marks(&flushing(below(usual))).0, Vec::<String>::new());
    assert_eq!(marks(&flushing(below(JOURNAL_OF_FLUSH * number.write))).0, ["others_perhaps"]);
    assert_eq!(marks(&flushing(below(4.0 * JOURNAL_OF_FLUSH * number.write))).0, ["others_used_disk"]);
    assert_eq!(marks(&below(JOURNAL_OF_FLUSH * number.write)).0, ["others_used_disk"], "nothing flushes");
}

/// Each hole in a file is written to the journal.
#[test]
fn beside_trims_on_a_file_system_nothing_follows_from_what_is_written() {
    let own = moved_by_step(&sample_run());
    let with = |trims: u64, file_system: bool| {
        let mut run = with_load(sample_run(), |load| load.other.trim_percent = Percent::new(trims).expect("a share"));
        run.telemetry = recorded(vec![disk(&run, "nvme0n1", own.and_writes(own.sum()))]);
        if !file_system {
            run.environment.target.file_system = None;
        }
        marks(&run).0
    };
    assert_eq!(with(10, true), Vec::<String>::new());
    assert_eq!(with(0, true), ["others_used_disk"]);
    assert_eq!(with(10, false), ["others_used_disk"], "a device has no journal");
}

/// A device-mapper layer counts an empty flush as a write, the head of a multipath drive as a read.
#[test]
fn flushes_of_the_load_are_no_operations_of_others() {
    let (own, number) = (moved_by_step(&sample_run()), operations_of_step(&sample_run()));
    let flushed = |is_own: bool, counted: Moved| {
        let mut run = if is_own { flushing(sample_run()) } else { sample_run() };
        run.environment.target.file_system = None;
        run.telemetry = recorded(vec![counting(disk(&run, "nvme0n1", own), number.plus(counted))]);
        found(&run).is_some()
    };
    let (as_writes, as_reads) = (Moved { read: 0.0, write: number.write }, read(number.write));
    assert!(!flushed(true, as_writes) && !flushed(true, as_reads));
    assert!(flushed(false, as_writes) && flushed(false, as_reads), "without flushes they are of others");
}

/// Few large reads of another namespace beside many small ones of the target: most operations are the target's.
#[test]
fn operations_on_another_namespace_are_told_by_their_number() {
    let mut run = sample_run();
    run.environment.target.file_system = None;
    let record = run.steps.iter_mut().find(|record| record.key.step.as_str() == STEP).expect("the mix");
    let small = OpRecord { bytes: Bytes::new(record.read.bytes.get() / 10), ..record.read.clone() };
    let large = OpRecord { bytes: Bytes::new(record.read.bytes.get() / 10 * 9), count: 1, ..record.read.clone() };
    let group =
        |name: &str, read| GroupRecord { name: name.to_owned(), read, write: record.write.clone(), others: vec![] };
    record.groups = vec![group("main", small), group("readers", large)];
    for step in run.plan.tests.iter_mut().flat_map(|test| &mut test.steps).filter(|step| step.id.as_str() == STEP) {
        let Action::Io { workload, .. } = &mut step.action else { continue };
        let on = Some(Box::new(OtherNamespace::like_target(Bytes::GIB, Bytes::new(512))));
        workload.beside.push(Workload { name: "readers".to_owned(), on, ..Workload::default() });
    }
    let (own, number) = (moved_by_step(&run), operations_of_step(&run));
    let moved = Moved { read: 0.1 * own.read, ..own };
    run.telemetry = recorded(vec![counting(disk(&run, "nvme0n1", moved), number)]);
    assert_eq!(found(&run), None);
}

/// A spinning disk at 4 KiB, one in flight, does 150 operations a second: 0.6 MB/s.
#[test]
fn a_slow_load_beside_few_bytes_of_others_is_marked_and_a_system_disk_at_rest_marks_none() {
    let beside = |seconds: f64, others: f64, bytes_each: f64| {
        let (own, bytes) = (read(150.0 * seconds), read(150.0 * 4096.0 * seconds));
        let account = Account {
            devices: vec!["sda"],
            own: bytes,
            due: bytes,
            allowed: bytes,
            counted: bytes.plus(read(others * bytes_each)),
            seconds,
            operations: Some(Operations { own, due: own, counted: own.plus(read(others)) }),
        };
        judge(&account, Spoils::Worse).map(|found| found[0].1[0].what.clone())
    };
    let seen = Some("other operations on sda".to_owned());
    assert_eq!(beside(10.0, 2000.0, 4096.0), seen, "200 reads of 4 KiB a second are 0.8 MB/s");
    assert_eq!(beside(10.0, 150.0, 4096.0), None, "a journal and logs: 15 a second, 61 kB/s");
    assert_eq!(beside(2.0, 90.0, 4096.0), None, "a journal that is written at once");
    assert_eq!(beside(2.0, 400.0, 4096.0), seen);
    assert_eq!(beside(0.5, 40.0, 4096.0), seen, "more than half as many as the step's own, which lasts half a second");
    assert_eq!(beside(0.1, 20.0, 4096.0), None, "a few are none, however short the step");
}

/// 512 KiB sequential, 38 operations a second, beside 4 KiB random reads: these are a quarter of the other bytes that
/// are tolerated, and three quarters of a disk's seeks.
#[test]
fn small_reads_of_others_beside_large_blocks_are_seen_where_the_device_does_not_split_those() {
    let beside = |request_kib: Option<u64>, block_kib: u64, more: f64| {
        let mut run = with_load(sample_run(), |load| load.block_size = Bytes::new(block_kib << 10));
        run.environment.target.file_system = None;
        run.environment.target.devices[0].request_size = request_kib.map(|kib| Bytes::new(kib << 10));
        let number = operations_of_step(&run);
        let bytes = Bytes::new(block_kib << 10).as_f64();
        let key = step(&run).key;
        for interval in run.intervals.iter_mut().filter(|interval| interval.key == key) {
            interval.read.bytes = Bytes::new(interval.read.count * (block_kib << 10));
            interval.write.bytes = Bytes::new(interval.write.count * (block_kib << 10));
        }
        for record in run.steps.iter_mut().filter(|record| record.key == key) {
            record.written_total = Bytes::new(number.write as u64 * (block_kib << 10));
        }
        let counted = number.plus(read(more * number.read));
        run.telemetry = recorded(vec![counting(disk(&run, "nvme0n1", number.times(bytes)), counted)]);
        found(&run).map(|found| found.evidence[0].what.clone())
    };
    let seen = Some("other operations on nvme0n1".to_owned());
    assert_eq!(beside(Some(512), 512, 3.0), seen);
    assert_eq!(beside(None, 512, 3.0), None, "it may have been split into eight");
    assert_eq!(beside(Some(128), 512, 2.9), None, "each may be four requests");
    assert_eq!(beside(Some(128), 512, 4.5), seen);
    assert_eq!(beside(Some(512), 384, 0.9), None, "each may lie over a border");
}

/// One operation in, one out: the device below encryption is counted as well.
#[test]
fn operations_of_others_below_encryption_are_seen_and_below_a_mirror_nothing_follows_from_them() {
    let (own, number) = (moved_by_step(&sample_run()), operations_of_step(&sample_run()));
    let below = |way: PassesOn, more: f64| {
        let mut run = layered_run(Some(way), &[("sda", own)]);
        let counted = [("nvme0n1", number), ("sda", number.plus(read(more * number.sum())))];
        run.telemetry = recorded(counted.map(|(name, number)| counting(disk(&run, name, own), number)).into());
        marks(&run).0
    };
    assert_eq!(below(PassesOn::Once, 0.0), Vec::<String>::new());
    assert_eq!(below(PassesOn::Once, 0.3), ["others_used_disk"]);
    assert_eq!(below(PassesOn::Copies, 0.3), Vec::<String>::new(), "a map is written besides");
}

/// What a page cache took in before the step and wrote during it is drivelab's own.
#[test]
fn writes_that_a_cache_held_back_are_not_of_others() {
    let mut run = sample_run();
    let own = moved_by_step(&run);
    let (from, to) = (step(&run).start_ns, step(&run).end_ns);
    let earlier = 40.0 * own.sum();
    let devices = &mut run.environment.target.devices;
    let below = BlockDeviceFacts { name: "sda".to_owned(), ..devices[0].clone() };
    devices[0].passes_on = Some(PassesOn::Cached);
    devices[0].lies_on = vec!["sda".to_owned()];
    devices.push(below);
    // Before the step the layer took in `earlier`, and `came` of it reached the disk, which wrote the rest in the step.
    let counters = |name: &str, writes: [f64; 3]| {
        let times = [from.saturating_sub(2_000_000), from.saturating_sub(1_000_000), to + 1_000_000];
        let points: Vec<(u64, f64)> = times.iter().map(|at| (*at, 0.0)).collect();
        let mut disk = source(SourceKind::DiskStats, name, Quantity::Volume, &points);
        disk.description.about = About::Drive(name.to_owned());
        disk.samples[2].values[0] = Some(own.read);
        for (series, values) in [("write_bytes", writes), ("discard_bytes", [0.0; 3])] {
            disk.description.series.push(SeriesDescription::new(series, Quantity::Volume));
            disk.samples.iter_mut().zip(values).for_each(|(sample, value)| sample.values.push(Some(value)));
        }
        disk
    };
    let mut late = |came: f64| {
        let upper = counters("nvme0n1", [0.0, earlier, earlier + own.write]);
        let lower = counters("sda", [0.0, came, earlier + own.write]);
        run.telemetry = recorded(vec![upper, lower]);
        found(&run)
    };
    assert_eq!(late(0.0), None, "all of it came late");
    assert!(late(earlier).is_none(), "none of it came late, and the disk wrote what went in");
    let mut run = run.clone();
    let upper = counters("nvme0n1", [0.0, 0.0, own.write]);
    let lower = counters("sda", [0.0, 0.0, earlier]);
    run.telemetry = recorded(vec![upper, lower]);
    assert!(found(&run).is_some(), "nothing was held back: these are of others");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// I/O that a layer may cause on the devices below it is not reported as other I/O.
    #[test]
    fn no_split_of_own_bytes_over_devices_is_of_others(shares in prop::collection::vec(0.0f64..1.0, 1..5)) {
        let own = moved_by_step(&sample_run());
        let all: f64 = shares.iter().sum::<f64>().max(1e-9);
        let names = ["a", "b", "c", "d"];
        let split = |share: &f64| Moved { read: own.read * share / all, write: own.write * share / all };
        let below: Vec<(&str, Moved)> = names.iter().copied().zip(shares.iter().map(split)).collect();
        for way in [
            PassesOn::Once,
            PassesOn::Copies,
            PassesOn::TwoCopies,
            PassesOn::OneParity,
            PassesOn::Parity,
            PassesOn::Cached,
        ] {
            prop_assert_eq!(layered(Some(way), &below), None);
        }
    }
}
