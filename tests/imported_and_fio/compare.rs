//! Compares what drivelab issued for a batch with what fio issued: exactly if nothing is drawn according to the plan,
//! otherwise within 4.5 standard deviations.

use std::collections::{BTreeMap, BTreeSet};

use drivelab_core::load::{Arrivals, Locality, OpKind};
use drivelab_core::plan::{Action, StopRule, TestPlan};
use drivelab_core::workload::{Pattern, Workload};

use super::draw::Section;
use super::issued::{Issued, Op};

/// What is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Aspect {
    /// Operations and bytes.
    Amount,
    /// Shares of reads, writes and trims.
    Kinds,
    Sizes,
    Places,
    /// Which operation follows which.
    Order,
    Flushes,
    /// The time that the work takes at a rate, or the work done in a time.
    Pace,
    /// Properties that operations do not show: depth, pauses, the page cache, data, CPUs, the seed.
    Settings,
}

/// Standard deviations within which random values must stay.
const DEVIATIONS: f64 = 4.5;
/// Equal parts of a span in which the operations are counted.
const PARTS: u64 = 8;
/// Notes of the import that explain a difference, and the aspects that they explain.
const SAID: [(&str, &[Aspect]); 27] = [
    ("its map of blocks cuts operations", &[Aspect::Amount, Aspect::Kinds, Aspect::Sizes, Aspect::Places]),
    ("each operation begins at a multiple of its own size", &[Aspect::Places, Aspect::Order]),
    ("share one stream", &[Aspect::Places, Aspect::Order]),
    ("a jump after every", &[Aspect::Order, Aspect::Places]),
    ("draw from the stretches of all", &[Aspect::Places, Aspect::Order]),
    ("fio trims each block and then writes it", &[Aspect::Order, Aspect::Places, Aspect::Kinds]),
    ("a flush follows every write", &[Aspect::Flushes]),
    ("the files of a job become one stretch", &[Aspect::Order]),
    ("each go over the span once", &[Aspect::Places]),
    ("or does not move", &[Aspect::Order, Aspect::Places]),
    ("fio's map counts blocks of the smallest size", &[Aspect::Amount, Aspect::Places, Aspect::Order]),
    ("fio's first operation is at the start", &[Aspect::Places, Aspect::Order]),
    ("fio begins at the same place again", &[Aspect::Places, Aspect::Order]),
    ("ends in fio depends on chance", &[Aspect::Amount, Aspect::Places, Aspect::Order]),
    ("fio scatters them over the span", &[Aspect::Places]),
    ("fio also flushes after each read", &[Aspect::Flushes]),
    ("in fio each begins an increment further, and", &[Aspect::Amount, Aspect::Places, Aspect::Order]),
    ("in fio each begins an increment further, and ends", &[Aspect::Amount, Aspect::Places, Aspect::Order]),
    ("into its own file, and ends with the file", &[Aspect::Amount, Aspect::Places, Aspect::Order]),
    ("an increment further into its own file", &[Aspect::Places, Aspect::Order]),
    ("an offset without a size in bytes", &[Aspect::Amount, Aspect::Places, Aspect::Order]),
    ("in per cent of a device with a filesize", &[Aspect::Amount, Aspect::Places, Aspect::Order]),
    ("fio reads each written block back once", &[Aspect::Amount, Aspect::Kinds, Aspect::Places, Aspect::Order]),
    ("fio checks after each pass", &[Aspect::Order]),
    ("has no flushes among its writes", &[Aspect::Flushes]),
    ("drivelab pauses after every operation", &[Aspect::Pace]),
    ("it ends when [", &[Aspect::Amount, Aspect::Kinds, Aspect::Places, Aspect::Order, Aspect::Pace]),
];

/// Like [`SAID`], for other people's job files, which contain more than the table of generated ones.
const SAID_OF_OTHERS: [(&str, &[Aspect]); 6] = [
    ("or does not move", &[Aspect::Amount]),
    ("does not support zones and zoned drives", &[Aspect::Amount, Aspect::Places, Aspect::Order]),
    ("small blocks fill the rest", &[Aspect::Amount, Aspect::Kinds, Aspect::Sizes]),
    ("ioengine=null moves no data", &[Aspect::Amount, Aspect::Kinds, Aspect::Order]),
    ("nothing in between", &[Aspect::Order]),
    ("in a mix nothing is checked", &[Aspect::Amount, Aspect::Kinds, Aspect::Places, Aspect::Order]),
];

/// What fio issued beside what drivelab issued.
pub struct Pair<'p> {
    pub sections: &'p [Section],
    pub test: &'p TestPlan,
    pub fio: &'p Issued,
    pub lab: &'p Issued,
    /// Other programs have the CPUs: either program may be slower than asked, and the amount that it did until then
    /// does not count.
    pub busy: bool,
    /// The job file was generated here, not written by other people.
    pub generated: bool,
}

/// If anything is read, it is what was written.
fn reads_back(who: &str, issued: &Issued) -> Result<(), String> {
    let places = |kind| issued.all().filter(|op| op.kind == kind).map(|op| op.place).collect::<BTreeSet<u64>>();
    let (written, read) = (places(OpKind::Write), places(OpKind::Read));
    let same = read.is_empty() || read == written;
    same.then_some(()).ok_or_else(|| format!("{who} reads {} blocks back where it wrote {}", read.len(), written.len()))
}

/// The aspects of a difference that the notes of the import explain.
pub fn explained(words: &str, generated: bool) -> BTreeSet<Aspect> {
    let of_others: &[(&str, &[Aspect])] = if generated { &[] } else { &SAID_OF_OTHERS };
    let rows = SAID.iter().chain(of_others).filter(|(part, _)| words.contains(part));
    rows.flat_map(|(_, aspects)| *aspects).copied().collect()
}

impl Pair<'_> {
    /// What differs.
    pub fn differences(&self) -> Vec<(Aspect, String)> {
        let mut found = Vec::new();
        let mut say = |aspect, result: Result<(), String>| found.extend(result.err().map(|why| (aspect, why)));
        say(Aspect::Sizes, self.sizes());
        if !self.timed() || !self.busy {
            say(Aspect::Amount, self.amount());
            say(Aspect::Kinds, self.kinds());
            say(Aspect::Places, self.places());
            say(Aspect::Order, self.order());
        }
        say(Aspect::Flushes, self.flushes());
        say(Aspect::Pace, self.pace());
        found
    }

    /// The load of the test's first step, and when it ends.
    pub fn load(&self) -> (&Workload, &StopRule) {
        let io = self.test.steps.iter().find_map(|step| match &step.action {
            Action::Io { workload, stop, .. } => Some((workload, stop)),
            _ => None,
        });
        io.expect("a step with I/O")
    }

    /// The time decides how much is done: it is the only end, or it came before the others.
    fn timed(&self) -> bool {
        let stop = self.load().1;
        let only = stop.volume.is_none() && stop.operations.is_none() && stop.passes.is_none();
        stop.time.is_some_and(|time| only || self.fio.seconds >= 0.95 * time.get() as f64 / 1e9)
    }

    /// Whether there is a time to judge: the job ends by it, or it keeps a rate or pauses.
    pub fn keeps_time(&self) -> bool {
        self.timed() || self.waits()
    }

    /// Time passes between its operations, and all of that time is in both programs' figures.
    fn waits(&self) -> bool {
        let pauses = !self.load().0.pace.think_time.is_zero();
        (self.paced() || pauses) && self.sections.iter().all(|section| section.get("ramp_time").is_none())
    }

    fn paced(&self) -> bool {
        self.load().0.groups().all(|load| load.pace.rate.is_some())
    }

    /// Nothing is drawn: the operations follow from the job file alone.
    fn drawn(&self) -> bool {
        let (load, _) = self.load();
        let mixed = (1..100).contains(&load.write_percent.get()) || load.other.trim_percent.get() % 100 > 0;
        mixed || !load.block_size_mix.is_empty() || !load.beside.is_empty()
    }

    fn amount(&self) -> Result<(), String> {
        let (fio, lab) = (self.fio.count() as f64, self.lab.count() as f64);
        let words =
            format!("fio {fio} operations, {} bytes; drivelab {lab}, {} bytes", self.fio.bytes(), self.lab.bytes());
        let sizes: BTreeSet<u64> = self.fio.all().map(|op| op.length).collect();
        let allowed = match (self.timed(), self.paced(), sizes.len()) {
            (true, false, _) => return Ok(()),
            (true, true, _) => return self.at_a_rate(fio, lab).then_some(()).ok_or(words),
            (false, _, 0 | 1) if self.load().0.beside.is_empty() => 0.0,
            _ => {
                let mean = self.fio.bytes() as f64 / fio;
                let spread = self.fio.all().map(|op| (op.length as f64 - mean).powi(2)).sum::<f64>() / fio;
                DEVIATIONS * (2.0 * fio).sqrt() * spread.sqrt() / mean + 2.0 + self.fio.threads.len() as f64
            }
        };
        ((fio - lab).abs() <= allowed).then_some(()).ok_or(words)
    }

    /// Operations in a time at a rate.
    fn at_a_rate(&self, fio: f64, lab: f64) -> bool {
        let drawn =
            self.load().0.groups().any(|load| load.pace.rate.is_some_and(|rate| rate.arrivals != Arrivals::Constant));
        let chance = if drawn || self.drawn() { DEVIATIONS * (fio + lab).sqrt() } else { 0.0 };
        (fio - lab).abs() <= chance + 0.04 * fio + 2.0
    }

    fn kinds(&self) -> Result<(), String> {
        if self.timed() && !self.paced() && self.load().0.groups().any(|load| load.pace.rate.is_some()) {
            return self.paced_kinds();
        }
        for kind in [OpKind::Read, OpKind::Write, OpKind::Trim] {
            let of = |issued: &Issued| issued.all().filter(|op| op.kind == kind).count();
            let parts = (of(self.fio), self.fio.count(), of(self.lab), self.lab.count());
            share(kind.name(), parts)?;
        }
        Ok(())
    }

    /// Within a time, the kinds with a rate do the same; the others do what the machine allows.
    fn paced_kinds(&self) -> Result<(), String> {
        for load in self.load().0.groups().filter(|load| load.pace.rate.is_some()) {
            let kind = if load.write_percent.get() > 0 { OpKind::Write } else { OpKind::Read };
            let of = |issued: &Issued| issued.all().filter(|op| op.kind == kind).count() as f64;
            let (fio, lab) = (of(self.fio), of(self.lab));
            self.at_a_rate(fio, lab).then_some(()).ok_or(format!("{}: fio {fio}, drivelab {lab}", kind.name()))?;
        }
        Ok(())
    }

    fn sizes(&self) -> Result<(), String> {
        for kind in [OpKind::Read, OpKind::Write, OpKind::Trim] {
            let (fio, lab) = (lengths(self.fio, kind), lengths(self.lab, kind));
            let all = |sizes: &BTreeMap<u64, usize>| sizes.values().sum::<usize>();
            if all(&fio).min(all(&lab)) == 0 {
                continue;
            }
            for size in fio.keys().chain(lab.keys()) {
                let of = |sizes: &BTreeMap<u64, usize>| sizes.get(size).copied().unwrap_or(0);
                share(&format!("{} of {size} bytes", kind.name()), (of(&fio), all(&fio), of(&lab), all(&lab)))?;
            }
        }
        Ok(())
    }

    fn places(&self) -> Result<(), String> {
        let (load, _) = self.load();
        let end = load.groups().map(|group| group.span.end()).max().unwrap_or(0) - load.span.offset.get();
        // A span is a whole number of the largest blocks; fio goes to its last byte.
        let most = end + load.block_size.get() - 1;
        if let Some(op) = self.fio.all().find(|op| op.place + op.length > most) {
            return Err(format!("fio goes to {} with {} bytes, the plan to {end}", op.place, op.length));
        }
        let blocks = (load.span.length.get() / load.block_size.get().max(1)).max(1);
        let checked = !load.verify.is_off();
        let passed = self.lab.all().filter(|op| !checked || op.kind == OpKind::Write).count() as u64;
        let part = load.pattern == Pattern::RandomOnce && !passed.is_multiple_of(blocks);
        if part && checked {
            // Each program drew its own part of the blocks, and reads that part back.
            [("fio", self.fio), ("drivelab", self.lab)]
                .into_iter()
                .try_for_each(|(who, issued)| reads_back(who, issued))?;
        }
        let free = load.pattern == Pattern::Random || part || !load.seek_percent.is_zero();
        if !self.drawn() && !free && !self.timed() {
            let sorted = |issued: &Issued| {
                let mut all: Vec<Op> = issued.all().copied().collect();
                all.sort_unstable_by_key(Op::key);
                all
            };
            let (fio, lab) = (sorted(self.fio), sorted(self.lab));
            let other = fio.iter().zip(&lab).find(|(one, other)| one != other);
            return other
                .map_or(Ok(()), |(fio, lab)| Err(format!("sorted, fio has {fio:?} where drivelab has {lab:?}")));
        }
        if matches!(load.locality, Locality::Zipf { .. } | Locality::Pareto { .. }) {
            return self.hot();
        }
        if self.timed() && !self.paced() {
            return Ok(());
        }
        let (fio, lab) = self.compared_places();
        for part in 0..PARTS {
            let inside = |place: &&u64| (*place * PARTS / end.max(1)).min(PARTS - 1) == part;
            let of = |places: &[u64]| (places.iter().filter(inside).count(), places.len());
            let (fio, lab) = (of(&fio), of(&lab));
            let parts = (fio.0, fio.1, lab.0, lab.1);
            wider(&format!("part {part} of {PARTS}"), parts, runs(load))?;
        }
        Ok(())
    }

    /// The places of fio's and of drivelab's operations. In a sequential mix, fio keeps the share of each kind exactly
    /// and drivelab draws it, so one of them comes further: only as many of a kind as both have are taken, the lowest.
    fn compared_places(&self) -> (Vec<u64>, Vec<u64>) {
        let load = self.load().0;
        let is_mix = load.pattern == Pattern::Sequential && (1..100).contains(&load.write_percent.get());
        if !is_mix {
            let of = |issued: &Issued| issued.all().map(|op| op.place).collect();
            return (of(self.fio), of(self.lab));
        }
        let (mut fio, mut lab) = (Vec::new(), Vec::new());
        for kind in OpKind::ALL {
            let sorted = |issued: &Issued| {
                let mut places: Vec<u64> = issued.all().filter(|op| op.kind == kind).map(|op| op.place).collect();
                places.sort_unstable();
                places
            };
            let (of_fio, of_lab) = (sorted(self.fio), sorted(self.lab));
            let both = of_fio.len().min(of_lab.len());
            fio.extend_from_slice(&of_fio[..both]);
            lab.extend_from_slice(&of_lab[..both]);
        }
        (fio, lab)
    }

    /// The share of the hottest blocks, wherever they are.
    fn hot(&self) -> Result<(), String> {
        let of = |issued: &Issued, most: usize| {
            let mut often: BTreeMap<u64, usize> = BTreeMap::new();
            issued.all().for_each(|op| *often.entry(op.place).or_default() += 1);
            let mut often: Vec<usize> = often.into_values().collect();
            often.sort_unstable_by(|one, other| other.cmp(one));
            often.into_iter().take(most).sum::<usize>()
        };
        for most in [1, 10, 100] {
            let parts = (of(self.fio, most), self.fio.count(), of(self.lab, most), self.lab.count());
            share(&format!("the {most} hottest blocks"), parts)?;
        }
        Ok(())
    }

    /// Operations that continue where the last one of their kind in the thread ended.
    fn order(&self) -> Result<(), String> {
        let (load, _) = self.load();
        if load.pattern == Pattern::Sequential && load.seek_percent.is_zero() && !self.drawn() && !self.timed() {
            let sorted = |issued: &Issued| {
                let mut threads = issued.threads.clone();
                threads.sort_by_key(|thread| thread.first().map(Op::key));
                threads
            };
            return (sorted(self.fio) == sorted(self.lab)).then_some(()).ok_or("in another order".to_owned());
        }
        let (fio, lab) = (following(self.fio), following(self.lab));
        if load.pattern == Pattern::RandomOnce {
            // If fio draws a block that it has used before, it takes the next free one, so more operations follow each
            // other.
            let blocks = (load.span.length.get() / load.block_size.get().max(1)).max(1) as usize;
            // Other people's files may have spans of a few blocks, of which many follow each other by chance.
            let by_chance = if self.generated { 0 } else { 10 * lab.1 / blocks };
            let near = lab.0 * 10 <= lab.1 + 20 + by_chance && fio.0 * 2 <= fio.1 + 20;
            return near.then_some(()).ok_or(format!("fio {fio:?} and drivelab {lab:?} follow"));
        }
        share("operations that follow the one before", (fio.0, fio.1, lab.0, lab.1))
    }

    fn flushes(&self) -> Result<(), String> {
        let (fio, lab) = (self.fio.flushes as f64, self.lab.flushes as f64);
        let writes = self.fio.all().filter(|op| op.kind == OpKind::Write).count() as f64;
        let every = (writes / fio.max(1.0)).max(1.0);
        let chance = if self.drawn() { DEVIATIONS * (2.0 * writes).sqrt() / every } else { 0.0 };
        let near = (fio - lab).abs() <= chance + 2.0 * self.fio.threads.len() as f64;
        near.then_some(()).ok_or(format!("fio flushes {fio} times, drivelab {lab}"))
    }

    /// The time that a number of operations takes at a rate. If it is slower than asked, the machine is the cause.
    fn pace(&self) -> Result<(), String> {
        let (load, _) = self.load();
        if self.timed() || !self.waits() {
            return Ok(());
        }
        let (fio, lab) = (self.fio.seconds, self.lab.seconds);
        let chance = DEVIATIONS * (2.0 / self.fio.count().max(1) as f64).sqrt();
        let drawn = load.groups().any(|load| load.pace.rate.is_some_and(|rate| rate.arrivals != Arrivals::Constant));
        let allowed = 0.05 + if drawn || self.drawn() { chance } else { 0.0 };
        // A pause comes in addition to the time of an operation, which depends on the machine. A busy machine does not
        // show how early is too early either; `settings` checks that there is a rate.
        let slowest = if self.busy {
            0.0
        } else if self.paced() {
            fio - allowed * fio.max(lab)
        } else {
            fio / 4.0
        };
        let near = (slowest - 0.01..=fio * (1.0 + allowed) + 0.01).contains(&lab);
        near.then_some(()).ok_or(format!("fio takes {fio:.3} s, drivelab {lab:.3} s"))
    }
}

fn lengths(issued: &Issued, kind: OpKind) -> BTreeMap<u64, usize> {
    let mut all = BTreeMap::new();
    issued.all().filter(|op| op.kind == kind).for_each(|op| *all.entry(op.length).or_default() += 1);
    all
}

/// Operations that begin where the last one of their kind in the thread ended, and all operations with a predecessor.
fn following(issued: &Issued) -> (usize, usize) {
    let (mut follow, mut all) = (0, 0);
    for thread in &issued.threads {
        let mut ends: BTreeMap<&str, u64> = BTreeMap::new();
        for op in thread {
            if let Some(end) = ends.insert(op.kind.name(), op.place + op.length) {
                all += 1;
                follow += usize::from(end == op.place);
            }
        }
    }
    (follow, all)
}

/// The factor by which counts of places vary more if operations follow each other until the next jump.
fn runs(load: &Workload) -> f64 {
    let jumps = load.groups().map(|group| f64::from(group.seek_percent.get()) / 100.0);
    jumps.filter(|jumps| *jumps > 0.0).map(|jumps| ((2.0 - jumps) / jumps).sqrt()).fold(1.0, f64::max)
}

/// Two shares agree as far as chance allows; exactly if they are zero or everything for both.
fn share(what: &str, parts: (usize, usize, usize, usize)) -> Result<(), String> {
    wider(what, parts, 1.0)
}

/// The same, with chance wider by this factor.
fn wider(what: &str, (one, all, other, of_all): (usize, usize, usize, usize), by: f64) -> Result<(), String> {
    if all == 0 || of_all == 0 {
        return (all == of_all).then_some(()).ok_or(format!("{what}: {all} operations and {of_all}"));
    }
    let (first, second) = (one as f64 / all as f64, other as f64 / of_all as f64);
    let both = (one + other) as f64 / (all + of_all) as f64;
    let deviation = (both * (1.0 - both) * (1.0 / all as f64 + 1.0 / of_all as f64)).sqrt();
    // Counts are whole: a difference of one operation of the smaller number does not count.
    let near = (first - second).abs() <= by * DEVIATIONS * deviation + 1.5 / all.min(of_all) as f64;
    near.then_some(()).ok_or(format!("{what}: fio {one} of {all}, drivelab {other} of {of_all}"))
}
