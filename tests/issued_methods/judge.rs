//! Whether operations are those of a load: their kinds, sizes, places, order, depth and times. Each check returns what is
//! wrong.

use std::collections::{BTreeMap, BTreeSet};

use drivelab_core::load::{Arrivals, Locality, OpKind};
use drivelab_core::units::Bytes;
use drivelab_core::workload::{Pattern, Streams, Workload};
use drivelab_engine::TraceEntry;

use super::DEVIATIONS;
use super::zipf::harmonic;

/// A part of `total` is `due`, as far as chance allows; exactly if it is zero or everything.
fn share(what: &str, count: usize, total: usize, due: f64) -> Result<(), String> {
    let deviation = (due * (1.0 - due) / total as f64).sqrt();
    let found = count as f64 / total as f64;
    let near = (found - due).abs() <= DEVIATIONS * deviation + 1e-12;
    if near { Ok(()) } else { Err(format!("{what}: {count} of {total}, due {due:.4}")) }
}

pub(super) fn kinds_and_sizes(load: &Workload, all: &[TraceEntry]) -> Result<(), String> {
    let synced = load.other.sync_every > 0 && load.other.flush_percent.is_zero();
    let drawn: Vec<&TraceEntry> = all.iter().filter(|entry| !(synced && entry.op == OpKind::Flush)).collect();
    let due = |percent: u8| f64::from(percent) / 100.0;
    for (kind, percent) in [
        (OpKind::Read, load.read_percent()),
        (OpKind::Write, load.write_percent.get()),
        (OpKind::Trim, load.other.trim_percent.get()),
        (OpKind::WriteZeroes, load.other.write_zeroes_percent.get()),
        (OpKind::Flush, load.other.flush_percent.get()),
    ] {
        let count = drawn.iter().filter(|entry| entry.op == kind).count();
        share(kind.name(), count, drawn.len(), due(percent))?;
    }
    let moving: Vec<&TraceEntry> = drawn.into_iter().filter(|entry| entry.op != OpKind::Flush).collect();
    if moving.is_empty() {
        return Ok(());
    }
    let weight: u32 = load.block_size_mix.iter().map(|share| share.operations).sum();
    for size in load.block_sizes() {
        let of = load.block_size_mix.iter().find(|share| share.block_size == size);
        let part = of.map_or(1.0, |share| f64::from(share.operations) / f64::from(weight));
        let count = moving.iter().filter(|entry| u64::from(entry.length) == size.get()).count();
        share(&format!("{size}"), count, moving.len(), part)?;
    }
    let sizes: BTreeSet<u64> = load.block_sizes().iter().map(|size| size.get()).collect();
    match moving.iter().find(|entry| !sizes.contains(&u64::from(entry.length))) {
        Some(other) => Err(format!("an operation of {} bytes", other.length)),
        None => Ok(()),
    }
}

pub(super) fn inside(load: &Workload, all: &[TraceEntry]) -> Result<(), String> {
    let (start, end, unit) = (load.span.offset.get(), load.span.end(), load.block_unit());
    let outside = all.iter().filter(|entry| entry.op != OpKind::Flush).find(|entry| {
        let (from, to) = (entry.offset, entry.offset + u64::from(entry.length));
        from < start || to > end || !(from - start).is_multiple_of(unit)
    });
    outside.map_or(Ok(()), |entry| Err(format!("{} bytes at {} are no block of the span", entry.length, entry.offset)))
}

/// The distances from one operation of a thread to the next, of operations that move data.
fn pairs(thread: &[TraceEntry]) -> Vec<(TraceEntry, TraceEntry)> {
    let moving: Vec<TraceEntry> = thread.iter().filter(|entry| entry.op != OpKind::Flush).copied().collect();
    moving.windows(2).map(|pair| (pair[0], pair[1])).collect()
}

/// Operations that do not continue where the last one ended, and all operations.
fn jumps(load: &Workload, thread: &[TraceEntry]) -> (usize, usize) {
    let follows = |one: &TraceEntry, next: &TraceEntry| match load.pattern {
        Pattern::Reverse => next.offset + load.stride.map_or(u64::from(next.length), Bytes::get) == one.offset,
        _ => one.offset + load.stride.map_or(u64::from(one.length), Bytes::get) == next.offset,
    };
    let pairs = pairs(thread);
    (pairs.iter().filter(|(one, next)| !follows(one, next)).count(), pairs.len())
}

pub(super) fn order(load: &Workload, threads: &[Vec<TraceEntry>]) -> Result<(), String> {
    let shared = load.streams == Streams::Shared && load.threads.get() > 1;
    let streams = if load.streams == Streams::Disjoint { u64::from(load.threads.get()) } else { 1 };
    let stretch = load.span.length.get() / streams;
    if shared && load.pattern.is_sequential() {
        return shared_out(load, threads);
    }
    for thread in threads.iter().filter(|thread| thread.len() > 1) {
        match load.pattern {
            Pattern::Sequential | Pattern::Reverse if load.streams == Streams::ByKind => by_kind(load, thread)?,
            Pattern::Sequential | Pattern::Reverse if load.places.is_some() => sampled(load, thread)?,
            Pattern::Sequential | Pattern::Reverse => {
                let (jumps, all) = jumps(load, thread);
                let lap = stretch / load.stride.map_or_else(|| load.block_unit(), Bytes::get).max(1);
                let wraps =
                    if load.block_size_mix.is_empty() { all as u64 / lap.max(1) + 1 } else { 2 + all as u64 / 16 };
                let due = f64::from(load.seek_percent.get()) / 100.0;
                let spare = DEVIATIONS * (due * (1.0 - due) * all as f64).sqrt() + wraps as f64;
                if (jumps as f64 - due * all as f64).abs() > spare {
                    return Err(format!("{jumps} of {all} operations jump"));
                }
            }
            Pattern::RandomOnce if !shared => {
                let lap = usize::try_from(stretch / load.block_size.get()).unwrap_or(usize::MAX).saturating_sub(1);
                let first: Vec<u64> = thread.iter().take(lap).map(|entry| entry.offset).collect();
                let different: BTreeSet<u64> = first.iter().copied().collect();
                if different.len() < first.len() {
                    return Err(format!("{} of {} blocks come twice", first.len() - different.len(), first.len()));
                }
                let (jumps, all) = jumps(load, thread);
                if lap > 500 && all > 500 && jumps * 100 < all * 97 {
                    return Err(format!("only {jumps} of {all} operations jump"));
                }
            }
            Pattern::Random | Pattern::RandomOnce => {}
        }
    }
    if streams > 1 && load.pattern.is_sequential() {
        apart(threads)?;
    }
    if streams > 1 && load.pattern == Pattern::RandomOnce {
        let lap = usize::try_from(stretch / load.block_size.get()).unwrap_or(usize::MAX).saturating_sub(1);
        let first = || threads.iter().flat_map(|thread| thread.iter().take(lap).map(|entry| entry.offset));
        let (all, different) = (first().count(), first().collect::<BTreeSet<u64>>().len());
        if different < all {
            return Err(format!("{} of {all} blocks of several threads come twice", all - different));
        }
    }
    if load.pattern == Pattern::Random { places(load, &threads.concat()) } else { Ok(()) }
}

/// Threads that take their blocks from one stream: together they use each block once per pass, none twice and none
/// left out, and each thread has its blocks in the stream's order.
fn shared_out(load: &Workload, threads: &[Vec<TraceEntry>]) -> Result<(), String> {
    if load.stride.is_some() || load.places.is_some() || !load.block_size_mix.is_empty() || !load.seek_percent.is_zero()
    {
        return Err("a stream that threads share in a way that is looked at nowhere".to_owned());
    }
    let block = load.block_size.get();
    let lap = load.span.length.get() / block;
    let place = |entry: &TraceEntry| {
        let from_start = (entry.offset - load.span.offset.get()) / block;
        if load.pattern == Pattern::Reverse { lap - 1 - from_start } else { from_start }
    };
    let of = |thread: &Vec<TraceEntry>| -> Vec<u64> {
        thread.iter().filter(|entry| entry.op != OpKind::Flush).map(place).collect()
    };
    let places: Vec<Vec<u64>> = threads.iter().map(of).collect();
    let mut often = vec![0_u64; usize::try_from(lap).unwrap_or(usize::MAX)];
    places.iter().flatten().for_each(|place| often[usize::try_from(*place).unwrap_or(usize::MAX)] += 1);
    let all: u64 = often.iter().sum();
    let due = |place: u64| all / lap + u64::from(place < all % lap);
    if let Some((place, count)) = (0..).zip(&often).find(|(place, count)| **count != due(*place)) {
        return Err(format!("place {place} of the shared stream came {count} times of {} ({all} in all)", due(place)));
    }
    let falls = |places: &Vec<u64>| places.windows(2).filter(|pair| pair[1] < pair[0]).count() as u64;
    match places.iter().map(falls).max() {
        Some(falls) if falls > all / lap => Err(format!("a thread goes back {falls} times in a shared stream")),
        _ => Ok(()),
    }
}

/// Reads continue reads, and all other operations continue each other.
fn by_kind(load: &Workload, thread: &[TraceEntry]) -> Result<(), String> {
    let (reads, others): (Vec<TraceEntry>, Vec<TraceEntry>) = thread.iter().partition(|entry| entry.op == OpKind::Read);
    let lap = load.span.length.get() / load.block_size.get();
    for part in [reads, others] {
        let (jumps, all) = jumps(load, &part);
        if jumps as u64 > all as u64 / lap {
            return Err(format!("{jumps} of {all} operations do not follow those of their kind"));
        }
    }
    Ok(())
}

/// The places of the load in order, again and again.
fn sampled(load: &Workload, thread: &[TraceEntry]) -> Result<(), String> {
    let mut due = load.places.map(|places| places.blocks(load.span, load.block_size)).unwrap_or_default();
    if load.pattern == Pattern::Reverse {
        due.reverse();
    }
    let offset = |block: &u64| load.span.offset.get() + block * load.block_size.get();
    let moving = thread.iter().filter(|entry| entry.op != OpKind::Flush);
    let wrong = moving.zip(due.iter().cycle()).find(|(entry, block)| entry.offset != offset(block));
    wrong.map_or(Ok(()), |(entry, block)| Err(format!("{} for the place at {}", entry.offset, offset(block))))
}

/// Threads with stretches of their own keep to them.
fn apart(threads: &[Vec<TraceEntry>]) -> Result<(), String> {
    let ends = |thread: &Vec<TraceEntry>| {
        let moving = || thread.iter().filter(|entry| entry.op != OpKind::Flush);
        let end = moving().map(|entry| entry.offset + u64::from(entry.length)).max()?;
        Some((moving().map(|entry| entry.offset).min()?, end))
    };
    let mut ranges: Vec<(u64, u64)> = threads.iter().filter_map(ends).collect();
    ranges.sort_unstable();
    let apart = ranges.windows(2).all(|pair| pair[0].1 <= pair[1].0);
    if apart { Ok(()) } else { Err("threads leave their stretches".to_owned()) }
}

/// Where random operations with repetition go.
fn places(load: &Workload, all: &[TraceEntry]) -> Result<(), String> {
    let length = load.span.length.as_f64();
    let at = |entry: &TraceEntry| (entry.offset - load.span.offset.get()) as f64 / length;
    let moving: Vec<f64> = all.iter().filter(|entry| entry.op != OpKind::Flush).map(at).collect();
    let within = |from: f64, to: f64| moving.iter().filter(|place| **place >= from && **place < to).count();
    let blocks = load.span.length.get() / load.block_size.get();
    if moving.len() < 1000 || blocks < 1000 || !load.block_size_mix.is_empty() && blocks < 10_000 {
        return Ok(());
    }
    match &load.locality {
        Locality::Uniform => {
            // Chi-square over 64 equal parts: 63 degrees of freedom, which 130 exceeds once in a million times.
            let due = moving.len() as f64 / 64.0;
            let square = |part: i32| {
                let count = within(f64::from(part) / 64.0, f64::from(part + 1) / 64.0) as f64;
                (count - due).powi(2) / due
            };
            let chi_square: f64 = (0..64).map(square).sum();
            if chi_square < 130.0 { Ok(()) } else { Err(format!("chi-square {chi_square:.0} of 63")) }
        }
        Locality::Zoned { zones } => {
            let mut from = 0.0;
            for zone in zones {
                let to = from + f64::from(zone.span.get()) / 100.0;
                let due = f64::from(zone.accesses.get()) / 100.0;
                share(&format!("the zone up to {to:.2}"), within(from, to.max(from)), moving.len(), due)?;
                from = to;
            }
            Ok(())
        }
        Locality::HotBand { accesses, from_percent, to_percent } => {
            let (from, to) = (f64::from(from_percent.get()) / 100.0, f64::from(to_percent.get()) / 100.0);
            let hot = f64::from(accesses.get()) / 100.0;
            share("the hot band", within(from, to), moving.len(), hot + (1.0 - hot) * (to - from))
        }
        Locality::Normal { deviation_percent } => {
            let half = f64::from(deviation_percent.get()) / 100.0;
            let middle = within(0.5 - half, 0.5 + half) as f64 / moving.len() as f64;
            // 68.3 % within one standard deviation; more if the ends of the span cut the curve off.
            if half > 0.25 || (0.66..0.71).contains(&middle) {
                Ok(())
            } else {
                Err(format!("{middle:.3} in the middle"))
            }
        }
        Locality::Zipf { .. } | Locality::Pareto { .. } => {
            let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
            let hit = all.iter().filter(|entry| entry.op != OpKind::Flush);
            hit.for_each(|entry| *counts.entry(entry.offset).or_default() += 1);
            if let (Locality::Zipf { theta_thousandths, .. }, true) = (&load.locality, load.block_size_mix.is_empty()) {
                head_of_zipf(f64::from(*theta_thousandths) / 1000.0, blocks, &counts)?;
            }
            let (drawn, blocks, different) = (moving.len() as f64, blocks as f64, counts.len() as f64);
            let uniform = blocks * (1.0 - (-drawn / blocks).exp());
            if drawn > 10.0 * blocks {
                // On a fast machine even the last block is drawn; the hottest tenth then has far more than a tenth.
                let mut hottest: Vec<usize> = counts.values().copied().collect();
                hottest.sort_unstable_by(|one, other| other.cmp(one));
                let hits: usize = hottest.iter().take(hottest.len() / 10).sum();
                let share = hits as f64 / drawn;
                return if share > 0.2 { Ok(()) } else { Err(format!("{share:.3} in the hottest tenth")) };
            }
            if different < 0.98 * uniform { Ok(()) } else { Err(format!("{different} blocks, as if uniform")) }
        }
    }
}

/// The most frequent blocks have the shares that Zipf's law gives the first ranks: rank k in proportion to k^-theta.
/// Which block has which rank is unknown, but the first few ranks differ so much that chance changes their order by at
/// most one place.
fn head_of_zipf(theta: f64, blocks: u64, counts: &BTreeMap<u64, usize>) -> Result<(), String> {
    let drawn: usize = counts.values().sum();
    let mut sorted: Vec<usize> = counts.values().copied().collect();
    sorted.sort_unstable_by(|one, other| other.cmp(one));
    let all = harmonic(theta, blocks);
    for (first, last) in [(1, 1), (2, 3), (4, 7)] {
        let due = (harmonic(theta, last) - harmonic(theta, first - 1)) / all;
        let count: usize = sorted.iter().take(last as usize).skip(first as usize - 1).sum();
        share(&format!("ranks {first} to {last} of zipf {theta}"), count, drawn, due)?;
    }
    Ok(())
}

/// At some moment each thread has as many operations in flight as was asked, and never more.
pub(super) fn depth(load: &Workload, threads: &[Vec<TraceEntry>]) -> Result<(), String> {
    for thread in threads.iter().filter(|thread| thread.len() as u64 > 2 * u64::from(load.queue_depth.get())) {
        let mut moments: Vec<(u64, i32)> = Vec::new();
        for entry in thread {
            moments.push((entry.submit_ns, 1));
            moments.push((entry.submit_ns + entry.latency_ns, -1));
        }
        moments.sort_unstable();
        let (mut now, mut most) = (0, 0);
        for (_, change) in moments {
            now += change;
            most = most.max(now);
        }
        if most != i32::try_from(load.queue_depth.get()).unwrap_or(i32::MAX) {
            return Err(format!("at most {most} in flight, asked {}", load.queue_depth));
        }
    }
    Ok(())
}

/// Operations were meant to start when the rate requires; returns whether there were enough of them to tell.
pub(super) fn rate(load: &Workload, threads: &[Vec<TraceEntry>]) -> Result<bool, String> {
    let Some(rate) = load.pace.rate.filter(|_| load.pace.bursts.is_none()) else { return Ok(false) };
    // The time until which each thread has issued what arrived: a thread that got no CPU towards the end is late.
    let last = |thread: &Vec<TraceEntry>| thread.iter().map(|entry| entry.intended_ns).max().unwrap_or(0);
    let until = threads.iter().map(last).min().unwrap_or(0);
    let mut meant: Vec<u64> = threads.concat().iter().map(|entry| entry.intended_ns).collect();
    meant.retain(|meant| *meant <= until);
    meant.sort_unstable();
    let (Some(first), Some(last)) = (meant.first(), meant.last()) else { return Ok(false) };
    let gaps = meant.len() - 1;
    if gaps < 100 || load.other.sync_every > 0 {
        return Ok(false);
    }
    let due = 1e9 / rate.iops();
    let mean = (last - first) as f64 / gaps as f64;
    let spread = match rate.arrivals {
        Arrivals::Constant => f64::from(load.threads.get()) / gaps as f64,
        Arrivals::Exponential => DEVIATIONS / (gaps as f64).sqrt(),
        Arrivals::Uniform => DEVIATIONS / (3.0 * gaps as f64).sqrt(),
    };
    let near = (mean / due - 1.0).abs() <= spread + 1e-3;
    if near { Ok(true) } else { Err(format!("a mean gap of {mean:.0} ns, due {due:.0} ns")) }
}
