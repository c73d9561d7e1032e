//! Every key of a load reaches the workload or the stop rule, with its value, its default and its mark on the step's
//! name; groups share what has to be shared.
#![expect(clippy::unwrap_used, reason = "helpers of tests: a failed unwrap is a failed test")]

mod common;

use std::collections::BTreeSet;

use drivelab_core::load::{
    Arrivals, Bursts, Content, Locality, OtherOps, Pace, Placement, Rate, SizeShare, Verify, VolumeBursts, Zone,
};
use drivelab_core::places::Places;
use drivelab_core::plan::{Action, Form, OnError, Plan, RateSearch, Repeats, RestAfter, Rounds, StopRule};
use drivelab_core::units::{Bytes, Nanos, Percent};
use drivelab_core::workload::{DataPattern, Pattern, Streams, Workload};
use drivelab_method::parse;

const CAPACITY: u64 = 1 << 30;

fn file(prepare: &str, body: &str) -> String {
    format!(
        "format = 1\nname = \"example\"\ntitle = \"Example\"\nversion = \"1.0.0\"\nsummary = \"s\"\ngood_for = \"g\"\n\
         cannot_tell = \"c\"\n[[sources]]\nid = \"own\"\ncitation = \"our own choice\"\n[target]\nkind = \"file\"\n\
         size = \"1 GiB\"\nminimum_size = \"8 MiB\"\n[forms.quick]\n[[prepare]]\n{prepare}\n[[tests]]\nname = \"t\"\n\
         title = \"T\"\npurpose = \"p\"\nsources = [\"own\"]\n{body}\n"
    )
}

fn plan_of(form: Form, prepare: &str, body: &str) -> Plan {
    common::plan(&parse("folder/example.toml", &file(prepare, body)).unwrap(), form, Bytes::new(CAPACITY))
}

/// The load of a test that states only what it must, and this.
fn step_of(body: &str) -> (Workload, StopRule, String, String) {
    let mut all = body.to_owned();
    let needs = [
        ("op", "op = \"read\"", &["op", "write_percent", "trim_percent", "flush_percent", "write_zeroes_percent"][..]),
        ("block_size", "block_size = \"4 KiB\"", &["block_size", "block_size_mix"]),
        ("pattern", "pattern = \"random\"", &["pattern"]),
        ("queue_depth", "queue_depth = 4", &["queue_depth"]),
        ("time", "time = \"5 s\"", &["time", "volume", "passes", "operations", "coverage"]),
    ];
    let has = |key: &&str| body.lines().any(|line| line.split('=').next().is_some_and(|name| name.trim() == *key));
    for (_, line, keys) in needs {
        if !keys.iter().any(has) {
            all = format!("{line}\n{all}");
        }
    }
    let plan = plan_of(Form::Quick, "action = \"fill\"", &all);
    let step = &plan.tests[1].steps[0];
    let Action::Io { workload, stop, .. } = &step.action else { panic!("no load") };
    (workload.clone(), stop.clone(), step.id.slug().to_owned(), step.label.clone())
}

fn percent(value: u64) -> Percent {
    Percent::new(value).unwrap()
}

#[test]
fn what_nobody_states_is_the_plainest() {
    let (workload, stop, slug, label) = step_of("");
    let Workload { span, seed, queue_depth, .. } = workload.clone();
    assert_eq!(workload, Workload { span, seed, queue_depth, ..Workload::default() });
    assert_eq!((span.offset.get(), span.length.get()), (0, CAPACITY));
    let hour = Nanos::from_secs(3600);
    assert_eq!(stop, StopRule { time: Some(Nanos::from_secs(5)), ..StopRule::capped(hour) });
    assert_eq!((slug.as_str(), label.as_str()), ("rnd-4k-q4t1-read", "RND 4 KiB Q4T1 read"));
}

#[test]
fn operations_are_a_word_or_shares() {
    let of = |body: &str| {
        let (workload, _, slug, _) = step_of(body);
        let OtherOps { trim_percent, write_zeroes_percent, flush_percent, sync_every } = workload.other;
        let shares = [workload.write_percent, trim_percent, write_zeroes_percent, flush_percent].map(Percent::get);
        (shares, sync_every, workload.verify, slug)
    };
    let named = |slug: &str| format!("rnd-4k-q4t1-{slug}");
    let words = [
        ("write", [100, 0, 0, 0], Verify::Off, "write"),
        ("trim", [0, 100, 0, 0], Verify::Off, "trim"),
        ("write_zeroes", [0, 0, 100, 0], Verify::Off, "write-zeroes"),
        ("flush", [0, 0, 0, 100], Verify::Off, "flush"),
    ];
    for (op, shares, verify, slug) in words {
        assert_eq!(of(&format!("op = \"{op}\"")), (shares, 0, verify, named(slug)));
    }
    let mixed =
        of("write_percent = 30\ntrim_percent = 10\nwrite_zeroes_percent = 5\nflush_percent = 1\nsync_every = 8");
    assert_eq!(mixed, ([30, 10, 5, 1], 8, Verify::Off, named("w30-trim10-zeroes5-flush1-sync-every-8")));
    assert_eq!(step_of("write_percent = 70\ntrim_percent = 5").3, "RND 4 KiB Q4T1 70 % write 5 % trim");
    // A flush has no offset: it needs neither size nor pattern.
    let flushes = plan_of(Form::Quick, "action = \"fill\"", "op = \"flush\"\nqueue_depth = 1\ntime = \"1 s\"");
    assert_eq!(flushes.tests[1].steps.len(), 1);
}

#[test]
fn sizes_are_one_or_a_mix() {
    let mix = "[{ block_size = \"4 KiB\", share = 60 }, { block_size = \"64 KiB\", share = 40 }]";
    let (workload, _, slug, label) = step_of(&format!("block_size_mix = {mix}"));
    let size = |kib: u64, operations| SizeShare { block_size: Bytes::new(kib << 10), operations };
    assert_eq!(workload.block_size, Bytes::new(64 << 10));
    assert_eq!(workload.block_size_mix, [size(4, 3), size(64, 2)], "only the proportion counts");
    assert_eq!((slug.as_str(), label.as_str()), ("rnd-4k-to-64k-q4t1-read", "RND 4 KiB to 64 KiB Q4T1 read"));
    let (workload, ..) = step_of(&format!("block_size_mix = {mix}\nblock_size_shares_of = \"bytes\""));
    assert_eq!(workload.block_size_mix, [size(4, 24), size(64, 1)]);
    let bytes = |share: &SizeShare| share.block_size.get() * u64::from(share.operations);
    assert_eq!(bytes(&workload.block_size_mix[0]) * 40, bytes(&workload.block_size_mix[1]) * 60);
    let (workload, ..) = step_of(
        "span = \"50 %\"\nblock_size_mix = [{ block_size = \"12 KiB\", share = 1 }, \
                                  { block_size = \"4 KiB\", share = 1 }]",
    );
    assert_eq!(
        workload.span.length.get(),
        (CAPACITY / 2) / (12 << 10) * (12 << 10),
        "whole blocks of the largest size"
    );
    let (workload, ..) = step_of("block_size_mix = [{ block_size = \"8 KiB\", share = 9 }]");
    assert_eq!((workload.block_size, workload.block_size_mix.len()), (Bytes::new(8192), 0), "one size is no mix");
}

#[test]
fn order_and_place_arrive() {
    let (workload, _, slug, _) =
        step_of("pattern = \"reverse\"\nstride = \"64 KiB\"\nseek_percent = 5\nthreads = 2\nstreams = \"shared\"");
    assert_eq!(
        (workload.pattern, workload.stride, workload.seek_percent, workload.streams),
        (Pattern::Reverse, Some(Bytes::new(65_536)), percent(5), Streams::Shared)
    );
    assert_eq!(slug, "rev-4k-q4t2-read-seek-5pct-stride-64k");
    assert_eq!(step_of("pattern = \"sequential\"\nstride = \"4 KiB\"").0.stride, None, "no gap is no stride");
    let sampled = step_of("pattern = \"sequential\"\nplaces = 64\nseed = 7\npasses = 1");
    assert_eq!(sampled.0.places, Some(Places { count: 64, seed: 7 }), "the seed as written, not that of the step");
    assert_eq!((sampled.2.as_str(), sampled.0.pass_bytes()), ("seq-4k-q4t1-read-places-64", Bytes::new(64 * 4096)));
    let once = step_of("pattern = \"random_once\"\npasses = 2");
    assert_eq!((once.0.pattern, once.1.passes, once.2.as_str()), (Pattern::RandomOnce, Some(2), "once-4k-q4t1-read"));
    let zone = |accesses, span| Zone { accesses: percent(accesses), span: percent(span) };
    let localities = [
        ("\"uniform\"", Locality::Uniform, ""),
        ("{ zipf = 1.1 }", Locality::Zipf { theta_thousandths: 1100, scattered: true }, "-zipf-1.1"),
        (
            "{ zipf = 2, scattered = false }",
            Locality::Zipf { theta_thousandths: 2000, scattered: false },
            "-zipf-2-not-scattered",
        ),
        ("{ pareto = 0.2 }", Locality::Pareto { h_thousandths: 200, scattered: true }, "-pareto-0.2"),
        ("{ normal = 10 }", Locality::Normal { deviation_percent: percent(10) }, "-normal-10pct"),
        (
            "{ zones = [{ accesses = 50, span = 5 }, { accesses = 50, span = 95 }] }",
            Locality::Zoned { zones: vec![zone(50, 5), zone(50, 95)] },
            "-zones-50-5-50-95",
        ),
        (
            "{ hot_band = { accesses = 70, from = 0, to = 20 } }",
            Locality::HotBand { accesses: percent(70), from_percent: percent(0), to_percent: percent(20) },
            "-hot-band-70pct-in-0-to-20pct",
        ),
    ];
    for (text, locality, slug) in localities {
        let step = step_of(&format!("locality = {text}"));
        assert_eq!((step.0.locality, step.2), (locality, format!("rnd-4k-q4t1-read{slug}")));
    }
}

#[test]
fn pace_and_placement_arrive() {
    let rate = |per_1000_s, arrivals| Some(Rate { per_1000_s, arrivals });
    let (workload, _, slug, label) = step_of(
        "rate = \"10k IOPS\"\narrivals = \"exponential\"\nbursts = { on = \"1 s\", off = \"2 s\" }\ncpus = [0, 1]\nbatch = 4",
    );
    let bursts = Some(Bursts { on: Nanos::from_secs(1), off: Nanos::from_secs(2) });
    let expected = Pace { rate: rate(10_000_000, Arrivals::Exponential), bursts, ..Pace::default() };
    assert_eq!(workload.pace, expected);
    assert_eq!(workload.placement, Placement { cpus: vec![0, 1], batch: 4 });
    assert_eq!(slug, "rnd-4k-q4t1-read-batch-4-rate-10k-iops-exponential-arrivals-bursts-1s-on-2s-off");
    assert_eq!(label, "RND 4 KiB Q4T1 read, batch 4, rate 10k IOPS, exponential arrivals, bursts 1 s on 2 s off");
    let (workload, _, slug, label) = step_of("bursts = { volume = \"32 MB\", duty_cycle = 20, on_at_most = \"1 s\" }");
    let (volume, duty_percent) = (Bytes::new(32_000_000), Percent::new(20).expect("a per cent"));
    let volume_bursts = Some(VolumeBursts { volume, duty_percent, on_at_most: Some(Nanos::from_secs(1)) });
    assert_eq!(workload.pace, Pace { volume_bursts, ..Pace::default() });
    assert_eq!(slug, "rnd-4k-q4t1-read-bursts-32mb-1s-at-most-duty-20pct");
    assert_eq!(label, "RND 4 KiB Q4T1 read, bursts 32 MB 1 s at most duty 20 %");
    let by_bytes = step_of("rate = \"40.96 MB/s\"\narrivals = \"uniform\"").0;
    assert_eq!(by_bytes.pace.rate, rate(10_000_000, Arrivals::Uniform), "10,000 blocks of 4 KiB");
    let mixed = step_of(
        "rate = \"43008 B/s\"\nblock_size_mix = [{ block_size = \"4 KiB\", share = 1 }, { block_size = \"12 KiB\", \
         share = 1 }]\nwrite_percent = 0\nflush_percent = 50",
    );
    // The mean block is 8 KiB, and half of the operations move nothing: 43,008 / 4,096 = 10.5.
    assert_eq!(mixed.0.pace.rate, rate(10_500, Arrivals::Constant));
    let synced = step_of("rate = \"40.96 MB/s\"\nwrite_percent = 50\nsync_every = 2").0;
    // Of 5 operations 4 move a block of 4 KiB: two reads, two writes and the flush after them.
    assert_eq!(synced.pace.rate, rate(12_500_000, Arrivals::Constant), "12,500 of 4 KiB and 0");
    let thinking = step_of("think_time = \"1 ms\"\nbatch = 1").0;
    assert_eq!(thinking.pace, Pace { think_time: Nanos::from_millis(1), ..Pace::default() });
    assert_eq!(thinking.placement, Placement::default());
}

#[test]
fn streams_by_kind_are_whole_stretches_in_order() {
    let fitting = "pattern = \"sequential\"\nwrite_percent = 30\nstreams = \"by_kind\"";
    assert_eq!(step_of(fitting).0.streams, Streams::ByKind);
    let base = "queue_depth = 1\nwrite_percent = 30\nstreams = \"by_kind\"";
    for (body, said) in [
        ("pattern = \"random\"\nblock_size = \"4 KiB\"\ntime = \"1 s\"", "need pattern = \"sequential\" or"),
        ("pattern = \"sequential\"\nblock_size = \"4 KiB\"\npasses = 1", "no common passes"),
        ("pattern = \"sequential\"\nblock_size = \"4 KiB\"\nseek_percent = 5\ntime = \"1 s\"", "cannot have jumps"),
        (
            "pattern = \"sequential\"\nblock_size = \"4 KiB\"\nverify = \"headers\"\ntime = \"1 s\"",
            "the last write of a block",
        ),
    ] {
        let error = parse("folder/example.toml", &file("action = \"fill\"", &format!("{base}\n{body}"))).unwrap_err();
        assert!(error.to_string().contains(said), "{said}: {error}");
    }
}

#[test]
fn data_verification_and_the_page_cache_arrive() {
    let (workload, ..) = step_of("op = \"write\"\ncompress_percent = 50\ndedup_percent = 30\ndirect = false");
    let content = Content { compress_percent: percent(50), dedup_percent: percent(30), ..Content::default() };
    assert_eq!((workload.data, workload.content, workload.direct), (DataPattern::Incompressible, content, false));
    let (workload, ..) = step_of("op = \"write\"\ndata = \"pattern\"\ndata_pattern = \"DEADbeef 00\"");
    let content = Content { pattern: vec![0xde, 0xad, 0xbe, 0xef, 0], ..Content::default() };
    assert_eq!((workload.data, workload.content), (DataPattern::Pattern, content));
    let (workload, ..) = step_of("op = \"write\"\ndata = \"file\"\ndata_file = \"data/a.bin\"");
    let content = Content { file: Some("folder/data/a.bin".into()), ..Content::default() };
    assert_eq!((workload.data, workload.content), (DataPattern::File, content));
    assert_eq!(step_of("op = \"write\"\ndata = \"one_block\"").0.data, DataPattern::OneBlock);
    for (word, verify) in [("headers", Verify::Headers), ("at_once", Verify::AtOnce)] {
        assert_eq!(step_of(&format!("op = \"write\"\nverify = \"{word}\"")).0.verify, verify);
    }
}

#[test]
fn stop_rules_arrive() {
    let (_, stop, ..) = step_of("pattern = \"sequential\"\noperations = 1000\ncoverage = \"50 %\"\nerrors = \"keep\"");
    assert_eq!((stop.operations, stop.coverage, stop.errors), (Some(1000), Some(percent(50)), OnError::Keep));
    assert_eq!(stop.time, None);
    assert_eq!(step_of("errors = \"stop\"").1.errors, OnError::Stop);
    let smoke = plan_of(
        Form::Smoke,
        "action = \"fill\"",
        "op = \"read\"\npattern = \"sequential\"\nblock_size = \"4 KiB\"\nqueue_depth = 1\noperations = 7\nerrors = \"stop\"",
    );
    let Action::Io { stop, .. } = &smoke.tests[1].steps[0].action else { panic!("no load") };
    assert_eq!((stop.operations, stop.errors), (Some(7), OnError::Stop));
    assert!(stop.time.is_some() && stop.volume.is_some());
}

/// Details in `[defaults]` apply to the loads that they fit; a table's own value replaces keys that state the same
/// thing.
#[test]
fn general_details_leave_other_loads_alone() {
    let body = "op = \"read\"\nblock_size = \"4 KiB\"\nqueue_depth = 2\ntime = \"1 s\"\npattern = [\"sequential\", \"random\"]\n\
                think_time = \"1 ms\"\n[defaults]\nlocality = { zipf = 1.1 }\nstride = \"8 KiB\"\nbatch = 8\narrivals = \"uniform\"\n\
                rate = \"5 IOPS\"\nsync_every = 3\nverify = \"headers\"\n";
    let plan = plan_of(Form::Quick, "action = \"fill\"", body);
    let [first, second] = &plan.tests[1].steps[..] else { panic!("two steps") };
    let (first, second) = (first.workload().unwrap(), second.workload().unwrap());
    assert_eq!((first.stride, &first.locality), (Some(Bytes::new(8192)), &Locality::Uniform));
    assert_eq!((second.stride, second.locality.is_uniform()), (None, false));
    for load in [first, second] {
        assert_eq!(load.placement.batch, 2);
        assert_eq!(
            load.pace,
            Pace { think_time: Nanos::from_millis(1), ..Pace::default() },
            "think_time replaces rate"
        );
        assert_eq!((load.other.sync_every, load.verify), (0, Verify::Off), "nothing is written");
    }
}

/// Every parameter that may be a list makes steps with different names.
#[test]
fn every_axis_has_unique_names() {
    let axes = [
        ("op", "[\"read\", \"write\", \"trim\", \"write_zeroes\", \"flush\"]", ""),
        ("write_percent", "[0, 30, 100]", ""),
        ("trim_percent", "[0, 1, 10]", ""),
        ("write_zeroes_percent", "[0, 5]", ""),
        ("flush_percent", "[0, 5, 50]", ""),
        ("sync_every", "[0, 1, 8]", "op = \"write\""),
        ("block_size", "[\"4 KiB\", \"4 kB\", \"4096000 B\"]", "direct = false"),
        ("locality", "[\"uniform\", { zipf = 1.1 }, { zipf = 1.1, scattered = false }, { pareto = 0.2 }]", ""),
        ("stride", "[\"4 KiB\", \"8 KiB\"]", "pattern = \"sequential\""),
        ("seek_percent", "[0, 1, 10]", "pattern = \"sequential\""),
        (
            "streams",
            "[\"disjoint\", \"overlapping\", \"shared\", \"by_kind\"]",
            "pattern = \"sequential\"\nthreads = 2",
        ),
        ("data", "[\"incompressible\", \"zero\", \"one_block\"]", "op = \"write\""),
        ("compress_percent", "[0, 50, 100]", "op = \"write\""),
        ("dedup_percent", "[0, 50]", "op = \"write\""),
        ("span", "[\"1 %\", \"1 MiB\", { offset = \"1 %\", length = \"1 %\" }]", ""),
        ("rate", "[\"100 IOPS\", \"100k IOPS\", \"100 kB/s\", \"0.5 IOPS\"]", ""),
        ("arrivals", "[\"constant\", \"exponential\", \"uniform\"]", "rate = \"9 IOPS\""),
        ("think_time", "[\"0 s\", \"1 ms\", \"1 us\"]", ""),
        ("verify", "[\"off\", \"headers\", \"at_once\"]", "op = \"write\""),
        ("direct", "[true, false]", ""),
        ("batch", "[1, 2, 4]", ""),
        ("pattern", "[\"sequential\", \"reverse\", \"random\", \"random_once\"]", ""),
    ];
    for (axis, list, more) in axes {
        let mut body = format!("{axis} = {list}\n{more}\n");
        let stated = |body: &str, key: &str| body.lines().any(|line| line.starts_with(key));
        let shares = ["write_percent", "trim_percent", "write_zeroes_percent", "flush_percent"];
        if !shares.contains(&axis) && !stated(&body, "op") {
            body.push_str("op = \"read\"\n");
        }
        for line in ["block_size = \"4 KiB\"", "pattern = \"random\"", "queue_depth = 4", "time = \"1 s\""] {
            if !stated(&body, line.split(' ').next().unwrap()) {
                body = format!("{line}\n{body}");
            }
        }
        let plan = plan_of(Form::Quick, "action = \"fill\"", &body);
        let steps = &plan.tests[1].steps;
        let ids: BTreeSet<&str> = steps.iter().map(|step| step.id.as_str()).collect();
        let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, '-' | '.' | '/');
        assert!(ids.len() > 1 && ids.iter().all(|id| id.chars().all(plain)), "{ids:?}");
        assert_eq!(ids.len(), steps.len());
        let shown: BTreeSet<&str> = steps.iter().map(|step| step.axes[0].value.as_str()).collect();
        assert_eq!((steps[0].axes[0].axis.as_str(), shown.len()), (axis, steps.len()), "{shown:?}");
        let labels: BTreeSet<&str> = steps.iter().map(|step| step.label.as_str()).collect();
        assert_eq!(labels.len(), steps.len(), "{labels:?}");
    }
}

fn group_plan(test: &str, groups: &[&str]) -> Plan {
    let mut body = format!(
        "op = \"read\"\npattern = \"random\"\nblock_size = \"8 KiB\"\nqueue_depth = 4\ntime = \"1 s\"\n{test}\n"
    );
    for (index, group) in groups.iter().enumerate() {
        body.push_str(&format!("[[tests.groups]]\nname = \"g{index}\"\n{group}\n"));
    }
    plan_of(Form::Quick, "action = \"fill\"", &body)
}

#[test]
fn groups_take_what_they_do_not_state_and_share_the_rate() {
    let group = "op = \"write\"\npattern = \"sequential\"\nspan = { offset = \"90 %\", length = \"10 %\" }\nrate = \"500 IOPS\"";
    let plan = group_plan("axes = [\"queue_depth\"]", &[group, "write_percent = 50\nqueue_depth = 9"]);
    let step = &plan.tests[1].steps[0];
    let main = step.workload().unwrap();
    let names: Vec<&str> = main.groups().map(|group| group.name.as_str()).collect();
    assert_eq!(names, ["main", "g0", "g1"]);
    let [log, mixed] = &main.beside[..] else { panic!("two groups") };
    assert_eq!((log.write_percent, log.block_size, log.queue_depth), (percent(100), main.block_size, main.queue_depth));
    assert!(log.span.offset.get() > CAPACITY / 10 * 9 - (8 << 10) && log.span.end() > CAPACITY - (16 << 10));
    assert_eq!(log.pace.rate.unwrap().per_1000_s, 500_000);
    assert_eq!((mixed.write_percent, mixed.queue_depth.get(), mixed.pace), (percent(50), 9, Pace::default()));
    assert_eq!(main.pace, Pace::default());
    let seeds: BTreeSet<u64> = main.groups().map(|group| group.seed).collect();
    assert_eq!(seeds.len(), 3, "groups share their offsets");
    assert_eq!(step.label, "RND 8 KiB Q4T1 read; beside it: g0, g1");

    let rates = |plan: &Plan| -> Vec<Option<u64>> {
        let load = plan.tests[1].steps[0].workload().unwrap();
        load.groups().map(|group| group.pace.rate.map(|rate| rate.per_1000_s)).collect()
    };
    let split =
        group_plan("rate = \"1000 IOPS\"\nweight = 1", &["weight = 3", "rate = \"7 IOPS\"", "think_time = \"1 s\""]);
    assert_eq!(rates(&split), [Some(250_000), Some(750_000), Some(7_000), None]);
    let by_bytes = group_plan("rate = \"16384 B/s\"\nweight = 1", &["block_size = \"4 KiB\""]);
    assert_eq!(rates(&by_bytes), [Some(1000), Some(2000)], "half of the bytes each");
    let weights = |plan: &Plan| -> Vec<u32> {
        plan.tests[1].steps[0].workload().unwrap().groups().map(|group| group.pace.weight).collect()
    };
    assert_eq!(weights(&split), [0, 0, 0, 1]);
    assert_eq!(weights(&group_plan("weight = 2", &["weight = 5", ""])), [2, 5, 2]);
}

/// A value that a group takes over and that does not fit is left out; a value that it states itself must fit.
#[test]
fn a_group_takes_over_only_what_suits_it() {
    let plan = group_plan("locality = { zipf = 1.1 }\nbatch = 4", &["pattern = \"sequential\"\nqueue_depth = 2"]);
    let main = plan.tests[1].steps[0].workload().unwrap();
    let group = &main.beside[0];
    assert_eq!((main.locality.is_uniform(), main.placement.batch), (false, 4));
    assert_eq!((group.locality.is_uniform(), group.placement.batch), (true, 2));
    let own = "op = \"read\"\npattern = \"random\"\nblock_size = \"8 KiB\"\nqueue_depth = 4\ntime = \"1 s\"\n[[tests.groups]]\n\
               name = \"g\"\npattern = \"sequential\"\nlocality = { zipf = 1.1 }\n[defaults]\nlocality = { pareto = 0.2 }";
    let errors = parse("x", &file("action = \"fill\"", own)).unwrap_err();
    assert_eq!(errors.all()[0].title(), "`locality` does not apply to the load 'g'");
}

#[test]
fn a_sweep_of_a_test_with_groups_sweeps_its_own_load() {
    let plan = group_plan("rate = [\"10 IOPS\", \"20 IOPS\"]", &["rate = \"5 IOPS\""]);
    let rates: Vec<Vec<u64>> = plan.tests[1]
        .steps
        .iter()
        .map(|step| step.workload().unwrap().groups().map(|group| group.pace.rate.unwrap().per_1000_s).collect())
        .collect();
    assert_eq!(rates, [[10_000, 5_000], [20_000, 5_000]]);
}

#[test]
fn preparation_discards_overwrites_once_and_writes_headers() {
    let prepare = "action = \"fill\"\nverify = \"headers\"\n[[prepare]]\naction = \"overwrite_random\"\n\
                   pattern = \"random_once\"\npasses = 2\ndata = \"pattern\"\ndata_pattern = \"00ff\"\n[[prepare]]\n\
                   action = \"discard\"\nspan = \"25 %\"";
    let plan = plan_of(
        Form::Quick,
        prepare,
        "op = \"trim\"\npattern = \"sequential\"\nblock_size = \"1 MiB\"\nqueue_depth = 1\npasses = 1",
    );
    let loads: Vec<&Workload> = plan.tests[0].steps.iter().map(|step| step.workload().unwrap()).collect();
    assert_eq!(loads[0].verify, Verify::Headers);
    assert_eq!((loads[1].pattern, loads[1].content.pattern.as_slice()), (Pattern::RandomOnce, &[0x00, 0xff][..]));
    let Action::Io { stop, .. } = &plan.tests[0].steps[1].action else { panic!("no load") };
    assert_eq!((stop.passes, stop.volume), (Some(2), None));
    assert_eq!((loads[2].write_percent.get(), loads[2].other.trim_percent.get()), (0, 100));
    assert_eq!((loads[2].block_size, loads[2].span.length.get()), (Bytes::new(64 << 20), CAPACITY / 4));
    assert_eq!(plan.tests[0].steps[2].id.as_str(), "prepare/discard");
    assert_eq!(plan.tests[0].steps[2].estimated_written, Bytes::new(0), "a trim writes nothing");
    assert!(loads[2].writes() && !loads[2].reads());
}

/// What the steps of a plan do with headers.
fn verifies(prepare: &str, body: &str) -> Vec<Verify> {
    let plan = plan_of(Form::Quick, prepare, body);
    plan.steps().map(|step| step.workload().unwrap().verify).collect()
}

#[test]
fn a_check_follows_the_step_that_wrote() {
    let (headers, check) = (Verify::Headers, Verify::Check);
    let body = "axes = [\"queue_depth\", \"op\"]\nop = [\"write\", \"verify\"]\nverify = \"headers\"\npattern = \"random\"\n\
                block_size = \"4 KiB\"\nqueue_depth = [1, 8]\ntime = \"1 s\"";
    assert_eq!(verifies("action = \"fill\"", body), [Verify::Off, headers, check, headers, check]);
    // What preparation wrote can be checked in another order, in larger pieces, and in part.
    let filled = "action = \"fill\"\nblock_size = \"64 KiB\"\nverify = \"headers\"";
    let body = "op = \"verify\"\npattern = \"random_once\"\nblock_size = \"128 KiB\"\nqueue_depth = 2\nthreads = 2\n\
                span = { offset = \"10 %\", length = \"50 %\" }\npasses = 1";
    assert_eq!(verifies(filled, body), [headers, check]);
}

/// A check of half of a span once read a different half than had been written.
#[test]
fn a_check_goes_to_the_places_that_its_step_wrote() {
    let seeds = |body: &str| -> Vec<u64> {
        let plan = plan_of(Form::Quick, "action = \"fill\"", body);
        plan.steps().skip(1).map(|step| step.workload().unwrap().seed).collect()
    };
    let body = "axes = [\"queue_depth\", \"op\"]\nop = [\"write\", \"verify\"]\nverify = \"headers\"\n\
                pattern = \"random_once\"\nblock_size = \"4 KiB\"\nqueue_depth = [1, 8]\nvolume = \"8 MiB\"";
    let [write, check, other, its_check] = seeds(body)[..] else { panic!("four steps") };
    assert_eq!((write, other), (check, its_check));
    assert_ne!(write, other, "each pair draws places of its own");
    // Blocks of another size are at other places.
    let body = "op = [\"write\", \"verify\"]\nverify = \"headers\"\npattern = \"random_once\"\n\
                axes = [\"block_size\", \"op\"]\nblock_size = [\"4 KiB\", \"8 KiB\"]\nqueue_depth = 1\nvolume = \"8 MiB\"";
    let [small, small_check, large, large_check] = seeds(body)[..] else { panic!("four steps") };
    assert!(small == small_check && large == large_check && small != large);
}

/// Calculated by hand: the guess is 500 MB/s sequential and 80,000 random 4 KiB operations per second at 32 in flight.
#[test]
fn sets_and_discarded_rounds_arrive_and_smoke_has_none() {
    let body = "op = \"read\"\nblock_size = \"4 KiB\"\npattern = \"random\"\nqueue_depth = [1, 2]\ntime = \"5 s\"\n\
                rest = \"5 s\"\nrounds = 3\nwarm_up_rounds = 1\nrest_after = \"steps\"\norder = \"step_by_step\"\n\
                combine = \"best\"";
    let plan = plan_of(Form::Quick, "action = \"fill\"", body);
    let repeats = Repeats { warm_up_rounds: 1, sets: 1, rest_after: RestAfter::Steps };
    assert_eq!((plan.tests[1].repeats, plan.tests[1].max_rounds()), (repeats, 4));
    assert!(plan.tests[0].repeats.is_plain(), "preparation is done once");
    // Eight executions of 5.1 s and one rest of 5 s.
    assert_eq!(plan.estimated_time().get() - plan.tests[0].steps[0].estimated_time.get(), 45_800_000_000);
    assert!(plan_of(Form::Smoke, "action = \"fill\"", body).tests[1].repeats.is_plain());
}

#[test]
fn estimates_know_rates_pauses_and_what_moves_nothing() {
    let of = |body: &str| {
        let body = format!("block_size = \"4 KiB\"\npattern = \"random\"\nqueue_depth = 32\n{body}");
        let plan = plan_of(Form::Quick, "action = \"fill\"", &body);
        let step = &plan.tests[1].steps[0];
        // Tenths of a second without the setup, and kilobytes.
        ((step.estimated_time.get() - 100_000_000) / 100_000_000, step.estimated_written.get() / 1000)
    };
    let kb = |operations: u64| operations * 4096 / 1000;
    assert_eq!(of("op = \"write\"\ntime = \"10 s\""), (100, kb(800_000)));
    assert_eq!(of("op = \"write\"\ntime = \"10 s\"\nrate = \"1000 IOPS\""), (100, kb(10_000)));
    assert_eq!(of("op = \"write\"\ntime = \"10 s\"\nrate = \"1M IOPS\""), (100, kb(800_000)), "above what it can do");
    let bursts = "rate = \"1000 IOPS\"\nbursts = { on = \"1 s\", off = \"3 s\" }";
    assert_eq!(of(&format!("op = \"write\"\noperations = 1000\n{bursts}")), (40, kb(1000)));
    // A fifth of 80,000 a second.
    let by_volume = "bursts = { volume = \"1 MB\", duty_cycle = 20 }";
    assert_eq!(of(&format!("op = \"write\"\noperations = 16000\n{by_volume}")), (10, kb(16_000)));
    // 32 slots that each pause for 100 ms and then wait 0.4 ms: 318.73 a second.
    assert_eq!(of("op = \"write\"\noperations = 3188\nthink_time = \"100 ms\""), (100, kb(3188)));
    assert_eq!(of("op = \"trim\"\ntime = \"10 s\"").1, 0);
    assert_eq!(of("op = \"flush\"\noperations = 2000"), (20, 0));
    assert_eq!(of("write_percent = 50\nverify = \"off\"\ntime = \"10 s\"").1, kb(400_000));
    let once = "op = \"write\"\npattern = \"random_once\"\ncoverage = \"25 %\"";
    let body = format!("block_size = \"4 KiB\"\nqueue_depth = 32\n{once}");
    let plan = plan_of(Form::Quick, "action = \"fill\"", &body);
    assert_eq!(plan.tests[1].steps[0].estimated_written, Bytes::new(CAPACITY / 4));
    // Each of four threads goes over all of the span; if each has a share of it, they cover one span in total.
    for (streams, times) in [("overlapping", 4), ("disjoint", 1), ("shared", 1)] {
        let passes = format!("op = \"write\"\npattern = \"sequential\"\npasses = 1\nstreams = \"{streams}\"");
        let body = format!("block_size = \"4 KiB\"\nqueue_depth = 1\nthreads = 4\n{passes}");
        let plan = plan_of(Form::Quick, "action = \"fill\"", &body);
        assert_eq!(plan.tests[1].steps[0].estimated_written, Bytes::new(times * CAPACITY), "{streams}");
    }
    // Two groups share the target in proportion to their depths; both write.
    let groups = "op = \"write\"\ntime = \"10 s\"\n[[tests.groups]]\nname = \"other\"";
    assert_eq!(of(groups).1 / 100, kb(800_000) / 100);
}

#[test]
fn a_search_arrives_with_the_lowest_rate_as_the_first() {
    let search = "find_rate = { percentile = 99.9, bound = \"1 ms\", from = \"1000 IOPS\", to = \"200k IOPS\" }";
    let body = format!(
        "op = \"write\"\nblock_size = [\"4 KiB\", \"8 KiB\"]\npattern = \"random\"\nqueue_depth = 32\ntime = \"10 s\"\n\
         arrivals = \"exponential\"\n{search}"
    );
    let plan = plan_of(Form::Quick, "action = \"fill\"", &body);
    let test = &plan.tests[1];
    let expected = RateSearch {
        percentile_thousandths: 99_900,
        bound: Nanos::from_millis(1),
        lowest: 1_000_000,
        highest: 200_000_000,
        max: 12,
    };
    assert_eq!(test.rounds, Rounds::FindRate(expected));
    assert_eq!(test.steps.len(), 2, "each step has a search of its own");
    let step = &test.steps[0];
    assert_eq!(step.id.as_str(), "t/rnd-4k-q32t1-write-exponential-arrivals-p99.9-within-1ms");
    assert_eq!(step.label, "RND 4 KiB Q32T1 write, exponential arrivals, p99.9 within 1 ms");
    let rate = step.workload().unwrap().pace.rate;
    assert_eq!(rate, Some(Rate { per_1000_s: 1_000_000, arrivals: Arrivals::Exponential }));
    assert!(step.estimated_written > Bytes::new(10 * 1000 * 4096), "most rounds write more than the first");
    let smoke = plan_of(Form::Smoke, "action = \"fill\"", &body);
    assert_eq!(smoke.tests[1].rounds, Rounds::Fixed { count: 1 });
    assert_eq!(smoke.tests[1].steps[0].workload().unwrap().pace.rate, rate);
    let few = plan_of(Form::Quick, "action = \"fill\"", &format!("{body}\n[tests.forms.quick]\nrounds = 5"));
    assert_eq!(few.tests[1].max_rounds(), 5);
}

/// Only writes are placed: reads beside them inherit the handle and ignore it, other writes may have their own.
#[test]
fn each_load_that_writes_has_its_own_placement_handle() {
    let (workload, _, slug, label) = step_of("op = \"write\"\nplacement_handle = 2");
    assert_eq!((workload.placement_handle, slug.as_str()), (Some(2), "rnd-4k-q4t1-write-handle-2"));
    assert_eq!(label, "RND 4 KiB Q4T1 write, handle 2");
    assert_eq!(step_of("op = \"write\"").0.placement_handle, None);
    let text = serde_json::to_value(&workload).unwrap();
    assert_eq!((&text["placement_handle"], Workload::default().placement_handle), (&2.into(), None));
    let body = "op = \"write\"\npattern = \"random\"\nblock_size = \"8 KiB\"\nqueue_depth = 4\ntime = \"1 s\"\nplacement_handle = \
                1\n[[tests.groups]]\nname = \"long\"\nplacement_handle = 0\n[[tests.groups]]\nname = \"same\"\n[[tests.groups]]\n\
                name = \"reads\"\nop = \"read\"";
    let plan = plan_of(Form::Quick, "action = \"fill\"", body);
    let load = plan.tests[1].steps[0].workload().unwrap();
    let handles: Vec<Option<u16>> = load.groups().map(|group| group.placement_handle).collect();
    assert_eq!(handles, [Some(1), Some(0), Some(1), None]);
    assert_eq!(load.placement_handles(), [0, 1]);
}
