//! A load in words: every field of a workload, so that a table describes the load without the plan.
//!
//! [`Workload`] and its parts are destructured without `..`: a new field cannot be left out here.

use drivelab_core::load::{
    Arrivals, Bursts, Content, Locality, OtherOps, Pace, Placement, Rate, SizeShare, Verify, VolumeBursts, Zone,
};
use drivelab_core::namespace::OtherNamespace;
use drivelab_core::places::Places;
use drivelab_core::replay::{Replay, TraceFit, TraceSource, TraceTrims};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::workload::{DataPattern, Pattern, Span, Streams, Workload};

use crate::figure::format;
use crate::words::files;
use crate::words::load_parts::LoadWords;

/// A load as one line: operations, sizes, order, depth, pace, data.
#[must_use]
pub fn load_text(workload: &Workload) -> String {
    let LoadWords { load, data, span: _, seed: _ } = load_words(workload);
    format!("{load}; {data}")
}

/// A load in words. If there are several groups, each is described under its name.
#[must_use]
pub fn load_words(workload: &Workload) -> LoadWords {
    let groups: Vec<(&str, LoadWords)> = workload.groups().map(group_words).collect();
    let column = |of: fn(&LoadWords) -> &String| match groups.as_slice() {
        [(_, only)] => of(only).clone(),
        groups => {
            let same = groups.iter().all(|(_, words)| Some(of(words)) == groups.first().map(|(_, first)| of(first)));
            match groups.first().filter(|_| same) {
                Some((_, first)) => format!("{} (each of {} groups)", of(first), groups.len()),
                None => {
                    groups.iter().map(|(name, words)| format!("{name}: {}", of(words))).collect::<Vec<_>>().join(" | ")
                }
            }
        }
    };
    LoadWords {
        load: column(|words| &words.load),
        data: column(|words| &words.data),
        span: column(|words| &words.span),
        seed: column(|words| &words.seed),
    }
}

/// One group.
fn group_words(workload: &Workload) -> (&str, LoadWords) {
    let Workload {
        write_percent: _, // in `operations`, with the remaining reads
        other,
        block_size,
        block_size_mix,
        pattern,
        locality,
        stride,
        places,
        seek_percent,
        streams,
        span,
        on,
        queue_depth,
        threads,
        pace,
        data,
        content,
        verify,
        direct,
        placement,
        placement_handle,
        seed,
        name,
        replay,
        beside: _, // the caller goes through them
        files,
    } = workload;
    if let Some(files) = files {
        return ("main", files::words(files, *block_size, threads.get(), *direct));
    }
    let mut parts = vec![match replay {
        Some(replay) => replay_text(replay),
        None => format!(
            "{} {} {}",
            sizes(*block_size, block_size_mix),
            order(*pattern, *streams, threads.get()),
            operations(workload, other)
        ),
    }];
    parts.extend(stride.map(|stride| format!("one block every {stride}")));
    parts.extend((!seek_percent.is_zero()).then(|| format!("{seek_percent} % jump to a random block")));
    parts.extend(locality_text(locality));
    parts.extend(places.map(|Places { count, seed }| format!("limited to {count} places (seed {seed})")));
    parts.push(format!("queue depth {queue_depth}"));
    parts.push(format!("{threads} thread{}", if threads.get() == 1 { "" } else { "s" }));
    parts.extend(pace_texts(pace));
    parts.extend(placement_texts(placement));
    parts.extend(placement_handle.map(|handle| format!("writes with placement handle {handle}")));
    let mut contents = vec![data_text(*data, content)];
    contents.extend(verify_text(*verify).map(str::to_owned));
    contents.push(if *direct { "direct I/O" } else { "without direct I/O" }.to_owned());
    let words = LoadWords {
        load: parts.join(", "),
        data: contents.join(", "),
        span: span_text(*span, on.as_deref()),
        seed: seed.to_string(),
    };
    (if name.is_empty() { "main" } else { name }, words)
}

/// Which part of the target, or of the other namespace that is read instead.
fn span_text(span: Span, on: Option<&OtherNamespace>) -> String {
    let of = match on {
        Some(OtherNamespace { name, nsid, .. }) if *nsid > 0 => format!(" of {name} (namespace {nsid}, read-only)"),
        Some(_) => " of another namespace (read-only)".to_owned(),
        None => String::new(),
    };
    format!("{} from {}{of}", span.length, span.offset)
}

/// Which trace, its origin, and how it is replayed.
fn replay_text(replay: &Replay) -> String {
    let Replay { trace, source, mode, fit, trims, facts } = replay;
    let from = match source {
        TraceSource::File { device, .. } => {
            let device = device.as_ref().map_or_else(String::new, |device| format!(", device {device}"));
            let hash: String = facts.hash.chars().take(12).collect();
            format!("recorded, {}{device}, hash {hash}", facts.format)
        }
        TraceSource::Synthetic(_) => "synthetic".to_owned(),
    };
    format!(
        "trace {trace} ({from}): {} reads ({}), {} writes ({}); {}; {}; trims are {}",
        facts.reads,
        facts.read,
        facts.writes,
        facts.written,
        mode.words(),
        match fit {
            TraceFit::Wrap => "addresses beyond the span wrap",
            TraceFit::Scale => "addresses are scaled into the span",
        },
        match trims {
            TraceTrims::Skip => "left out",
            TraceTrims::Send => "sent",
        }
    )
}

/// One size, or every size with its share of the operations and of the bytes: the two differ a lot, and published mixes
/// use either.
fn sizes(block_size: Bytes, mix: &[SizeShare]) -> String {
    let weight = |share: &SizeShare| f64::from(share.operations);
    let bytes = |share: &SizeShare| weight(share) * share.block_size.as_f64();
    let all: f64 = mix.iter().map(weight).sum();
    let all_bytes: f64 = mix.iter().map(bytes).sum();
    if mix.is_empty() || all <= 0.0 || all_bytes <= 0.0 {
        return block_size.to_string();
    }
    let one = |share: &SizeShare| {
        let SizeShare { block_size, operations: _ } = share;
        let (of_operations, of_bytes) = (100.0 * weight(share) / all, 100.0 * bytes(share) / all_bytes);
        format!("{block_size} ({} % of operations, {} % of bytes)", percent(of_operations), percent(of_bytes))
    };
    mix.iter().map(one).collect::<Vec<_>>().join(" / ")
}

/// At most one decimal.
fn percent(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

fn order(pattern: Pattern, streams: Streams, threads: u32) -> String {
    let order = match pattern {
        Pattern::Sequential => "sequential",
        Pattern::Reverse => "reverse sequential",
        Pattern::Random => return "random".to_owned(),
        Pattern::RandomOnce => "random-once",
    };
    match (threads, streams) {
        (1, Streams::ByKind) => format!("{order} (reads and writes each at their own position)"),
        (1, _) => order.to_owned(),
        (_, Streams::Disjoint) => format!("{order} (each thread in its own part)"),
        (_, Streams::Overlapping) => format!("{order} (threads overlap)"),
        (_, Streams::Shared) => format!("{order} (one stream shared by the threads)"),
        (_, Streams::ByKind) => format!("{order} (reads and writes of each thread at their own position)"),
    }
}

/// Kinds with their shares: `reads`, `30 % writes`, `60 % reads, 30 % writes, 10 % trims`.
fn operations(workload: &Workload, other: &OtherOps) -> String {
    let OtherOps { trim_percent, write_zeroes_percent, flush_percent, sync_every } = *other;
    let writes = workload.write_percent.get();
    let kinds = [
        (workload.read_percent(), "reads"),
        (writes, "writes"),
        (trim_percent.get(), "trims"),
        (write_zeroes_percent.get(), "write-zeroes"),
        (flush_percent.get(), "flushes"),
    ];
    let asked: Vec<(u8, &str)> = kinds.into_iter().filter(|(share, _)| *share > 0).collect();
    let mix = match asked.as_slice() {
        [(_, only)] => (*only).to_owned(),
        [(_, "reads"), (share, "writes")] => format!("{share} % writes"),
        several => several.iter().map(|(share, kind)| format!("{share} % {kind}")).collect::<Vec<_>>().join(" + "),
    };
    match sync_every {
        0 => mix,
        1 => format!("{mix} with a flush after every write"),
        every => format!("{mix} with a flush after every {every} writes of a thread"),
    }
}

fn thousandths(value: u32) -> String {
    let text = format!("{:.3}", f64::from(value) / 1000.0);
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn scattered_text(scattered: bool) -> &'static str {
    if scattered { "hot blocks scattered" } else { "hot blocks at the start of the span" }
}

fn locality_text(locality: &Locality) -> Option<String> {
    Some(match locality {
        Locality::Uniform => return None,
        Locality::Zipf { theta_thousandths, scattered } => {
            format!("zipf {} ({})", thousandths(*theta_thousandths), scattered_text(*scattered))
        }
        Locality::Pareto { h_thousandths, scattered } => {
            format!("pareto {} ({})", thousandths(*h_thousandths), scattered_text(*scattered))
        }
        Locality::Normal { deviation_percent } => {
            format!("normal around the middle (standard deviation {deviation_percent} % of the span)")
        }
        Locality::Zoned { zones } => {
            let zone = |Zone { accesses, span }: &Zone| format!("{accesses} % of accesses to {span} %");
            format!("zones of the span ({})", zones.iter().map(zone).collect::<Vec<_>>().join(", "))
        }
        Locality::HotBand { accesses, from_percent, to_percent } => {
            format!("{accesses} % of accesses to the band from {from_percent} to {to_percent} % of the span")
        }
    })
}

fn pace_texts(pace: &Pace) -> Vec<String> {
    let Pace { rate, bursts, volume_bursts, think_time, weight } = *pace;
    let mut texts = Vec::new();
    if let Some(rate) = rate {
        let Rate { per_1000_s: _, arrivals } = rate;
        let gaps = match arrivals {
            Arrivals::Constant => "equal gaps",
            Arrivals::Exponential => "exponential gaps",
            Arrivals::Uniform => "uniform gaps",
        };
        texts.push(format!("open loop of {} arrivals per second with {gaps}", format::iops(rate.iops())));
    }
    if let Some(Bursts { on, off }) = bursts {
        texts.push(format!("{} on and {} off, repeating", time(on), time(off)));
    }
    if let Some(VolumeBursts { volume, duty_percent, on_at_most }) = volume_bursts {
        let most = on_at_most.map_or_else(String::new, |most| format!(", {} at most", time(most)));
        texts.push(format!("bursts of {volume}{most}, with pauses so that {duty_percent} % of the time is active"));
    }
    if !think_time.is_zero() {
        texts.push(format!("{} of think time", time(think_time)));
    }
    if weight > 0 {
        texts.push(format!("weight {weight} among the groups"));
    }
    texts
}

/// Exact if that is short (`250 us`), otherwise to four digits.
fn time(time: Nanos) -> String {
    let exact = time.to_string();
    if exact.len() <= 8 { exact.replace("us", "µs") } else { format::duration(time) }
}

fn placement_texts(placement: &Placement) -> Vec<String> {
    let Placement { cpus, batch } = placement;
    let mut texts = Vec::new();
    if !cpus.is_empty() {
        let list = cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        texts.push(format!("on CPU{} {list}", if cpus.len() == 1 { "" } else { "s" }));
    }
    if *batch > 1 {
        texts.push(format!("ceiling mode: waits for {batch} completions at a time"));
    }
    texts
}

fn data_text(data: DataPattern, content: &Content) -> String {
    let Content { compress_percent, dedup_percent, pattern, file, window } = content;
    let mut text = match data {
        DataPattern::Incompressible => "incompressible".to_owned(),
        DataPattern::Zero => "zeros".to_owned(),
        DataPattern::OneBlock => "one random block, repeated".to_owned(),
        DataPattern::Pattern => {
            let hex: String = pattern.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
            format!("the pattern {hex}{}, repeated", if pattern.len() > 16 { "…" } else { "" })
        }
        DataPattern::File => match file {
            Some(file) => format!("from the file {}", file.display()),
            None => "from a file".to_owned(),
        },
    };
    if !compress_percent.is_zero() {
        text.push_str(&format!(" except for {compress_percent} % of each block, which is zero"));
    }
    if !dedup_percent.is_zero() {
        text.push_str(&format!(" with {dedup_percent} % repeated blocks"));
    }
    if let Some(window) = window {
        text.push_str(&format!(", no repeats within {window}"));
    }
    text
}

const fn verify_text(verify: Verify) -> Option<&'static str> {
    match verify {
        Verify::Off => None,
        Verify::Headers => Some("with headers to be checked later"),
        Verify::AtOnce => Some("each block read back and checked immediately"),
        Verify::Check => Some("headers checked"),
    }
}

#[cfg(test)]
mod tests {
    //! Every part of a workload has words of its own.

    use drivelab_core::units::{Percent, QueueDepth, Threads};
    use drivelab_core::workload::Span;

    use super::*;

    fn per_cent(value: u64) -> Percent {
        Percent::new(value).unwrap()
    }

    fn load(change: impl FnOnce(&mut Workload)) -> LoadWords {
        let mut workload = Workload { queue_depth: QueueDepth::new(32).unwrap(), ..Workload::default() };
        change(&mut workload);
        load_words(&workload)
    }

    #[test]
    fn the_plainest_load_is_short() {
        assert_eq!(load(|_| {}).load, "4 KiB random reads, queue depth 32, 1 thread");
        let plain = load(|load| load.write_percent = per_cent(30));
        assert_eq!(plain.load, "4 KiB random 30 % writes, queue depth 32, 1 thread");
        assert_eq!((plain.data.as_str(), plain.seed.as_str()), ("incompressible, direct I/O", "1"));
        assert_eq!(
            load_text(&Workload::default()),
            "4 KiB random reads, queue depth 1, 1 thread; incompressible, direct I/O"
        );
    }

    #[test]
    fn a_size_mix_states_both_shares() {
        let share = |kib: u64, operations| SizeShare { block_size: Bytes::new(kib << 10), operations };
        let text = load(|load| load.block_size_mix = vec![share(4, 3), share(64, 1)]).load;
        // 3 x 4 of 76 KiB are 15.8 %.
        assert!(
            text.starts_with(
                "4 KiB (75 % of operations, 15.8 % of bytes) / 64 KiB (25 % of operations, 84.2 % of bytes) random"
            ),
            "{text}"
        );
    }

    #[test]
    fn every_field_changes_the_words() {
        let changes: Vec<fn(&mut Workload)> = vec![
            |load| load.write_percent = per_cent(1),
            |load| load.other.trim_percent = per_cent(1),
            |load| load.other.write_zeroes_percent = per_cent(1),
            |load| load.other.flush_percent = per_cent(1),
            |load| load.other.sync_every = 1,
            |load| load.other.sync_every = 16,
            |load| load.block_size = Bytes::new(8192),
            |load| load.block_size_mix = vec![SizeShare { block_size: Bytes::new(512), operations: 1 }],
            |load| load.pattern = Pattern::Sequential,
            |load| load.pattern = Pattern::Reverse,
            |load| load.pattern = Pattern::RandomOnce,
            |load| load.locality = Locality::Zipf { theta_thousandths: 1_100, scattered: true },
            |load| load.locality = Locality::Zipf { theta_thousandths: 1_100, scattered: false },
            |load| load.locality = Locality::Pareto { h_thousandths: 200, scattered: true },
            |load| load.locality = Locality::Normal { deviation_percent: per_cent(10) },
            |load| load.locality = Locality::Zoned { zones: vec![Zone { accesses: per_cent(50), span: per_cent(5) }] },
            |load| {
                let (accesses, from_percent, to_percent) = (per_cent(70), per_cent(0), per_cent(20));
                load.locality = Locality::HotBand { accesses, from_percent, to_percent };
            },
            |load| load.stride = Some(Bytes::new(1 << 20)),
            |load| load.places = Some(Places { count: 64, seed: 1 }),
            |load| load.places = Some(Places { count: 64, seed: 2 }),
            |load| load.seek_percent = per_cent(5),
            |load| load.span = Span { offset: Bytes::new(4096), length: Bytes::new(8192) },
            |load| load.queue_depth = QueueDepth::new(7).unwrap(),
            |load| load.threads = Threads::new(2).unwrap(),
            |load| (load.threads, load.pattern) = (Threads::new(2).unwrap(), Pattern::Sequential),
            |load| {
                (load.threads, load.pattern) = (Threads::new(2).unwrap(), Pattern::Sequential);
                load.streams = Streams::Overlapping;
            },
            |load| {
                (load.threads, load.pattern) = (Threads::new(2).unwrap(), Pattern::Sequential);
                load.streams = Streams::Shared;
            },
            |load| (load.streams, load.pattern) = (Streams::ByKind, Pattern::Sequential),
            |load| load.pace.rate = Some(Rate { per_1000_s: 10_000_000, arrivals: Arrivals::Constant }),
            |load| load.pace.rate = Some(Rate { per_1000_s: 10_000_000, arrivals: Arrivals::Exponential }),
            |load| load.pace.rate = Some(Rate { per_1000_s: 10_000_000, arrivals: Arrivals::Uniform }),
            |load| load.pace.bursts = Some(Bursts { on: Nanos::from_secs(1), off: Nanos::from_secs(2) }),
            |load| load.pace.think_time = Nanos::from_millis(1),
            |load| load.pace.weight = 3,
            |load| load.data = DataPattern::Zero,
            |load| load.data = DataPattern::OneBlock,
            |load| (load.data, load.content.pattern) = (DataPattern::Pattern, vec![0xde, 0xad]),
            |load| load.data = DataPattern::File,
            |load| load.content.compress_percent = per_cent(30),
            |load| load.content.dedup_percent = per_cent(30),
            |load| load.verify = Verify::Headers,
            |load| load.verify = Verify::AtOnce,
            |load| load.verify = Verify::Check,
            |load| load.direct = false,
            |load| load.placement.cpus = vec![1, 3],
            |load| load.placement.batch = 8,
            |load| load.placement_handle = Some(1),
            |load| load.placement_handle = Some(2),
            |load| load.seed = 2,
            |load| {
                load.beside =
                    vec![Workload { name: "log".to_owned(), block_size: Bytes::new(512), ..Workload::default() }]
            },
        ];
        let mut seen = vec![load(|_| {})];
        for (index, change) in changes.into_iter().enumerate() {
            let words = load(change);
            assert!(!seen.contains(&words), "change {index} has the words of another: {words:?}");
            seen.push(words);
        }
    }

    #[test]
    fn groups_stand_under_their_names_where_they_differ() {
        let words = load(|load| {
            load.name = "data".to_owned();
            let pace =
                Pace { rate: Some(Rate { per_1000_s: 500_000, arrivals: Arrivals::Constant }), ..Pace::default() };
            let pattern = Pattern::Sequential;
            load.beside = vec![Workload {
                name: "log".to_owned(),
                write_percent: per_cent(100),
                pace,
                pattern,
                ..Workload::default()
            }];
        });
        assert_eq!(
            words.load,
            "data: 4 KiB random reads, queue depth 32, 1 thread | log: 4 KiB sequential writes, queue depth 1, 1 thread, \
             open loop of 500 arrivals per second with equal gaps"
        );
        assert_eq!(words.data, "incompressible, direct I/O (each of 2 groups)");
    }
}
