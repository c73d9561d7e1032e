//! Other I/O on the target's devices while an execution ran: on the measured device and on every device below it.
//!
//! The kernel counts the bytes and operations of each device, whoever issued them. The I/O of drivelab is on record.
//! The I/O that a layer (encryption, a volume, an array, a loop device) passes on follows from what the layer itself
//! counted ([`passed`]). Anything that a device counted beyond that is other I/O: another program, a resync, or earlier
//! writes that had not yet reached it.

use drivelab_core::environment::{BlockDeviceFacts, PassesOn};
use drivelab_core::files::{FileLoad, FileSync, FileWork};
use drivelab_core::finding::{Evidence, Finding};
use drivelab_core::load::OpKind;
use drivelab_core::record::{IntervalRecord, OpRecord, StepRecord};
use drivelab_core::run::RunRecords;
use drivelab_core::telemetry::{About, Quantity, Recorded, RecordedSource, SourceKind};
use drivelab_core::units::Bytes;
use drivelab_core::workload::Workload;

use super::passed::{self, Moved};
use super::words as text;
use crate::check::{Seen, Spoils, Subject, Voids, told};
use crate::evidence::evidence;
use crate::topics::telemetry::{around, value_near};

/// Other bytes that are tolerated, as a share of the execution's own: the file system's journal and the bundle are not
/// counted and stay below.
pub(super) const FOREIGN_SHARE: f64 = 0.05;
/// And this many bytes per second: less disturbs no figure.
const FOREIGN_RATE: f64 = 1e6;
/// Other operations per second below which nothing is marked. Operations are judged as well as bytes: 200 reads of
/// 4 KiB a second are only 0.8 MB/s, but all that a hard disk can do.
const FOREIGN_OPERATIONS: f64 = 20.0;
/// Shortest time to which that limit is applied, in seconds: journals write several dozen at once every few seconds.
const FOREIGN_OPERATIONS_S: f64 = 5.0;
/// Share of the execution's own operations above which other operations are marked whatever their rate: in a step of
/// one second, or beside a slow load, they stay below the limits above.
const MANY_SHARE: f64 = 0.5;
/// Other operations below which that share shows nothing.
const MANY_FROM: f64 = 25.0;
/// Bytes of the largest operation that surely no device splits, if the device's own limit is not on record.
const WHOLE: f64 = 65_536.0;
/// Most bytes of its journal that the file system below a loop device writes for a flush.
const JOURNAL_OF_FLUSH: f64 = 16_384.0;
/// Flushes per second for which it usually does: if all blocks of the file are allocated, only its modification time is
/// new, which changes with the clock's tick. Seen on ext4: 1.1 MB/s at 2,900 flushes per second.
const JOURNALED_FLUSHES: f64 = 250.0;
/// How far back writes are traced that a page cache may still hold: the kernel writes them within half a minute.
pub(super) const CACHED_NS: u64 = 120_000_000_000;

/// A layer at which bytes are counted twice: as they go in, and by the devices that they go to.
struct Account<'a> {
    /// The devices that they go to.
    devices: Vec<&'a str>,
    /// The I/O that went in.
    own: Moved,
    /// How much of it the devices surely count.
    due: Moved,
    /// How much of it they may count.
    allowed: Moved,
    /// The I/O that they counted.
    counted: Moved,
    /// Time between the readings of the counters, seconds.
    seconds: f64,
    /// The same by the number of operations, if one operation that goes in is one that comes out.
    operations: Option<Operations>,
}

/// Operations of an account.
struct Operations {
    own: Moved,
    /// The most that the device counts of them.
    due: Moved,
    counted: Moved,
}

/// Operations that go into a device.
#[derive(Clone, Copy)]
struct Issued {
    own: Moved,
    bytes: Moved,
    /// Flushes: a device-mapper layer counts each as a write, the head of a multipath drive as a read, most others as
    /// neither.
    flushes: f64,
    /// How many requests the device may split them into.
    split: Split,
}

/// How many requests a device may split operations into.
#[derive(Clone, Copy)]
enum Split {
    /// Each operation into at most this many.
    Each(f64),
    /// One more for every this many bytes.
    Bytes(f64),
}

impl Issued {
    /// The most operations that the device counts of them.
    fn most(self) -> Moved {
        let split = match self.split {
            Split::Each(parts) => self.own.times(parts),
            Split::Bytes(each) => self.own.plus(self.bytes.times(1.0 / each)),
        };
        split.plus(Moved { read: self.flushes, write: self.flushes })
    }
}

/// Other I/O, as evidence; it spoils the figures.
pub(crate) fn others(subject: &Subject<'_>) -> Vec<Seen> {
    seen(subject, Spoils::Worse)
}

/// I/O that may be other I/O or that of the target's own stack (a page cache, an array with parity, a copy-on-write
/// file system).
pub(crate) fn perhaps_others(subject: &Subject<'_>) -> Vec<Seen> {
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

/// A load on files was watched, for which only reads are judged.
pub(crate) fn writes_not_judged(subject: &Subject<'_>) -> Vec<Seen> {
    let is_judged = subject.execution.workload.files.is_some() && !accounts(subject).is_empty();
    told(subject, is_judged.then(Vec::new))
}

/// The devices of an account with the evidence, if there was enough other I/O to matter.
fn judge<'a>(account: &Account<'a>, how: Spoils) -> Option<Vec<(&'a str, Vec<Evidence>)>> {
    let names = account.devices.join(" and ");
    let mut evidence = by_bytes(account, &names, how).unwrap_or_default();
    if how == Spoils::Worse {
        let operations = account.operations.as_ref();
        evidence.extend(operations.and_then(|all| by_operations(all, account.seconds, &names)).unwrap_or_default());
    }
    if evidence.is_empty() {
        return None;
    }
    let each = account.devices.iter().map(|name| (*name, std::mem::take(&mut evidence)));
    Some(each.collect())
}

fn by_bytes(account: &Account<'_>, names: &str, how: Spoils) -> Option<Vec<Evidence>> {
    let (allowed, what) = match how {
        Spoils::Worse => (account.allowed, "other bytes on"),
        Spoils::Perhaps => (account.due, "bytes beyond those issued on"),
    };
    let (foreign, own) = (account.counted.beyond(allowed), account.own.sum());
    let limit = (FOREIGN_SHARE * own).max(FOREIGN_RATE * account.seconds);
    let of_others = || evidence(&format!("{what} {names}"), foreign, Some(limit), "B");
    let of_own = || evidence(&format!("bytes of this execution on {names}"), own, None, "B");
    (foreign > limit).then(|| vec![of_others(), of_own()])
}

fn by_operations(all: &Operations, seconds: f64, names: &str) -> Option<Vec<Evidence>> {
    let (foreign, own) = (all.counted.beyond(all.due), all.own.sum());
    let usual = (FOREIGN_SHARE * own).max(FOREIGN_OPERATIONS * seconds.max(FOREIGN_OPERATIONS_S));
    let limit = usual.min((MANY_SHARE * own).max(MANY_FROM));
    let of_others = || evidence(&format!("other operations on {names}"), foreign, Some(limit), "");
    let of_own = || evidence(&format!("operations of this execution on {names}"), own, None, "");
    (foreign > limit).then(|| vec![of_others(), of_own()])
}

/// Layers whose I/O to the devices below is unknown, so that nothing is judged there. `None` if no disk was watched,
/// which another finding reports.
pub(crate) fn not_judged_below(records: &RunRecords) -> Option<Finding> {
    let counts = |source: &RecordedSource| source.description.kind == SourceKind::DiskStats;
    let is_watched = !records.steps.is_empty() && records.telemetry.sources.iter().any(counts);
    let devices = records.environment.target.devices.iter();
    let unknown = devices.filter(|device| is_watched && !device.lies_on.is_empty() && device.passes_on.is_none());
    let names: Vec<&str> = unknown.map(|device| device.name.as_str()).collect();
    (!names.is_empty()).then(|| text::layers_not_judged(&names))
}

fn accounts<'a>(subject: &Subject<'a>) -> Vec<Account<'a>> {
    let Some(recorded) = subject.execution.watched else { return Vec::new() };
    let record = subject.execution.record;
    let from = subject.intervals.first().map_or(record.start_ns, |first| first.start_ns.min(record.start_ns));
    let window = Window { recorded, from, to: record.end_ns };
    let of_layer = |device: &'a BlockDeviceFacts| window.of_layer(device, subject);
    let top = of_target(subject, &window);
    top.into_iter().chain(subject.devices.iter().filter_map(of_layer)).collect()
}

/// The counters of a device; `None` if it was not watched.
pub(super) fn counters_of<'a>(recorded: &'a Recorded, device: &str) -> Option<&'a RecordedSource> {
    let of_device = |source: &&RecordedSource| {
        let about = &source.description.about;
        source.description.kind == SourceKind::DiskStats && matches!(about, About::Drive(name) if name == device)
    };
    recorded.sources.iter().find(of_device)
}

/// The time of the execution in the recording of the run.
struct Window<'a> {
    recorded: &'a Recorded,
    from: u64,
    to: u64,
}

impl<'a> Window<'a> {
    fn source(&self, device: &str) -> Option<&'a RecordedSource> {
        counters_of(self.recorded, device)
    }

    /// What a device counted between the readings at the start and end of the execution, bytes or operations, and the
    /// seconds between those readings.
    fn counted(&self, source: &RecordedSource, quantity: Quantity) -> Option<(Moved, f64)> {
        let [read, write] = columns(source, quantity)?;
        let rise = |column| {
            let [(before, first), (after, last)] = around(source, column, self.from, self.to)?;
            let whole = before <= self.from && after >= self.to;
            whole.then(|| (last - first, (after - before) as f64 / 1e9))
        };
        let ((read, seconds), (write, _)) = rise(read).zip(rise(write))?;
        Some((Moved { read, write }, seconds))
    }

    fn counted_of_all(&self, devices: &[&str]) -> Option<(Moved, f64)> {
        let one = |name: &&str| self.counted(self.source(name)?, Quantity::Volume);
        let all: Option<Vec<(Moved, f64)>> = devices.iter().map(one).collect();
        let sum = |(moved, longest): (Moved, f64), (other, seconds)| (moved.plus(other), f64::max(longest, seconds));
        all.filter(|all| !all.is_empty()).map(|all| all.into_iter().fold((Moved::default(), 0.0), sum))
    }

    /// Operations that a device counted.
    fn operations(&self, device: &str) -> Option<Moved> {
        self.counted(self.source(device)?, Quantity::Operations).map(|(operations, _)| operations)
    }

    /// From a layer to the devices below it; `None` if it is unknown what those may count.
    fn of_layer(&self, layer: &'a BlockDeviceFacts, subject: &Subject<'_>) -> Option<Account<'a>> {
        let passes_on = layer.passes_on?;
        let workload = subject.execution.workload;
        let devices: Vec<&str> = layer.lies_on.iter().map(String::as_str).collect();
        let (own, _) = self.counted(self.source(&layer.name)?, Quantity::Volume)?;
        let (counted, seconds) = self.counted_of_all(&devices)?;
        let number = self.operations(&layer.name);
        let array = || {
            let bitmap = passed::bitmap(number.unwrap_or_default().write, layer, workload, seconds);
            passed::Array { members: passed::members(layer, subject.devices), bitmap }
        };
        let (due, allowed) = match passes_on {
            PassesOn::Once => passed::alike(own),
            PassesOn::Copies => array().copies(own, None),
            PassesOn::TwoCopies => array().copies(own, Some(2.0)),
            PassesOn::OneParity => array().parity(own, 1.0, workload),
            PassesOn::Parity => array().parity(own, 2.0, workload),
            PassesOn::Cached => passed::through_cache(own, self.held_back(&layer.name, &devices), workload),
        };
        let flushes = flushes_of(subject, number.unwrap_or_default());
        let journal = layer.transport == "loop" && workload.writes();
        let of_journal = |flushes: f64| if journal { JOURNAL_OF_FLUSH * flushes } else { 0.0 };
        let due = due.and_writes(of_journal(flushes.min(JOURNALED_FLUSHES * seconds)));
        let allowed = allowed.and_writes(of_journal(flushes));
        let number = number.filter(|_| passes_on == PassesOn::Once);
        // Layers other than a loop device split by limits of their own.
        let whole = lowest_request(subject, &devices).filter(|_| layer.transport == "loop");
        let split = Split::Bytes(whole.map_or(WHOLE, Bytes::as_f64));
        let issued = number.map(|number| Issued { own: number, bytes: own, flushes, split });
        let operations = issued.and_then(|issued| self.by_operation(&devices, issued, journal));
        Some(Account { devices, own, due, allowed, counted, seconds, operations })
    }

    /// What goes to one device, operation by operation. If a file system keeps a `journal` of what the load writes,
    /// that is few bytes but many operations, so nothing is concluded from writes.
    fn by_operation(&self, devices: &[&str], issued: Issued, journal: bool) -> Option<Operations> {
        let [device] = devices else { return None };
        let counted = self.operations(device)?;
        let most = issued.most();
        let write = if journal { most.write.max(counted.write) } else { most.write };
        Some(Operations { own: issued.own, due: Moved { write, ..most }, counted })
    }

    /// Bytes written to a layer before the execution that had not yet reached the devices below it.
    fn held_back(&self, layer: &str, devices: &[&str]) -> f64 {
        let volume = |source| columns(source, Quantity::Volume);
        let Some((upper, [_, into])) = self.source(layer).and_then(|source| Some((source, volume(source)?))) else {
            return 0.0;
        };
        let lower: Vec<_> = devices.iter().filter_map(|name| self.source(name)).collect();
        let lower = lower.into_iter().filter_map(|source| Some((source, volume(source)?[1])));
        let lower: Vec<(&RecordedSource, usize)> = lower.collect();
        let out = |at_ns| lower.iter().filter_map(|(source, column)| value_near(source, *column, at_ns)).sum::<f64>();
        let since = self.from.saturating_sub(CACHED_NS);
        let inside = upper.values(into).filter(|(at_ns, _)| (since..=self.from).contains(at_ns));
        let both: Vec<(f64, f64)> = inside.map(|(at_ns, into)| (into, out(at_ns))).collect();
        let pairs = both.windows(2).filter_map(|pair| Some((pair.first()?, pair.last()?)));
        pairs.fold(0.0, |held, (before, after)| f64::max(0.0, held + (after.0 - before.0) - (after.1 - before.1)))
    }
}

/// Reads and writes among the series of a disk, in bytes or by their number.
fn columns(source: &RecordedSource, quantity: Quantity) -> Option<[usize; 2]> {
    let all: Vec<usize> = source.series_of(quantity).collect();
    let [read, write, _discarded] = all[..] else { return None };
    Some([read, write])
}

/// From the execution to the uppermost devices.
fn of_target<'a>(subject: &Subject<'a>, window: &Window<'a>) -> Option<Account<'a>> {
    let workload = subject.execution.workload;
    let below = |device: &BlockDeviceFacts| subject.devices.iter().any(|other| other.lies_on.contains(&device.name));
    let devices: Vec<&str> =
        subject.devices.iter().filter(|device| !below(device)).map(|device| device.name.as_str()).collect();
    let (counted, seconds) = window.counted_of_all(&devices)?;
    let own = own(subject);
    if let Some(files) = workload.files.as_deref() {
        let (due, allowed) = passed::alike(of_files(subject.execution.record, files, counted));
        return Some(Account { devices, own, due, allowed, counted, seconds, operations: None });
    }
    let number = own_operations(subject);
    let elsewhere = subject.file_system.is_some_and(passed::writes_elsewhere);
    let cached = workload.groups().any(|group| !group.direct);
    // A file system over several devices may keep a copy on each.
    let copies = Moved { write: devices.len() as f64 * own.write, ..own };
    let (due, allowed) = match (cached, elsewhere) {
        (true, elsewhere) => {
            let cache = passed::through_cache(own, written_late(subject, window, &devices), workload);
            if elsewhere { passed::elsewhere(own, cache, number.write, devices.len(), workload) } else { cache }
        }
        (false, true) => passed::elsewhere(own, passed::alike(own), number.write, devices.len(), workload),
        (false, false) => passed::alike(copies),
    };
    let journal = subject.file_system.is_some() && workload.changes_target();
    // Each hole in a file changes its map, which the journal records, so nothing follows from what is written.
    let of_holes = if journal && workload.issues(OpKind::Trim) { counted.write } else { 0.0 };
    let (due, allowed) = (due.and_writes(of_holes), allowed.and_writes(of_holes));
    let parts = lowest_request(subject, &devices).and_then(|request| parts_of(workload, request));
    let split = parts.map_or(Split::Bytes(WHOLE), Split::Each);
    let issued = Issued { own: number, bytes: own, flushes: flushes_of(subject, number), split };
    let one_for_one = (!cached && !elsewhere).then_some(issued);
    let operations = one_for_one.and_then(|issued| window.by_operation(&devices, issued, journal));
    Some(Account { devices, own, due, allowed, counted, seconds, operations })
}

/// The smallest `request_size` of these devices; `None` if one of them has none on record.
fn lowest_request(subject: &Subject<'_>, names: &[&str]) -> Option<Bytes> {
    let of = |name: &&str| subject.devices.iter().find(|device| device.name == **name)?.request_size;
    names.iter().map(of).collect::<Option<Vec<Bytes>>>()?.into_iter().min()
}

/// The most requests that an operation of a load is split into, if one takes `request` bytes; `None` for a trace, whose
/// sizes differ from operation to operation.
fn parts_of(workload: &Workload, request: Bytes) -> Option<f64> {
    let request = request.get().max(1);
    let of_block = |block: Bytes| {
        // If neither is a multiple of the other, an operation may cross one more border.
        let (block, odd) = (block.get(), !request.is_multiple_of(block.get()) && !block.get().is_multiple_of(request));
        block.div_ceil(request) + u64::from(odd)
    };
    let of_group = |group: &Workload| match group.replay {
        Some(_) => None,
        None => group.block_sizes().into_iter().map(of_block).max(),
    };
    let all: Option<Vec<u64>> = workload.groups().map(of_group).collect();
    all?.into_iter().max().map(|parts| parts as f64)
}

/// The I/O that a load on files may cause: any writes, because the record does not include the creation of the files,
/// and as many bytes read as its files are long, unless they come from memory. A source folder may be on the same disk.
fn of_files(record: &StepRecord, files: &FileLoad, counted: Moved) -> Moved {
    let reads = matches!(files.work, FileWork::Copy | FileWork::Read | FileWork::Verify);
    let bytes = record.read.bytes.as_f64().max(record.write.bytes.as_f64());
    Moved { read: if reads { bytes } else { 0.0 }, write: counted.write }
}

/// The bytes that the execution moved on the target, its ramp included. Zeros that a device writes itself count as
/// written.
fn own(subject: &Subject<'_>) -> Moved {
    let read: f64 = subject.intervals.iter().map(|interval| interval.read.bytes.as_f64()).sum();
    let zeros = subject.intervals.iter().filter_map(|interval| interval.op(OpKind::WriteZeroes));
    let zeros: f64 = zeros.map(|zeros| zeros.bytes.as_f64()).sum();
    let write = subject.execution.record.written_total.as_f64() + zeros;
    Moved { read: read * reads_of_target(subject, |read| read.bytes.as_f64()), write }
}

/// The same by the number of operations; those that wrote after the last interval count as long as those before.
fn own_operations(subject: &Subject<'_>) -> Moved {
    let sum = |of: &dyn Fn(&IntervalRecord) -> f64| subject.intervals.iter().map(|interval| of(interval)).sum::<f64>();
    let zeros = |interval: &IntervalRecord| interval.op(OpKind::WriteZeroes).map_or(0.0, |zeros| zeros.count as f64);
    let seen = sum(&|interval| interval.write.bytes.as_f64());
    let late = if seen > 0.0 { (subject.execution.record.written_total.as_f64() / seen).max(1.0) } else { 1.0 };
    let read = sum(&|interval| interval.read.count as f64) * reads_of_target(subject, |read| read.count as f64);
    Moved { read, write: late * sum(&|interval| interval.write.count as f64) + sum(&zeros) }
}

/// Bytes that earlier executions wrote into the page cache and that had not reached the devices before this one.
fn written_late(subject: &Subject<'_>, window: &Window<'_>, devices: &[&str]) -> f64 {
    let since = window.from.saturating_sub(CACHED_NS);
    let out = |at_ns: u64| {
        let each = devices.iter().filter_map(|name| {
            let source = window.source(name)?;
            value_near(source, columns(source, Quantity::Volume)?[1], at_ns)
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

/// Flushes that reach the devices of the execution. For sets of files that are synced one by one they are not on
/// record: at most one for each write that the kernel counted.
fn flushes_of(subject: &Subject<'_>, number: Moved) -> f64 {
    if subject.execution.workload.files.as_ref().is_some_and(|files| files.sync == FileSync::Each) {
        return number.write;
    }
    let flushes = subject.intervals.iter().filter_map(|interval| interval.op(OpKind::Flush));
    flushes.map(|flushes| flushes.count as f64).sum()
}

/// Share of the reads, measured by `of`, that came from the target and not from another namespace of its drive, 0 to 1.
fn reads_of_target(subject: &Subject<'_>, of: impl Fn(&OpRecord) -> f64) -> f64 {
    let (workload, record) = (subject.execution.workload, subject.execution.record);
    let sum = |elsewhere: bool| -> f64 {
        let pairs = workload.groups().zip(&record.groups).filter(|(load, _)| load.on.is_some() == elsewhere);
        pairs.map(|(_, group)| of(&group.read)).sum()
    };
    let (here, elsewhere) = (sum(false), sum(true));
    if elsewhere > 0.0 { here / (here + elsewhere) } else { 1.0 }
}

#[cfg(test)]
mod tests;
