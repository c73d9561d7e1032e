//! fio job files: what each option becomes, checked in the plan that the language makes of it; mistakes with their
//! line; nothing dropped silently; and the export.

mod support;

use drivelab_core::load::{Arrivals, Locality};
use drivelab_core::plan::{Action, Form, Plan, Step, StopRule};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::workload::{DataPattern, Pattern, Streams, Workload};
use drivelab_interop::{Fate, Imported, Wrong, fio};
use drivelab_method::library;
use proptest::prelude::*;
use support::{around, expanded, parsed};

fn import(text: &str) -> Result<Imported, Wrong> {
    fio::import("jobs/nightly run.fio", text, &around())
}

fn plan(text: &str) -> Plan {
    let imported = import(text).unwrap_or_else(|wrong| panic!("{wrong}"));
    expanded(&imported.toml, Form::Faithful)
}

fn io(step: &Step) -> (&Workload, &StopRule, Nanos) {
    match &step.action {
        Action::Io { workload, stop, ramp } => (workload, stop, *ramp),
        other => panic!("no I/O: {other:?}"),
    }
}

/// The one measured step of a job file.
fn only(text: &str) -> (Workload, StopRule) {
    let plan = plan(text);
    let test = plan.tests.last().expect("a test");
    let [step] = &test.steps[..] else { panic!("several steps: {:?}", test.steps) };
    let (workload, stop, _) = io(step);
    (workload.clone(), stop.clone())
}

fn fate(text: &str, option: &str) -> (Fate, String) {
    let imported = import(text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let note = imported.notes.iter().find(|note| note.option == option);
    let note = note.unwrap_or_else(|| panic!("nothing is said of {option}: {:#?}", imported.notes));
    (note.fate, note.why.clone())
}

#[test]
fn a_plain_job_becomes_a_load_with_its_depth_threads_sizes_and_end() {
    let text = "[global]\nioengine=libaio\ndirect=1\nfilename=/dev/sdx\n\
                [a]\nrw=randrw\nrwmixread=70\nbs=8k\niodepth=16\nnumjobs=4\nnorandommap\nsize=1g\n\
                runtime=90\ntime_based\nramp_time=5s\n";
    let plan = plan(text);
    assert_eq!(plan.tests.len(), 1, "a device is read as it is found: no preparation");
    let (load, stop, ramp) = io(&plan.tests[0].steps[0]);
    assert_eq!((load.write_percent.get(), load.block_size.get(), load.pattern), (30, 8192, Pattern::Random));
    assert_eq!((load.queue_depth.get(), load.threads.get(), load.direct), (16, 4, true));
    assert_eq!((load.span.offset.get(), load.span.length.get()), (0, 1 << 30));
    assert_eq!((stop.time, stop.volume, ramp), (Some(Nanos::from_secs(90)), None, Nanos::from_secs(5)));
}

#[test]
fn defaults_are_those_of_fio_and_not_those_of_drivelab() {
    let (load, stop) = only("[a]\nsize=64m\niodepth=32\n");
    assert_eq!((load.read_percent(), load.block_size.get(), load.pattern), (100, 4096, Pattern::Sequential));
    assert!(!load.direct, "fio goes through the page cache unless direct=1");
    assert_eq!(load.queue_depth.get(), 1, "psync has one operation in flight, whatever iodepth says");
    assert_eq!(fate("[a]\nsize=64m\niodepth=32\n", "iodepth=32").0, Fate::Changed);
    assert_eq!((stop.passes, stop.time), (Some(1), None), "it ends when the file was read once");
}

#[test]
fn random_offsets_come_once_each_unless_the_job_says_otherwise() {
    let with = |more: &str| only(&format!("[a]\nrw=randread\nsize=64m\nioengine=libaio\n{more}"));
    assert_eq!(with("").0.pattern, Pattern::RandomOnce);
    assert_eq!(with("").1.passes, Some(1));
    let (free, stop) = with("norandommap");
    assert_eq!((free.pattern, stop.volume, stop.passes), (Pattern::Random, Some(Bytes::new(64 << 20)), None));
    let (zipf, _) = with("random_distribution=zipf:1.2");
    assert_eq!(zipf.locality, Locality::Zipf { theta_thousandths: 1200, scattered: true });
    let (jumps, _) = with("percentage_random=20");
    assert_eq!((jumps.pattern, jumps.seek_percent.get()), (Pattern::Sequential, 20));
    let both = "[a]\nrw=randread\nsize=64m\npercentage_random=80\nrandom_distribution=zipf:1.2\n";
    let (what, why) = fate(both, "random_distribution=zipf:1.2");
    assert_eq!(what, Fate::Lost);
    assert!(why.contains("only sometimes jumps"), "{why}");
    let (zones, _) = with("random_distribution=zoned:50/5:30/15:20/");
    let Locality::Zoned { zones } = zones.locality else { panic!("no zones") };
    assert_eq!(
        zones.iter().map(|zone| (zone.accesses.get(), zone.span.get())).collect::<Vec<_>>(),
        [(50, 5), (30, 15), (20, 80)]
    );
}

#[test]
fn sizes_may_be_split_or_drawn_from_a_range() {
    let mix = |line: &str| -> Vec<(u64, u32)> {
        let (load, _) = only(&format!("[a]\nrw=randread\nnorandommap\nsize=64m\n{line}\n"));
        load.block_size_mix.iter().map(|share| (share.block_size.get(), share.operations)).collect()
    };
    let split = mix("bssplit=4k/60:64k/:8k/20");
    assert_eq!(split.iter().map(|(size, _)| *size).collect::<Vec<_>>(), [4096, 65_536, 8192]);
    assert_eq!([split[0].1, split[2].1], [split[1].1 * 3, split[1].1], "60, what is left: 20, 20");
    let range = mix("bsrange=4k-16k");
    assert_eq!(range.iter().map(|(size, _)| *size).collect::<Vec<_>>(), [4096, 8192, 12_288, 16_384]);
    assert!(range.iter().all(|(_, share)| *share == range[0].1), "fio rounds to multiples, each as likely: {range:?}");
    let (load, _) = only("[a]\nrw=randwrite\nbs=4k,64k\nsize=64m\n");
    assert_eq!(load.block_size.get(), 65_536, "the second size is that of writes");
}

#[test]
fn gaps_and_backward_reads_are_strides_and_reverse() {
    let of = |rw: &str| only(&format!("[a]\nrw={rw}\nbs=4k\nsize=64m\n")).0;
    assert_eq!(of("read:12k").stride, Some(Bytes::new(16_384)));
    assert_eq!((of("read:-8k").pattern, of("read:-8k").stride), (Pattern::Reverse, None));
    assert_eq!((of("read:-16k").pattern, of("read:-16k").stride), (Pattern::Reverse, Some(Bytes::new(12_288))));
}

/// Compared with fio 3.33: the shares that it issues of each of these mixes, and whether it opens with `O_DIRECT`.
#[test]
fn of_two_options_about_one_thing_the_later_one_holds() {
    let with = |global: &str, own: &str| format!("[global]\n{global}\n[a]\nrw=randrw\nsize=64m\n{own}\n");
    let writes = |global, own| only(&with(global, own)).0.write_percent.get();
    assert_eq!(writes("", "rwmixread=50\nrwmixwrite=70"), 70);
    assert_eq!(writes("", "rwmixwrite=70\nrwmixread=50"), 50);
    assert_eq!(writes("rwmixread=30", "rwmixwrite=80"), 80, "the job's own stands behind what holds for all");
    assert_eq!(writes("rwmixwrite=80", "rwmixread=30"), 70);
    assert_eq!(writes("rwmixread=30\nrwmixwrite=80", "rwmixread=90"), 10);
    let direct = |global, own| only(&with(global, own)).0.direct;
    assert_eq!([direct("", "direct=1\nbuffered=1"), direct("", "buffered=1\ndirect=1")], [false, true]);
    assert_eq!([direct("direct=1", "buffered=1"), direct("buffered=1", "direct=1")], [false, true]);
}

#[test]
fn an_option_that_a_later_one_replaces_is_named_unless_it_holds_elsewhere() {
    let text = "[a]\nrw=randrw\nsize=64m\nrwmixread=50\nrwmixwrite=70\n";
    assert_eq!(fate(text, "rwmixread=50"), (Fate::NoEffect, "the later rwmixwrite=70 overrides it".to_owned()));
    let text = "[a]\nrw=read\nsize=64m\nbuffered=1\ndirect=1\n";
    assert_eq!(fate(text, "buffered=1"), (Fate::NoEffect, "the later direct=1 overrides it".to_owned()));
    let text = "[global]\nrw=randrw\nsize=64m\nrwmixread=50\n[a]\nrwmixwrite=70\n[b]\nstonewall\n";
    let notes = import(text).expect("imported").notes;
    let named = notes.iter().any(|note| note.option.starts_with("rwmix"));
    assert!(!named, "the first mix is that of [b]: {notes:#?}");
}

#[test]
fn rates_pauses_and_flushes_are_those_of_all_threads() {
    let (load, _) = only("[a]\nrw=randwrite\nsize=64m\nnumjobs=4\nfilename=x\nrate_iops=500\nrate_process=poisson\n");
    let rate = load.pace.rate.expect("a rate");
    assert_eq!((rate.per_1000_s, rate.arrivals), (2_000_000, Arrivals::Exponential));
    let (load, _) = only("[a]\nrw=write\nbs=4k\nsize=64m\nrate=1m\n");
    assert_eq!(load.pace.rate.expect("a rate").per_1000_s, 256_000, "1 MiB/s in blocks of 4 KiB");
    let (load, _) = only("[a]\nrw=write\nsize=64m\nthinktime=2ms\nfdatasync=8\n");
    assert_eq!((load.pace.think_time, load.other.sync_every), (Nanos::from_millis(2), 8));
    let (load, _) = only("[a]\nrw=write\nsize=64m\nthinktime=3s\nthinktime_iotime=1s\n");
    let bursts = load.pace.bursts.expect("bursts");
    assert_eq!((bursts.on, bursts.off), (Nanos::from_secs(1), Nanos::from_secs(3)));
}

#[test]
fn data_is_what_fio_would_write() {
    let of = |line: &str| only(&format!("[a]\nrw=write\nsize=64m\n{line}\n")).0;
    assert_eq!(of("").data, DataPattern::Incompressible, "fio scrambles its buffers");
    assert_eq!(of("scramble_buffers=0").data, DataPattern::OneBlock);
    assert_eq!(of("zero_buffers").data, DataPattern::Zero);
    let shares = of("buffer_compress_percentage=40\ndedupe_percentage=10").content;
    assert_eq!((shares.compress_percent.get(), shares.dedup_percent.get()), (40, 10));
    let pattern = of("buffer_pattern=0xdeadbeef");
    assert_eq!((pattern.data, pattern.content.pattern), (DataPattern::Pattern, vec![0xde, 0xad, 0xbe, 0xef]));
}

#[test]
fn jobs_without_a_barrier_between_them_run_at_once() {
    let text = "[global]\nfilename=/dev/sdx\nsize=64m\nruntime=10\ntime_based\n\
                [log]\nrw=write\n[tables]\nrw=randread\nbs=8k\n[after]\nstonewall\nrw=read\n";
    let plan = plan(text);
    assert_eq!(plan.tests.iter().map(|test| test.name.as_str()).collect::<Vec<_>>(), ["log", "after"]);
    let (load, ..) = io(&plan.tests[0].steps[0]);
    let groups: Vec<(&str, u8, u64)> =
        load.groups().map(|group| (group.name.as_str(), group.write_percent.get(), group.block_size.get())).collect();
    assert_eq!(groups, [("main", 100, 4096), ("tables", 0, 8192)]);
}

#[test]
fn files_become_parts_of_the_target_and_threads_have_stretches() {
    let plan = plan("[global]\nsize=64m\nruntime=1\ntime_based\nrw=write\n[a]\n[b]\n[c]\nstonewall\nnumjobs=2\n");
    let (load, ..) = io(&plan.tests[0].steps[0]);
    let spans: Vec<(u64, u64)> =
        load.groups().map(|group| (group.span.offset.get() >> 20, group.span.length.get() >> 20)).collect();
    assert_eq!(spans, [(0, 64), (64, 64)]);
    let (both, ..) = io(&plan.tests[1].steps[0]);
    assert_eq!(
        (both.span.offset.get() >> 20, both.span.length.get() >> 20, both.streams),
        (128, 128, Streams::Disjoint)
    );
    let shared = only("[a]\nfilename=x\nnumjobs=2\nsize=64m\nrw=write\n").0;
    assert_eq!((shared.streams, shared.span.length.get() >> 20), (Streams::Overlapping, 64));
}

#[test]
fn what_is_written_with_verify_is_checked_afterwards() {
    let plan = plan("[a]\nrw=write\nbs=64k\nsize=64m\nverify=crc32c\n[b]\nstonewall\nrw=randread\nbs=64k\nsize=64m\n");
    let labels: Vec<&str> = plan.tests[1].steps.iter().map(|step| step.id.slug()).collect();
    assert_eq!(labels.len(), 2, "written, then checked: {labels:?}");
    assert!(!io(&plan.tests[1].steps[0]).0.verify.is_off() && !io(&plan.tests[1].steps[1]).0.verify.is_off());
}

#[test]
fn what_is_not_carried_over_is_named_with_its_line() {
    let text = "[a]\nrw=randrw\nsize=64m\n# a comment\nzonemode=strided\nnice=5 ; and why\nmade_up=3\nwrite_bw_log=x\n";
    let imported = import(text).expect("imported");
    let notes: Vec<(usize, &str, Fate)> =
        imported.notes.iter().map(|note| (note.line, note.option.as_str(), note.fate)).collect();
    assert_eq!(
        notes[..],
        [
            (5, "zonemode=strided", Fate::Lost),
            (6, "nice=5", Fate::Lost),
            (7, "made_up=3", Fate::Lost),
            (8, "write_bw_log=x", Fate::NoEffect),
        ]
    );
    for note in &imported.notes {
        let head: String = imported.toml.lines().take_while(|line| line.starts_with('#')).collect::<Vec<_>>().join(" ");
        assert!(head.contains(&note.option), "{} is not at the head of the file", note.option);
    }
    assert_eq!(parsed(&imported.toml).identity().name, "nightly-run");
}

#[test]
fn what_is_true_of_some_jobs_only_names_them_at_a_line_that_is_for_all() {
    let jobs = "[plain]\nrw=read\n[rw70]\nstonewall\nrw=randrw\nbssplit=4k/60:64k/40\n";
    let text = format!("[global]\nsize=64m\nbs=4k\nwrite_bw_log=x\n{jobs}");
    let why = "the distribution of sizes replaces it";
    assert_eq!(fate(&text, "bs=4k"), (Fate::NoEffect, format!("[rw70]: {why}")));
    assert!(!fate(&text, "write_bw_log=x").1.contains('['), "it is so of every job");
    // If all jobs are concerned, or the line is that of the job, no job has to be named.
    let both = text.replace("rw=read\n", "rw=read\nbssplit=4k/50:8k/50\n");
    assert_eq!(fate(&both, "bs=4k"), (Fate::NoEffect, why.to_owned()));
    let own = text.replace("bs=4k\n", "").replace("rw=randrw\n", "rw=randrw\nbs=4k\n");
    assert_eq!(fate(&own, "bs=4k"), (Fate::NoEffect, why.to_owned()));
    // A job that is left out is not in the methodology.
    let left_out = text.replace("rw=read\n", "rw=read\nioengine=net\n");
    assert_eq!(fate(&left_out, "bs=4k"), (Fate::NoEffect, why.to_owned()));
    let several = format!("{text}[more]\nstonewall\nrw=read\nbssplit=4k/50:8k/50\n");
    assert_eq!(fate(&several, "bs=4k").1, format!("[rw70], [more]: {why}"));
}

#[test]
fn a_range_of_sizes_beside_shares_of_sizes_has_no_effect() {
    let text = "[mixed]\nrw=rw\nsize=64m\nbssplit=512/50:1m/50\nbsrange=512:1m\n";
    assert_eq!(fate(text, "bsrange=512:1m"), (Fate::NoEffect, "bssplit decides the sizes, as in fio".to_owned()));
    let (fate_of_mix, why) = fate(text, "rw=rw");
    assert_eq!(fate_of_mix, Fate::Changed);
    assert!(
        why.ends_with("if a large block no longer fits before the end of the span, small blocks fill the rest"),
        "{why}"
    );
}

#[test]
fn mistakes_point_to_their_line_and_say_what_was_expected() {
    for (text, line, title, label) in [
        ("[a]\nrw=sideways\nsize=1g\n", 2, "'sideways' is not a valid value of rw", "expected read, write"),
        ("[a]\nrw=read\nsize=1x\n", 3, "'1x' is not a valid value of size", "expected bytes or per cent"),
        ("[a]\nbs=$pagesize\nsize=1g\n", 2, "'$pagesize' is not a valid value of bs", "expected sizes"),
        ("size=1g\n[a]\n", 1, "an option before any section", "expected [name] first"),
        ("[a]\nsize=${NOT_SET}\n", 2, "the variable NOT_SET is not set", "its value is needed here"),
        ("[a]\nwhat is this\n", 2, "'what is this' is not an option of a job file", "expected key=value"),
        ("[a\nsize=1g\n", 1, "a section without its end", "expected ]"),
        ("[global]\nsize=1g\n", 1, "the file has no job", "it contains only [global]"),
        ("hello\n", 1, "an option before any section", "expected [name] first"),
        ("", 1, "this is not a fio job file", "expected [name]"),
        ("[n]\nioengine=net\n", 1, "no job of this file reads or writes a drive", "nothing is left to import"),
        ("[a]\ninclude gone.fio\n", 2, "the included file 'gone.fio' cannot be read: not there", "expected a file"),
        ("include self.fio\n", 1, "includes are nested too deep", "the file may include itself"),
        (
            "include common.fio\n".repeat(40).as_str(),
            32,
            "more than 32 files are included",
            "one of them may include itself",
        ),
    ] {
        let wrong = import(text).expect_err(text);
        let first = &wrong.mistakes()[0];
        assert_eq!((first.title(), wrong.line(first)), (title, line), "{text}\n{wrong}");
        assert!(first.label().starts_with(label), "{text}: {}", first.label());
        assert!(wrong.render(false).contains(title), "{wrong}");
    }
}

#[test]
fn variables_and_included_files_are_read() {
    let (load, _) = only("include common.fio\n[a]\nsize=${SIZE}\n");
    assert_eq!((load.block_size.get(), load.span.length.get()), (16_384, 32 << 20));
}

/// Names of options with a value that none of them refuses.
const KEYS: [&str; 29] = [
    "rw=randwrite",
    "bs=8k",
    "iodepth=4",
    "numjobs=2",
    "size=64m",
    "runtime=5",
    "time_based",
    "fsync=4",
    "loops=2",
    "stonewall",
    "group_reporting",
    "nice=3",
    "ioengine=libaio",
    "direct=1",
    "verify=md5",
    "rate_iops=100",
    "thinktime=5",
    "norandommap",
    "offset=1m",
    "filename=/tmp/x",
    "random_distribution=zipf:0.9",
    "bsrange=4k-8k",
    "percentage_random=50",
    "no_such_option=1",
    "rw=randrw",
    "rwmixread=60",
    "rwmixwrite=20",
    "buffered=1",
    "direct=0",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_option_is_carried_or_named_and_the_result_is_a_methodology(
        picks in proptest::collection::vec(0..KEYS.len(), 0..12),
        second in proptest::collection::vec(0..KEYS.len(), 0..6),
    ) {
        let lines = |picks: &[usize]| picks.iter().map(|at| format!("{}\n", KEYS[*at])).collect::<String>();
        let text = format!("[global]\nsize=64m\n[one]\n{}[two]\n{}", lines(&picks), lines(&second));
        let imported = import(&text).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"));
        let named = imported.notes.iter().filter(|note| note.fate != Fate::Changed && !note.option.starts_with('['));
        let sections = imported.notes.iter().filter(|n| n.fate == Fate::Changed && n.option.starts_with('[')).count();
        let told = named.count() + imported.carried - sections;
        prop_assert_eq!(told, picks.len() + second.len() + 1, "{}\n{:#?}", text, imported.notes);
        expanded(&imported.toml, Form::Faithful);
        expanded(&imported.toml, Form::Smoke);
    }

    #[test]
    fn no_text_breaks_the_reader(text in "(\\[?[a-z =0-9kKmM%:/,$(){}.#;-]{0,20}\\]?\n){0,8}") {
        if let Ok(imported) = import(&text) {
            let _ = parsed(&imported.toml);
        }
    }
}

/// The loads of a plan without what fio does not know: seeds, names, and how threads share what they draw from.
fn comparable(load: &Workload) -> Workload {
    let beside = load.beside.iter().map(comparable).collect();
    let unshared = load.threads.get() == 1 || load.pattern == Pattern::Random;
    let streams = if unshared { Streams::Disjoint } else { load.streams };
    let mut same = Workload { seed: 1, name: String::new(), streams, beside, ..load.clone() };
    if load.write_percent.is_zero() {
        // What a load that writes nothing would write.
        (same.data, same.content) = (DataPattern::Incompressible, drivelab_core::load::Content::default());
    }
    same
}

/// For each job with a barrier, whether it and the jobs beside it are not commented out.
fn plainly_said(job_file: &str) -> Vec<bool> {
    let mut said: Vec<bool> = Vec::new();
    for section in job_file.split("\n[").skip(2) {
        let body = section.split("\n\n").next().unwrap_or(section);
        let plain = !body.contains("\n;");
        if body.contains("\nstonewall") {
            said.push(plain);
        } else if let Some(last) = said.last_mut() {
            *last &= plain;
        }
    }
    said
}

fn has_span(step: &Step) -> bool {
    let plain = |load: &Workload| load.replay.is_none() && load.files.is_none() && load.span.length.get() > 0;
    // A load that only flushes or writes zeroes is not a fio job.
    let moves = |load: &Workload| load.other.write_zeroes_percent.get() + load.other.flush_percent.get() < 100;
    step.workload().is_some_and(|load| load.groups().all(plain) && moves(load))
}

#[test]
fn a_plan_as_fio_job_file_is_read_back_as_the_same_loads() {
    let mut compared = 0;
    for built_in in library::all() {
        let method = parsed(built_in.text);
        for form in method.forms() {
            let first = expanded(built_in.text, form);
            let text = fio::job_file(&first, "/dev/sdx").expect("a plain name");
            if !first.steps().any(has_span) {
                continue;
            }
            let imported = import(&text).unwrap_or_else(|wrong| panic!("{}: {wrong}\n{text}", built_in.name));
            let second = expanded(&imported.toml, Form::Faithful);
            let schedule = first.schedule();
            // A step at a share of another step's rate is a comment until that rate is known.
            let steps = schedule.iter().map(|(_, step)| *step).filter(|step| has_span(step) && step.relative.is_none());
            let back: Vec<&Step> = second.steps().collect();
            let plain = plainly_said(&text);
            let repeats =
                first.tests.iter().any(|test| !matches!(test.rounds, drivelab_core::plan::Rounds::Fixed { .. }));
            if repeats || plain.len() != back.len() {
                continue;
            }
            for ((step, other), plain) in steps.zip(&back).zip(plain) {
                let (load, other_load) = (step.workload().expect("I/O"), other.workload().expect("I/O"));
                if plain {
                    assert_eq!(comparable(load), comparable(other_load), "{} {}\n{text}", built_in.name, step.id);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared >= 30, "only {compared} loads were compared");
}

#[test]
fn what_fio_cannot_say_is_a_comment_and_everything_else_survives_the_way_back() {
    let method = support::method(
        "op = \"write\"\npattern = \"random\"\nblock_size = \"8 KiB\"\nqueue_depth = 4\nthreads = 3\nspan = \"25 %\"\n\
         rate = \"3000 IOPS\"\narrivals = \"exponential\"\nlocality = { pareto = 0.2 }\ncompress_percent = 30\n\
         sync_every = 16\ntime = \"20 s\"\nramp = \"2 s\"\nrest = \"5 s\"\n\n[[tests.groups]]\nname = \"log\"\n\
         pattern = \"reverse\"\nthreads = 1\nspan = { offset = \"50 %\", length = \"25 %\" }\nrate = \"10 IOPS\"\n\
         locality = \"uniform\"\ndata = \"zero\"\ncompress_percent = 0\n",
    );
    let first = expanded(&method, Form::Faithful);
    let text = fio::job_file(&first, "/dev/sdx").expect("a plain name");
    assert!(text.contains("; afterwards drivelab rests for 5 s"), "{text}");
    let second = expanded(&import(&text).expect("read back").toml, Form::Faithful);
    let load = |plan: &Plan| comparable(plan.tests.last().expect("a test").steps[0].workload().expect("I/O"));
    assert_eq!(load(&first), load(&second), "{text}");
}

/// The job file of a test with a curve, which is complete once the rates are filled in.
fn curve(load: &str) -> String {
    let method = support::method(&format!("block_size = \"8 KiB\"\nspan = \"25 %\"\ntime = \"20 s\"\n{load}"));
    fio::job_file(&expanded(&method, Form::Faithful), "/dev/sdx").expect("a plain name")
}

/// Jobs that fio runs.
fn jobs_of(job_file: &str) -> Vec<&str> {
    job_file.lines().filter(|line| line.starts_with('[') && *line != "[global]").collect()
}

#[test]
fn a_share_of_full_speed_is_a_comment_until_its_rate_is_known() {
    let text = curve(
        "op = \"read\"\npattern = \"random\"\nqueue_depth = 4\nthreads = 2\narrivals = \"exponential\"\n\
         curve = { points = [50, 90], rounding = \"vdbench\", stop_above = \"5 ms\" }\n",
    );
    let full = "one.rnd-8k-q4t2-read-full-speed";
    assert_eq!(jobs_of(&text), ["[prepare.fill]".to_owned(), format!("[{full}]")], "{text}");
    let blank = |percent: u32| format!("<{percent} % of the IOPS of job {full}, divided by 2>");
    for percent in [50, 90] {
        assert!(text.contains(&format!("\n#[one.rnd-8k-q4t2-read-{percent}pct-of-full-speed]\n")), "{text}");
        assert!(text.contains(&format!("\n#rate_iops={}\n#rate_process=poisson\n", blank(percent))), "{text}");
    }
    assert!(text.contains("known only after that job has run"), "{text}");
    assert!(text.contains("rounded up to whole hundreds above 1000 per second, otherwise to whole tens"), "{text}");
    assert!(text.contains("ends the curve after the first share whose mean latency is above 5 ms"), "{text}");
    let filled = text.replace("\n#", "\n").replace(&blank(50), "500").replace(&blank(90), "900");
    let plan = expanded(&import(&filled).unwrap_or_else(|wrong| panic!("{wrong}\n{filled}")).toml, Form::Faithful);
    let rate = |step: &Step| step.workload().expect("I/O").pace.rate.map(|rate| (rate.per_1000_s, rate.arrivals));
    let rates: Vec<_> = plan.steps().map(rate).collect();
    let poisson = |rate: u64| Some((rate * 1000, Arrivals::Exponential));
    assert_eq!(rates, [None, None, poisson(1000), poisson(1800)], "500 and 900 for each of two jobs\n{filled}");
}

#[test]
fn each_load_of_a_share_has_its_own_blank_and_one_with_a_rate_keeps_it() {
    let text = curve(
        "pattern = \"random\"\nwrite_percent = 30\nqueue_depth = 4\ncurve = { points = [90] }\n\
         \n[[tests.groups]]\nname = \"log\"\nop = \"write\"\n\
         \n[[tests.groups]]\nname = \"beat\"\nop = \"read\"\nrate = \"10 IOPS\"\n",
    );
    let jobs = jobs_of(&text);
    assert_eq!(jobs.len(), 4, "the fill, and three loads at full speed\n{text}");
    let full = jobs[1].trim_matches(['[', ']']);
    let mix = format!("#rate_iops=<90 % of the read IOPS of job {full}>,<90 % of the write IOPS of job {full}>");
    assert!(text.contains(&mix), "{text}");
    assert!(text.contains(&format!("#rate_iops=<90 % of the IOPS of job {full}.log>")), "{text}");
    assert!(text.contains("\n#rate_iops=10\n"), "{text}");
    assert!(text.contains("without group_reporting"), "fio adds up what runs at once\n{text}");
}

#[test]
fn one_job_for_all_threads_of_a_stream_has_the_rate_of_all() {
    let method = support::method(
        "op = \"read\"\npattern = \"sequential\"\nblock_size = \"8 KiB\"\nqueue_depth = 4\nthreads = 3\n\
         streams = \"shared\"\nspan = \"25 %\"\nrate = \"3000 IOPS\"\ntime = \"20 s\"\n",
    );
    let text = fio::job_file(&expanded(&method, Form::Faithful), "/dev/sdx").expect("a plain name");
    assert!(text.contains("\nrate_iops=3000\n") && text.contains("\niodepth=12\n"), "{text}");
}
