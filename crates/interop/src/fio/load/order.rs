//! The order in which a job visits its places: sequential, with jumps and gaps, or random, with a distribution.
//!
//! Must not know: which operations, of which size.

use super::super::State;
use super::super::fields::{self, Parted};
use super::super::job::{Job, field};
use super::types::{Direction, Load};
use crate::draft::{Origin, bytes, quoted};
use crate::notes::Fate;

pub(super) fn order(job: &Job, direction: &Direction, load: &mut Load, state: &mut State) {
    let origin = if job.peek("rw").is_some() { Origin::Stated } else { Origin::Default };
    if !direction.random {
        sequential(job, direction, load, state);
        for key in ["norandommap", "random_distribution", "percentage_random"] {
            if job.peek(key).is_some() {
                job.say(key, Fate::NoEffect, "the load is sequential", state);
            }
        }
        return;
    }
    if let Some(every) =
        direction.modifier.as_deref().and_then(|text| text.parse::<u64>().ok()).filter(|every| *every > 1)
    {
        let percent = (100 / every).max(1);
        let why =
            format!("instead of a jump after every {every} operations, {percent} % of the operations jump at random");
        job.say("rw", Fate::Changed, why.clone(), state);
        load.table.set("pattern", "\"sequential\"", origin);
        load.table.set("seek_percent", percent.to_string(), Origin::Ours(why));
        load.random = true;
        drawn_evenly(job, state);
        return;
    }
    let percent = job.ask("percentage_random", state).is_some().then(|| {
        let value = field(job, "percentage_random", Parted::Numbers, direction.field);
        let percent = value.map_or(Some(100), |text| text.parse::<u64>().ok().filter(|percent| *percent <= 100));
        if percent.is_none() {
            job.wrong("percentage_random", "0 to 100", state);
        }
        percent.unwrap_or(100)
    });
    if percent == Some(0) {
        load.random = false;
        load.table.set("pattern", "\"sequential\"", Origin::Stated);
        job.ask("norandommap", state);
        return;
    }
    if let Some(percent) = percent.filter(|percent| *percent < 100) {
        load.table.set("pattern", "\"sequential\"", Origin::Stated);
        load.table.set("seek_percent", percent.to_string(), Origin::Stated);
        job.ask("norandommap", state);
        drawn_evenly(job, state);
        return;
    }
    let locality = locality(job, direction, state);
    let free = job.flag("norandommap", state).unwrap_or(false);
    load.once = locality.is_none() && !free && !load.several_sizes();
    let pattern = if load.once { "\"random_once\"" } else { "\"random\"" };
    load.table.set("pattern", pattern, origin);
    if let Some(locality) = locality {
        load.table.set("locality", locality, Origin::Stated);
    }
}

/// A sequential load that sometimes jumps: its jumps have no hot places in the language.
fn drawn_evenly(job: &Job, state: &mut State) {
    if job.text("random_distribution", state).is_some_and(|value| value != "random") {
        let why = "a load that only sometimes jumps has no hot places; only a fully random load has them";
        job.say("random_distribution", Fate::Lost, why, state);
    }
}

fn sequential(job: &Job, direction: &Direction, load: &mut Load, state: &mut State) {
    let origin = if job.peek("rw").is_some() { Origin::Stated } else { Origin::Default };
    let mut pattern = "\"sequential\"";
    if let Some(text) = direction.modifier.as_deref().filter(|text| !text.is_empty()) {
        let (back, size) = match text.strip_prefix('-') {
            Some(size) => (true, job.part(size)),
            None => (false, job.part(text)),
        };
        let block = load.largest;
        match size {
            Some(skip) if !back && skip > 0 && skip.is_multiple_of(block) && !load.several_sizes() => {
                load.stride = Some(skip + block);
                load.table.set("stride", quoted(&bytes(skip + block)), Origin::Stated);
            }
            Some(skip) if back && skip.is_multiple_of(block) && skip > block && !load.several_sizes() => {
                pattern = "\"reverse\"";
                let why = "fio's first operation is at the start and the second before the end; drivelab starts at the end and goes back";
                job.say("rw", Fate::Changed, why, state);
                if skip > 2 * block {
                    load.table.set("stride", quoted(&bytes(skip - block)), Origin::Stated);
                }
            }
            _ => {
                let why = "a gap that is not a whole number of blocks, or does not move; the blocks follow each other";
                job.say("rw", Fate::Lost, why, state);
            }
        }
    }
    load.table.set("pattern", pattern, origin);
}

/// `random_distribution=zipf:1.2` and the like, as TOML.
fn locality(job: &Job, direction: &Direction, state: &mut State) -> Option<String> {
    let value = job.text("random_distribution", state)?;
    let zoned = value.strip_prefix("zoned:").map(str::to_owned);
    let own = match &zoned {
        Some(zones) => {
            fields::of(zones, Parted::Lists)[direction.field].map_or("random".to_owned(), |own| format!("zoned:{own}"))
        }
        None => value.clone(),
    };
    let mut words = own.split(':');
    let kind = words.next().unwrap_or_default();
    let parameter = words.next();
    let first = parameter.and_then(|text| text.trim().parse::<f64>().ok());
    let curved = matches!(kind, "zipf" | "pareto" | "normal" | "gauss");
    if curved && parameter.is_some() && first.is_none() {
        job.wrong("random_distribution", "a number behind the colon, such as zipf:1.2", state);
        return None;
    }
    if curved && words.next().is_some() {
        let why = "the centre of the distribution is not carried over";
        job.say("random_distribution", Fate::Changed, why, state);
    }
    match (kind, first) {
        ("random", _) => None,
        ("zipf", theta) => Some(format!("{{ zipf = {} }}", decimal(theta.unwrap_or(1.1)))),
        ("pareto", h) => Some(format!("{{ pareto = {} }}", decimal(h.unwrap_or(0.2)))),
        ("normal" | "gauss", Some(deviation)) if (0.5..=100.0).contains(&deviation) => {
            let why = "the blocks of the bell are next to each other; fio scatters them over the span, and widens a bell of \
                       8 % by up to half of its deviation";
            job.say("random_distribution", Fate::Changed, why, state);
            Some(format!("{{ normal = {deviation:.0} }}"))
        }
        ("zoned", _) => zones(own.trim_start_matches("zoned:")).or_else(|| {
            job.wrong("random_distribution", "shares of accesses and of space, such as zoned:60/10:40/90", state);
            None
        }),
        _ => {
            let why = "drivelab does not support this distribution; offsets are uniform";
            job.say("random_distribution", Fate::Lost, why, state);
            None
        }
    }
}

/// A number with at most three decimals.
fn decimal(value: f64) -> String {
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0');
    if text.ends_with('.') { format!("{text}0") } else { text.to_owned() }
}

/// `50/5:30/15:20/`: the rest of the span if the last share is not stated.
fn zones(text: &str) -> Option<String> {
    let mut zones: Vec<(u64, u64)> = Vec::new();
    for part in text.split(':').filter(|part| !part.is_empty()) {
        let (accesses, span) = part.split_once('/')?;
        let used: u64 = zones.iter().map(|(_, span)| *span).sum();
        let span = if span.trim().is_empty() { 100_u64.checked_sub(used)? } else { span.trim().parse().ok()? };
        zones.push((accesses.trim().parse().ok()?, span));
    }
    let sums = zones.iter().fold((0, 0), |sum, zone| (sum.0 + zone.0, sum.1 + zone.1));
    let list: Vec<String> =
        zones.iter().map(|(accesses, span)| format!("{{ accesses = {accesses}, span = {span} }}")).collect();
    (sums == (100, 100)).then(|| format!("{{ zones = [{}] }}", list.join(", ")))
}
