//! Sizes of a job's operations: one, a split, or a range, for each direction separately.
//!
//! Facts: fio's options.c (bssplit_ddir) and io_u.c (get_next_buflen). Must not know: what the operations do.

use super::super::State;
use super::super::fields::{Parted, READS, WRITES};
use super::super::job::{Job, field};
use crate::notes::Fate;

/// Sizes with shares of the operations, in any order; one entry if there is one size.
pub(super) type Sizes = Vec<(u64, u64)>;

/// fio's size if a job states none.
const DEFAULT: u64 = 4096;
/// Most sizes of a mix.
const MOST: u64 = 64;
/// Largest share that the language accepts.
const LARGEST_SHARE: u64 = 1_000_000;

/// The sizes of a direction.
pub(super) fn sizes(job: &Job, direction: usize, state: &mut State) -> Sizes {
    if let Some(value) = field(job, "bssplit", Parted::Lists, direction) {
        job.ask("bssplit", state);
        say_of_plain(job, state);
        let found = split(job, value);
        if found.is_none() {
            job.wrong("bssplit", "sizes with shares that add up, such as 4k/60:64k/40", state);
        }
        return or_default(found);
    }
    if let Some(value) = field(job, "bsrange", Parted::Ranges, direction) {
        job.ask("bsrange", state);
        say_of_plain(job, state);
        let found = ends(job, value).map(|ends| range(job, ends, state));
        if found.is_none() {
            job.wrong("bsrange", "two sizes, such as 4k-64k", state);
        }
        return or_default(found);
    }
    if job.ask("bs", state).is_none() {
        return vec![(DEFAULT, 1)];
    }
    let size = match field(job, "bs", Parted::Numbers, direction) {
        Some(text) => job.part(text).filter(|size| *size > 0),
        // Only fields of other directions; an entirely empty value is not valid.
        None => (0..3).any(|other| field(job, "bs", Parted::Numbers, other).is_some()).then_some(DEFAULT),
    };
    if size.is_none() {
        job.wrong("bs", "sizes such as 4k or 4k,64k", state);
    }
    vec![(size.unwrap_or(DEFAULT), 1)]
}

/// The smallest size of any direction, even of one that the job does not have.
pub(super) fn smallest(job: &Job) -> u64 {
    let of = |direction: usize| {
        if let Some(value) = field(job, "bssplit", Parted::Lists, direction) {
            return split(job, value)?.iter().map(|(size, _)| *size).min();
        }
        if let Some(value) = field(job, "bsrange", Parted::Ranges, direction) {
            return ends(job, value).map(|(low, _)| low);
        }
        field(job, "bs", Parted::Numbers, direction).and_then(|text| job.part(text))
    };
    (0..3).map(|direction| of(direction).unwrap_or(DEFAULT)).min().unwrap_or(DEFAULT)
}

/// Beside a distribution, a plain size applies only to directions without one.
fn say_of_plain(job: &Job, state: &mut State) {
    let split = |direction: usize| field(job, "bssplit", Parted::Lists, direction).is_some();
    if split(READS) && split(WRITES) && job.ask("bsrange", state).is_some() {
        job.say("bsrange", Fate::NoEffect, "bssplit decides the sizes, as in fio", state);
    }
    if job.ask("bs", state).is_none() {
        return;
    }
    let distributed = |direction: usize| {
        let split = field(job, "bssplit", Parted::Lists, direction);
        split.or_else(|| field(job, "bsrange", Parted::Ranges, direction)).is_some()
    };
    if distributed(READS) && distributed(WRITES) {
        job.say("bs", Fate::NoEffect, "the distribution of sizes replaces it", state);
    }
}

fn or_default(found: Option<Sizes>) -> Sizes {
    found.filter(|sizes| !sizes.is_empty()).unwrap_or_else(|| vec![(DEFAULT, 1)])
}

/// `4k/60:64k/40`: fio sorts by share; a missing part is added to the largest share, an excess is subtracted from it.
/// Sizes without a share, or with 0, divide the rest equally.
fn split(job: &Job, text: &str) -> Option<Sizes> {
    let mut sizes: Vec<(u64, Option<u64>)> = Vec::new();
    for part in text.split(':').take_while(|part| !part.trim().is_empty()) {
        let (size, share) = part.split_once('/').map_or((part, None), |(size, share)| (size, Some(share)));
        let share = share.map(leading_number).filter(|share| *share > 0).map(|share| share.min(100));
        sizes.push((job.part(size).filter(|size| *size > 0)?, share));
    }
    let stated: u64 = sizes.iter().filter_map(|(_, share)| *share).sum();
    let open = sizes.iter().filter(|(_, share)| share.is_none()).count() as u64;
    let left = if open > 0 { 100_u64.checked_sub(stated)? } else { 0 };
    let rest = left.checked_div(open).unwrap_or(0);
    let mut shares: Vec<u64> = sizes.iter().map(|(_, share)| share.unwrap_or(rest)).collect();
    let mut order: Vec<usize> = (0..shares.len()).filter(|at| shares[*at] > 0).collect();
    order.sort_by_key(|at| shares[*at]);
    let (largest, mut used) = (*order.last()?, 0);
    for at in order {
        shares[at] = if at == largest { 100 - used } else { shares[at].min(100 - used) };
        used += shares[at];
    }
    let mut merged: Sizes = Vec::new();
    for ((size, _), share) in sizes.into_iter().zip(shares).filter(|(_, share)| *share > 0) {
        match merged.iter_mut().find(|(other, _)| *other == size) {
            Some((_, sum)) => *sum += share,
            None => merged.push((size, share)),
        }
    }
    if let [(_, share)] = &mut merged[..] {
        *share = 1;
    }
    Some(merged)
}

/// Like C's `atoi`: the digits at the beginning.
fn leading_number(text: &str) -> u64 {
    let text = text.trim_start();
    let end = text.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(text.len());
    text[..end].parse().unwrap_or(0)
}

fn ends(job: &Job, text: &str) -> Option<(u64, u64)> {
    let (low, high) = text.split_once('-').or_else(|| text.split_once(':'))?;
    let (low, high) = (job.part(low)?, job.part(high)?);
    Some((low.min(high), low.max(high))).filter(|(low, _)| *low > 0)
}

/// `4k-64k`: fio draws from the smallest size to the sum of both, rounds down to a multiple of the smallest, and uses
/// the largest size for anything above it.
fn range(job: &Job, (low, high): (u64, u64), state: &mut State) -> Sizes {
    if low == high {
        return vec![(low, 1)];
    }
    let (count, over) = (high / low, high % low);
    if count > MOST {
        let why = format!("{count} sizes become {MOST}, spread evenly over the range");
        job.say("bsrange", Fate::Changed, why, state);
        let step = count.div_ceil(MOST);
        return (1..=count / step).map(|number| (number * step * low, 1)).collect();
    }
    let mut sizes: Sizes = (1..=count).map(|number| (number * low, low)).collect();
    if over > 0 {
        sizes.push((high, over));
    }
    let divisor = sizes.iter().fold(0, |divisor, (_, share)| common(divisor, *share)).max(1);
    let scale = (low / divisor).div_ceil(LARGEST_SHARE).max(1);
    sizes.iter_mut().for_each(|(_, share)| *share = (*share / divisor / scale).max(1));
    sizes
}

fn common(one: u64, other: u64) -> u64 {
    if other == 0 { one } else { common(other, one % other) }
}

/// Mean bytes of an operation.
#[expect(clippy::cast_precision_loss, reason = "sizes and shares are far below 2^53")]
pub(super) fn mean(sizes: &[(u64, u64)]) -> f64 {
    let all: u64 = sizes.iter().map(|(_, share)| *share).sum();
    sizes.iter().map(|(size, share)| *size as f64 * *share as f64).sum::<f64>() / all.max(1) as f64
}
