//! Rates, pauses and proportions of a job.
//!
//! Facts: fio has a rate each for reads, writes and trims. It counts them in bytes, and every operation as one of the
//! smallest size, unless arrivals are exponential (init.c setup_rate, io_u.c rate_ddir). Must not know: sizes, order.

use super::super::State;
use super::super::fields::{Parted, READS, TRIMS};
use super::super::job::{Job, field};
use super::types::{Direction, Load};
use crate::draft::{Origin, quoted, time};
use crate::notes::Fate;

/// Rates of one thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rate {
    /// Operations per second.
    Operations(u64),
    /// Bytes per second.
    Bytes(u64),
}

impl Rate {
    /// The number, whatever it counts.
    pub(super) const fn number(self) -> u64 {
        match self {
            Rate::Operations(number) | Rate::Bytes(number) => number,
        }
    }

    /// The rate of a load that issues a trim and a write for each operation of fio: fio counts the two separately.
    const fn doubled(self) -> Rate {
        match self {
            Rate::Operations(number) => Rate::Operations(number.saturating_mul(2)),
            Rate::Bytes(number) => Rate::Bytes(number.saturating_mul(2)),
        }
    }

    /// As the language writes it, for this many threads.
    pub(super) fn toml(self, threads: u64) -> String {
        let threads = threads.max(1);
        quoted(&match self {
            Rate::Operations(rate) => format!("{} IOPS", rate.saturating_mul(threads)),
            Rate::Bytes(rate) => format!("{} B/s", rate.saturating_mul(threads)),
        })
    }
}

/// Sets rate and pauses of a load with one kind of operation.
pub(super) fn pace(job: &Job, direction: &Direction, load: &mut Load, state: &mut State) {
    if let Some(rate) = rate(job, direction.field, load, state) {
        set(job, if load.twice { rate.doubled() } else { rate }, load, state);
    }
    pauses(job, load, state);
}

/// The rate of a direction, if the job states one.
pub(super) fn rate(job: &Job, direction: usize, load: &Load, state: &mut State) -> Option<Rate> {
    /// Highest rate in operations per second that the language accepts.
    const MOST: u64 = 1_000_000_000;
    let mut found = None;
    let stated = |key: &str| {
        (READS..=TRIMS).any(|kind| field(job, key, Parted::Numbers, kind).and_then(|text| job.part(text)) > Some(0))
    };
    if stated("rate") && stated("rate_iops") {
        job.both("rate", "rate_iops", state);
    }
    for key in ["rate", "rate_iops"] {
        if job.ask(key, state).is_none() {
            continue;
        }
        let Some(text) = field(job, key, Parted::Numbers, direction) else { continue };
        let Some(rate) = job.part(text) else {
            job.wrong(key, "operations or bytes per second, such as 1000 or 10m", state);
            continue;
        };
        if rate == 0 {
            continue;
        }
        let smallest = load.sizes.iter().map(|(size, _)| *size).min().unwrap_or(1).max(1);
        let operations = if key == "rate" { rate / smallest } else { rate };
        let often = if load.twice { 2 } else { 1 };
        if operations.saturating_mul(load.threads).saturating_mul(often) > MOST {
            job.wrong(key, "at most 1,000,000,000 operations per second of all jobs together", state);
        }
        let bytes = if key == "rate" { rate } else { rate.saturating_mul(smallest) };
        if bytes.saturating_mul(1000).saturating_mul(load.threads) < load.largest {
            job.wrong(key, "at least one operation in 1,000 s", state);
        }
        let drawn = job.text("rate_process", state).as_deref() == Some("poisson");
        found = Some(match (key, load.several_sizes(), drawn) {
            ("rate", true, true) => {
                let why = "fio draws the times of operations as if each had the smallest size; drivelab does the same";
                job.say(key, Fate::Changed, why, state);
                Rate::Operations(operations.max(1))
            }
            ("rate", ..) => Rate::Bytes(rate),
            (_, true, false) => {
                let why = "fio counts this rate in bytes, and each operation as one of the smallest size; drivelab does the same";
                job.say(key, Fate::Changed, why, state);
                Rate::Bytes(rate.saturating_mul(smallest))
            }
            _ => Rate::Operations(rate),
        });
    }
    found
}

/// Writes the rate into the load.
pub(super) fn set(job: &Job, rate: Rate, load: &mut Load, state: &mut State) {
    let why = "operations arrive at this rate whatever the target does; fio's job waits when its queue is full";
    for key in ["rate", "rate_iops"].into_iter().filter(|key| job.peek(key).is_some()) {
        job.say(key, Fate::Changed, why, state);
    }
    load.table.set("rate", rate.toml(load.threads), Origin::Stated);
    if job.text("rate_process", state).as_deref() == Some("poisson") {
        load.table.set("arrivals", "\"exponential\"", Origin::Stated);
    }
}

/// Writes pauses and the weight into the load.
pub(super) fn pauses(job: &Job, load: &mut Load, state: &mut State) {
    job.ask("rate_process", state);
    let think = job.time("thinktime", 1_000, state).filter(|think| *think > 0);
    let active = job.time("thinktime_iotime", 1_000_000_000, state).filter(|active| *active > 0);
    let blocks = job.text("thinktime_blocks", state).and_then(|text| text.parse::<u64>().ok()).unwrap_or(1);
    job.ask("thinktime_blocks_type", state);
    match (think, active) {
        (Some(think), Some(active)) => {
            let table = format!("{{ on = {}, off = {} }}", quoted(&time(active)), quoted(&time(think)));
            load.table.set("bursts", table, Origin::Stated);
        }
        (Some(think), None) if blocks <= 1 && load.table.get("rate").is_none() => {
            if load.table.get("queue_depth") != Some("1") {
                let why = "each slot of the queue pauses by itself; in fio the whole job pauses";
                job.say("thinktime", Fate::Changed, why, state);
            }
            load.table.set("think_time", quoted(&time(think)), Origin::Stated);
        }
        (Some(_), None) => {
            let why = "drivelab pauses after every operation of a closed loop; `bursts` pauses by time";
            job.say("thinktime", Fate::Lost, why, state);
            job.say("thinktime_blocks", Fate::Lost, why, state);
        }
        (None, _) => {}
    }
    if let Some(weight) = job.whole("flow", state).filter(|weight| *weight > 0) {
        let why = "drivelab keeps the proportion of the numbers of operations at every moment";
        job.say("flow", Fate::Changed, why, state);
        load.table.set("weight", weight.to_string(), Origin::Stated);
    }
}
