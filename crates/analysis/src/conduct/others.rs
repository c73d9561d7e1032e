//! What others moved on the target's devices while an execution ran: on the device that is measured, and on every one
//! below it.
//!
//! The kernel counts the bytes of each device, whoever moved them. What drivelab moved is on record; what a layer
//! (encryption, a volume, an array, a loop device) passes on follows from what the layer itself counted. What a device
//! counted beyond that is of others: another program, a resync, writes of earlier that were still on their way.

use drivelab_core::environment::{BlockDeviceFacts, PassesOn};
use drivelab_core::files::{FileLoad, FileWork};
use drivelab_core::finding::Evidence;
use drivelab_core::load::OpKind;
use drivelab_core::record::StepRecord;
use drivelab_core::telemetry::{About, Quantity, Recorded, RecordedSource, SourceKind};
use drivelab_core::units::Bytes;
use drivelab_core::workload::Workload;

use crate::check::{Seen, Spoils, Subject, Voids};
use crate::findings::evidence;
use crate::watched::{around, value_near};

/// Bytes that others may move, as a share of the execution's own: the file system's journal and the bundle are not ours
/// to count and stay below.
pub(super) const FOREIGN_SHARE: f64 = 0.05;
/// And at least so many bytes a second: less disturbs no figure.
const FOREIGN_RATE: f64 = 1e6;
/// Times its own bytes that a page cache may move for random blocks that are shorter than what it reads ahead. A quiet
/// one moves each byte once, whatever the load; but where blocks lie close it may read ahead what nobody asks for.
const CACHE_TIMES: f64 = 2.0;
/// Bytes that the kernel reads ahead where nothing else is set (`read_ahead_kb`).
const READ_AHEAD: f64 = 131_072.0;
/// Bytes that a page cache may have read ahead of a load as its execution ends: some windows for each stream.
const AHEAD_AT_THE_END: f64 = 4_194_304.0;
/// Bytes of a page: of what is written to a page cache in smaller blocks, whole pages are read and written.
const PAGE: f64 = 4096.0;
/// Times its own bytes that a file system may write which never overwrites (btrfs): a block of 4 KiB changes a path of
/// its trees, of 16 KiB a node.
const ELSEWHERE_TIMES: f64 = 8.0;
/// File systems that write what is overwritten to another place.
const WRITE_ELSEWHERE: [&str; 5] = ["btrfs", "bcachefs", "f2fs", "nilfs2", "zfs"];
/// Most that a write to an array with parity writes to all devices together (RAID 6), in times its bytes.
const PARITY_TIMES: f64 = 3.0;
/// How far back writes are followed that a page cache may still hold: the kernel writes them within half a minute.
const CACHED_NS: u64 = 120_000_000_000;

/// Bytes read and written.
#[derive(Debug, Clone, Copy, Default)]
struct Moved {
    read: f64,
    write: f64,
}

impl Moved {
    fn sum(self) -> f64 {
        self.read + self.write
    }

    fn plus(self, other: Moved) -> Moved {
        Moved { read: self.read + other.read, write: self.write + other.write }
    }

    /// What of this is beyond `allowed`, of reads and of writes.
    fn beyond(self, allowed: Moved) -> f64 {
        (self.read - allowed.read).max(0.0) + (self.write - allowed.write).max(0.0)
    }
}

/// A place where bytes are counted twice: as they go in, and by the devices that they go to.
struct Account<'a> {
    /// The devices they go to.
    devices: Vec<&'a str>,
    /// What went in.
    own: Moved,
    /// What the devices surely count of it.
    due: Moved,
    /// What they may count of it.
    allowed: Moved,
    /// What they counted.
    counted: Moved,
    /// Between the readings of the counters, seconds.
    seconds: f64,
}

/// What others moved, as evidence; it spoils the figures.
pub(super) fn others(subject: &Subject<'_>) -> Vec<Seen> {
    seen(subject, Spoils::Worse)
}

/// The same where it cannot be told from what a page cache reads ahead.
pub(super) fn perhaps_others(subject: &Subject<'_>) -> Vec<Seen> {
    if others(subject).is_empty() { seen(subject, Spoils::Perhaps) } else { Vec::new() }
}

fn seen(subject: &Subject<'_>, how: Spoils) -> Vec<Seen> {
    let judged = accounts(subject).into_iter().filter_map(|account| judge(&account, how));
    let found: Vec<(&str, Vec<Evidence>)> = judged.flatten().collect();
    if found.is_empty() {
        return Vec::new();
    }
    let names: Vec<&str> = found.iter().map(|(name, _)| *name).collect();
    let of_all = found.iter().flat_map(|(_, evidence)| evidence.clone()).collect();
    vec![Seen::new(subject, Voids::Nothing, of_all).spoiling(how).noting(names.join(" and "))]
}

/// A load on files was watched, of which only reads are judged.
pub(super) fn writes_not_judged(subject: &Subject<'_>) -> Vec<Seen> {
    let is_judged = subject.execution.workload.files.is_some() && !accounts(subject).is_empty();
    super::told(subject, is_judged.then(Vec::new))
}

/// The devices of an account with the evidence, where others moved enough to matter.
fn judge<'a>(account: &Account<'a>, how: Spoils) -> Option<Vec<(&'a str, Vec<Evidence>)>> {
    let allowed = match how {
        Spoils::Worse => account.allowed,
        Spoils::Perhaps => account.due,
    };
    let (foreign, own) = (account.counted.beyond(allowed), account.own.sum());
    let limit = (FOREIGN_SHARE * own).max(FOREIGN_RATE * account.seconds);
    if foreign <= limit {
        return None;
    }
    let names = account.devices.join(" and ");
    let what = match how {
        Spoils::Worse => "bytes of others on",
        Spoils::Perhaps => "bytes more than asked for on",
    };
    let of_others = evidence(&format!("{what} {names}"), foreign, Some(limit), "B");
    let of_own = evidence(&format!("bytes of this execution on {names}"), own, None, "B");
    let mut evidence = vec![of_others, of_own];
    let each = account.devices.iter().map(|name| (*name, std::mem::take(&mut evidence)));
    Some(each.collect())
}

fn accounts<'a>(subject: &Subject<'a>) -> Vec<Account<'a>> {
    let Some(recorded) = subject.execution.watched else { return Vec::new() };
    let record = subject.execution.record;
    let from = subject.intervals.first().map_or(record.start_ns, |first| first.start_ns.min(record.start_ns));
    let window = Window { recorded, from, to: record.end_ns };
    let of_layer = |device: &'a BlockDeviceFacts| window.of_layer(device, subject.execution.workload);
    let top = of_target(subject, &window);
    top.into_iter().chain(subject.devices.iter().filter_map(of_layer)).collect()
}

/// The execution on the recording of the run.
struct Window<'a> {
    recorded: &'a Recorded,
    from: u64,
    to: u64,
}

impl<'a> Window<'a> {
    fn source(&self, device: &str) -> Option<&'a RecordedSource> {
        let of_device = |source: &&RecordedSource| {
            let about = &source.description.about;
            source.description.kind == SourceKind::DiskStats && matches!(about, About::Drive(name) if name == device)
        };
        self.recorded.sources.iter().find(of_device)
    }

    /// What a device counted between the readings at the borders of the execution, and the seconds between those.
    fn counted(&self, source: &RecordedSource) -> Option<(Moved, f64)> {
        let [read, write] = columns(source)?;
        let rise = |column| {
            let [(before, first), (after, last)] = around(source, column, self.from, self.to)?;
            let whole = before <= self.from && after >= self.to;
            whole.then(|| (last - first, (after - before) as f64 / 1e9))
        };
        let ((read, seconds), (write, _)) = rise(read).zip(rise(write))?;
        Some((Moved { read, write }, seconds))
    }

    fn counted_of_all(&self, devices: &[&str]) -> Option<(Moved, f64)> {
        let one = |name: &&str| self.counted(self.source(name)?);
        let all: Option<Vec<(Moved, f64)>> = devices.iter().map(one).collect();
        let sum = |(moved, longest): (Moved, f64), (other, seconds)| (moved.plus(other), f64::max(longest, seconds));
        all.filter(|all| !all.is_empty()).map(|all| all.into_iter().fold((Moved::default(), 0.0), sum))
    }

    /// From a layer to the devices that it lies on; `None` where it cannot be told what those may count.
    fn of_layer(&self, layer: &'a BlockDeviceFacts, workload: &Workload) -> Option<Account<'a>> {
        let passes_on = layer.passes_on?;
        let devices: Vec<&str> = layer.lies_on.iter().map(String::as_str).collect();
        let (own, _) = self.counted(self.source(&layer.name)?)?;
        let (counted, seconds) = self.counted_of_all(&devices)?;
        let members = devices.len() as f64;
        let (due, allowed) = match passes_on {
            PassesOn::Once => alike(own),
            PassesOn::Copies => alike(Moved { write: members * own.write, ..own }),
            PassesOn::Parity => alike(Moved { read: own.read + members * own.write, write: PARITY_TIMES * own.write }),
            PassesOn::Cached => through_cache(own, self.held_back(&layer.name, &devices), workload),
        };
        Some(Account { devices, own, due, allowed, counted, seconds })
    }

    /// Bytes written to a layer before the execution that had not yet come to the devices below it.
    fn held_back(&self, layer: &str, devices: &[&str]) -> f64 {
        let Some((upper, [_, into])) = self.source(layer).and_then(|source| Some((source, columns(source)?))) else {
            return 0.0;
        };
        let lower: Vec<_> = devices.iter().filter_map(|name| self.source(name)).collect();
        let lower = lower.into_iter().filter_map(|source| Some((source, columns(source)?[1])));
        let lower: Vec<(&RecordedSource, usize)> = lower.collect();
        let out = |at_ns| lower.iter().filter_map(|(source, column)| value_near(source, *column, at_ns)).sum::<f64>();
        let since = self.from.saturating_sub(CACHED_NS);
        let inside = upper.values(into).filter(|(at_ns, _)| (since..=self.from).contains(at_ns));
        let both: Vec<(f64, f64)> = inside.map(|(at_ns, into)| (into, out(at_ns))).collect();
        let pairs = both.windows(2).filter_map(|pair| Some((pair.first()?, pair.last()?)));
        pairs.fold(0.0, |held, (before, after)| f64::max(0.0, held + (after.0 - before.0) - (after.1 - before.1)))
    }
}

/// Bytes read and written among the series of a disk.
fn columns(source: &RecordedSource) -> Option<[usize; 2]> {
    let volume: Vec<usize> = source.series_of(Quantity::Volume).collect();
    let [read, write, _discarded] = volume[..] else { return None };
    Some([read, write])
}

/// What is due and what is allowed where there is nothing between the two.
const fn alike(moved: Moved) -> (Moved, Moved) {
    (moved, moved)
}

/// What devices below a page cache surely count, and what they may. A write of less than a page reads the page first.
fn through_cache(own: Moved, held_back: f64, workload: &Workload) -> (Moved, Moved) {
    let smallest = |group: &Workload| match &group.replay {
        // The sizes of a trace are known one by one only.
        Some(_) => PAGE,
        None => group.block_sizes().into_iter().map(Bytes::as_f64).fold(READ_AHEAD, f64::min),
    };
    let block = workload.groups().map(smallest).fold(READ_AHEAD, f64::min);
    let pages = (PAGE / block.max(1.0)).max(1.0);
    let read = if pages > 1.0 { pages * own.sum() } else { own.read };
    let ahead = if own.read > 0.0 { AHEAD_AT_THE_END } else { 0.0 };
    let due = Moved { read: read + ahead, write: own.write * pages + held_back };
    if block >= READ_AHEAD || workload.groups().all(Workload::goes_in_order) {
        return alike(due);
    }
    let most =
        Moved { read: CACHE_TIMES * own.sum().max(read) + ahead, write: CACHE_TIMES * own.write * pages + held_back };
    (due, most)
}

/// From the execution to the uppermost devices.
fn of_target<'a>(subject: &Subject<'a>, window: &Window<'a>) -> Option<Account<'a>> {
    let workload = subject.execution.workload;
    let below = |device: &BlockDeviceFacts| subject.devices.iter().any(|other| other.lies_on.contains(&device.name));
    let devices: Vec<&str> =
        subject.devices.iter().filter(|device| !below(device)).map(|device| device.name.as_str()).collect();
    let (counted, seconds) = window.counted_of_all(&devices)?;
    let own = own(subject);
    let elsewhere = subject.file_system.is_some_and(|kind| WRITE_ELSEWHERE.contains(&kind));
    if let Some(files) = workload.files.as_deref() {
        let (due, allowed) = alike(of_files(subject.execution.record, files, counted));
        return Some(Account { devices, own, due, allowed, counted, seconds });
    }
    let (due, allowed) = match () {
        () if workload.groups().any(|group| !group.direct) => {
            let (due, allowed) = through_cache(own, written_late(subject, window, &devices), workload);
            let most = if elsewhere { ELSEWHERE_TIMES * own.write } else { 0.0 };
            let wider = |moved: Moved| Moved { write: moved.write.max(most), ..moved };
            (wider(due), wider(allowed))
        }
        () if elsewhere => {
            alike(Moved { read: own.read + CACHE_TIMES * own.write, write: ELSEWHERE_TIMES * own.write })
        }
        // A file system over several devices may keep a copy on each.
        () => alike(Moved { write: devices.len() as f64 * own.write, ..own }),
    };
    Some(Account { devices, own, due, allowed, counted, seconds })
}

/// What a load on files may count: whatever it wrote, since making the files is no part of the record, and as many
/// reads as its files are long, unless they come from memory. A source that is a folder may lie on the same disk.
fn of_files(record: &StepRecord, files: &FileLoad, counted: Moved) -> Moved {
    let reads = matches!(files.work, FileWork::Copy | FileWork::Read | FileWork::Verify);
    let bytes = record.read.bytes.as_f64().max(record.write.bytes.as_f64());
    Moved { read: if reads { bytes } else { 0.0 }, write: counted.write }
}

/// What the execution moved on the target, its ramp included. Zeros that a device writes itself are counted as written.
fn own(subject: &Subject<'_>) -> Moved {
    let read: f64 = subject.intervals.iter().map(|interval| interval.read.bytes.as_f64()).sum();
    let zeros = subject.intervals.iter().filter_map(|interval| interval.op(OpKind::WriteZeroes));
    let zeros: f64 = zeros.map(|zeros| zeros.bytes.as_f64()).sum();
    let write = subject.execution.record.written_total.as_f64() + zeros;
    Moved { read: read * reads_of_target(subject), write }
}

/// Bytes that earlier executions wrote into the page cache and that had not come to the devices before this one.
fn written_late(subject: &Subject<'_>, window: &Window<'_>, devices: &[&str]) -> f64 {
    let since = window.from.saturating_sub(CACHED_NS);
    let out = |at_ns: u64| {
        let each = devices.iter().filter_map(|name| {
            let source = window.source(name)?;
            value_near(source, columns(source)?[1], at_ns)
        });
        each.sum::<f64>()
    };
    let mut earlier: Vec<_> =
        subject.execution.of_run().iter().filter(|one| one.end_ns <= window.from && one.end_ns >= since).collect();
    earlier.sort_by_key(|one| one.start_ns);
    let ends = earlier.iter().skip(1).map(|next| next.start_ns).chain([window.from]);
    let each = earlier.iter().zip(ends);
    each.fold(0.0, |held, (one, until)| {
        f64::max(0.0, held + one.written_total.as_f64() - (out(until) - out(one.start_ns)))
    })
}

/// Share of the bytes read that came from the target, 0 to 1, and not from another namespace of its drive.
fn reads_of_target(subject: &Subject<'_>) -> f64 {
    let (workload, record) = (subject.execution.workload, subject.execution.record);
    let of = |elsewhere: bool| -> f64 {
        let pairs = workload.groups().zip(&record.groups).filter(|(load, _)| load.on.is_some() == elsewhere);
        pairs.map(|(_, group)| group.read.bytes.as_f64()).sum()
    };
    let (here, elsewhere) = (of(false), of(true));
    if elsewhere > 0.0 { here / (here + elsewhere) } else { 1.0 }
}

#[cfg(test)]
mod tests;
