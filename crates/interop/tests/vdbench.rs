//! Vdbench parameter files: what each parameter becomes, checked in the plan that the language makes of it; mistakes
//! with their line; nothing dropped silently.

mod support;

use drivelab_core::load::Arrivals;
use drivelab_core::plan::{Action, Form, Plan, StopRule};
use drivelab_core::relative::Rounding;
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::workload::{Pattern, Workload};
use drivelab_interop::{Fate, Imported, Wrong, vdbench};
use proptest::prelude::*;
use support::{around, expanded, parsed};

const STORAGE: &str = "sd=sd1,lun=/dev/sdx,openflags=o_direct\n";

fn import(text: &str) -> Result<Imported, Wrong> {
    vdbench::import("curves.parm", text, &around())
}

fn plan(text: &str) -> Plan {
    let imported = import(text).unwrap_or_else(|wrong| panic!("{wrong}"));
    expanded(&imported.toml, Form::Faithful)
}

fn io(action: &Action) -> (&Workload, &StopRule) {
    match action {
        Action::Io { workload, stop, .. } => (workload, stop),
        other => panic!("no I/O: {other:?}"),
    }
}

fn loads(plan: &Plan) -> Vec<(&Workload, &StopRule)> {
    plan.steps().map(|step| io(&step.action)).collect()
}

#[test]
fn a_run_becomes_a_test_with_vdbenchs_defaults() {
    let plan = plan(&format!("{STORAGE}wd=wd1,sd=sd1\nrd=run1,wd=wd1,iorate=max\n"));
    let (load, stop) = loads(&plan)[0];
    assert_eq!((load.read_percent(), load.pattern, load.block_size.get()), (100, Pattern::Random, 4096));
    assert_eq!((load.queue_depth.get(), load.direct, stop.time), (8, true, Some(Nanos::from_secs(30))));
    assert!(load.pace.rate.is_none(), "max is a closed loop");
}

#[test]
fn abbreviations_defaults_comments_and_includes_are_read() {
    let text = "* a comment\ninclude=storage.parm\nwd=default,xf=8k,rdp=70 seekpct=0\nwd=wd1,sd=sd1,\n  seek=seq\n\
                rd=run1,wd=wd*,io=500,el=2m,in=1,dist=d\n";
    let plan = plan(text);
    let (load, stop) = loads(&plan)[0];
    assert_eq!((load.block_size.get(), load.write_percent.get(), load.pattern), (8192, 30, Pattern::Sequential));
    assert_eq!((load.queue_depth.get(), stop.time), (4, Some(Nanos::from_secs(120))));
    let rate = load.pace.rate.expect("a rate");
    assert_eq!((rate.per_1000_s, rate.arrivals), (500_000, Arrivals::Constant));
}

#[test]
fn a_range_of_definitions_is_all_from_the_one_to_the_other() {
    let storage = "sd=sd1,lun=/dev/sda\nsd=sd2,lun=/dev/sdb\nsd=sd3,lun=/dev/sdc\nsd=sd4,lun=/dev/sdd\n";
    let imported = import(&format!("{storage}wd=w\nrd=r,wd=w,sd=(sd2-sd4),iorate=MAX\n")).expect("imported");
    let more = imported.notes.iter().filter(|note| note.why.contains("several storage definitions"));
    assert_eq!(more.map(|note| note.option.as_str()).collect::<Vec<_>>(), ["sd=sd3", "sd=sd4"], "beside sd2");
    assert!(import(&format!("{storage}wd=w\nrd=r,wd=w,sd=(sd4-sd2)\n")).is_err(), "a range that goes back names none");
}

#[test]
fn any_beginning_of_the_words_random_and_sequential_is_read() {
    for (word, pattern) in [("rand", Pattern::Random), ("r", Pattern::Random), ("sequ", Pattern::Sequential)] {
        let plan = plan(&format!("{STORAGE}wd=w,sd=sd1,seekpct={word}\nrd=r,wd=w,iorate=max\n"));
        assert_eq!(loads(&plan)[0].0.pattern, pattern, "{word}");
    }
    let wrong = import(&format!("{STORAGE}wd=w,sd=sd1,seekpct=randy\nrd=r,wd=w\n")).expect_err("no such word");
    assert!(wrong.mistakes()[0].title().starts_with("'randy' is not a valid value of seekpct"));
}

#[test]
fn loops_become_axes_in_their_order() {
    let text = "wd=wd1,sd=sd1\nrd=r,wd=wd1,iorate=(100,200),elapsed=5,forxfersize=(1k-4k,d),forrdpct=(0,100)\n";
    let plan = plan(&format!("{STORAGE}{text}"));
    let found: Vec<(u64, u8, u64)> = loads(&plan)
        .iter()
        .map(|(load, _)| {
            (load.block_size.get(), load.read_percent(), load.pace.rate.map_or(0, |rate| rate.per_1000_s / 1000))
        })
        .collect();
    assert_eq!(found.len(), 12);
    assert_eq!(found[..4], [(1024, 0, 100), (1024, 0, 200), (1024, 100, 100), (1024, 100, 200)]);
    assert_eq!(loads(&plan)[0].0.pace.rate.expect("a rate").arrivals, Arrivals::Exponential, "Vdbench's default");
}

#[test]
fn workloads_of_a_run_share_its_rate_by_skew() {
    let text = "sd=sd1,lun=x,size=100m\nwd=log,sd=sd1,xfersize=24k,rdpct=0,seekpct=0,skew=10\n\
                wd=reads,sd=sd1,xfersize=(4k,85,8k,15),rdpct=100,skew=60\nwd=writes,sd=sd1,rdpct=0\n\
                rd=tpcc,wd=*,iorate=1000,elapsed=60,warmup=10,pause=5\n";
    let plan = plan(text);
    let (load, _) = *loads(&plan).last().expect("a step");
    let groups: Vec<(&str, u64, u64)> = load
        .groups()
        .map(|group| {
            let rate = group.pace.rate.map_or(0, |rate| rate.per_1000_s / 1000);
            (group.name.as_str(), rate, group.block_size.get())
        })
        .collect();
    assert_eq!(groups, [("main", 100, 24_576), ("reads", 600, 8192), ("writes", 300, 4096)]);
    assert_eq!(load.beside[0].block_size_mix.len(), 2);
    assert!(
        load.groups().all(|group| group.span.length == Bytes::new(100 << 20).align_down(group.block_size)),
        "a file of 100 MiB, filled first"
    );
}

#[test]
fn a_curve_is_full_speed_and_shares_of_it() {
    let relative = |text: &str| -> Vec<(u32, Rounding, Option<Nanos>, Arrivals)> {
        let plan = plan(&format!("{STORAGE}wd=wd1,sd=sd1,rdpct=50\nrd=r,wd=wd1,{text}\n"));
        assert!(loads(&plan).iter().all(|(_, stop)| stop.time == Some(Nanos::from_secs(60))));
        assert!(plan.steps().next().is_some_and(|step| step.relative.is_none()), "full speed first");
        let shares = plan.steps().filter_map(|step| step.relative.as_ref());
        shares.map(|share| (share.percent, share.rounding, share.stop_above, share.arrivals)).collect()
    };
    let all = |percents: &[u32], stop_above, arrivals| -> Vec<(u32, Rounding, Option<Nanos>, Arrivals)> {
        percents.iter().map(|percent| (*percent, Rounding::Vdbench, stop_above, arrivals)).collect()
    };
    let text = "iorate=curve,elapsed=60";
    assert_eq!(relative(text), all(&[10, 50, 70, 80, 90, 100], None, Arrivals::Exponential), "Vdbench's own points");
    let text = "iorate=curve,curve=(20-120,50),stopcurve=2.5,elapsed=60,dist=d";
    assert_eq!(relative(text), all(&[20, 70, 120], Some(Nanos::new(2_500_000)), Arrivals::Constant));
    let imported = import(&format!("{STORAGE}wd=w,sd=sd1\nrd=r,wd=w,iorate=100,curve=(5,10)\n")).expect("imported");
    let note = imported.notes.iter().find(|note| note.option == "curve=(5,10)").expect("a note");
    assert_eq!((note.fate, imported.toml.contains("points")), (Fate::NoEffect, false));
}

#[test]
fn ranges_and_ratios_are_spans_and_shares() {
    let text = "compratio=2\ndedupratio=4\nsd=sd1,lun=/dev/sdx,size=1g,threads=2\n\
                wd=wd1,sd=sd1,rdpct=0,seekpct=20,range=(25,50)\nrd=r,wd=wd1,iorate=max,elapsed=5,maxdata=1g\n";
    let plan = plan(text);
    let (load, stop) = loads(&plan)[0];
    assert_eq!((load.span.offset.get() >> 20, load.span.length.get() >> 20), (256, 256));
    assert_eq!((load.pattern, load.seek_percent.get(), stop.volume), (Pattern::Sequential, 20, Some(Bytes::GIB)));
    assert_eq!((load.content.compress_percent.get(), load.content.dedup_percent.get()), (50, 75));
}

#[test]
fn what_is_not_carried_over_is_named_with_its_line() {
    let text = format!("{STORAGE}sd=sd2,lun=/dev/sdy\nwd=wd1,sd=sd*,rhpct=20,priority=2\nrd=r,wd=wd1,io=curve,el=5\n");
    let imported = import(&text).expect("imported");
    let lost: Vec<(usize, &str)> = imported
        .notes
        .iter()
        .filter(|note| note.fate == Fate::Lost)
        .map(|note| (note.line, note.option.as_str()))
        .collect();
    assert_eq!(lost, [(2, "sd=sd2"), (3, "rhpct=20"), (3, "priority=2")]);
    assert!(imported.toml.contains("#   line 3: rhpct=20"), "{}", imported.toml);
}

#[test]
fn what_a_loop_or_a_run_overrides_is_without_effect_unless_another_run_has_it() {
    let storage = "sd=sd1,lun=/dev/sdx,threads=4\nwd=w,sd=sd1,xfersize=8k,rdpct=50,seekpct=30\n";
    let noted = |runs: &str| {
        let imported = import(&format!("{storage}{runs}")).expect("imports");
        let replaced = imported.notes.iter().filter(|note| note.why.ends_with("overrides it"));
        replaced.map(|note| (note.fate, note.option.clone())).collect::<Vec<_>>()
    };
    let all = ["threads=4", "xfersize=8k", "rdpct=50", "seekpct=30"];
    let all = all.map(|option| (Fate::NoEffect, option.to_owned())).to_vec();
    let loops = "rd=a,wd=w,forthreads=(1,2),forxfersize=(1k,2k),forrdpct=(0,100),forseekpct=(0,100)\n";
    assert_eq!(noted(loops), all);
    assert_eq!(noted("rd=a,wd=w,threads=1,xfersize=1k,rdpct=0,seekpct=0\n"), all);
    assert!(noted(&format!("{loops}rd=b,wd=w\n")).is_empty(), "the second run has them all");
    assert!(noted(&format!("rd=b,wd=w\n{loops}")).is_empty(), "and so has the first");
}

#[test]
fn ratios_of_data_are_without_effect_where_nothing_is_written() {
    let fate = |share: u64| {
        let text = format!("compratio=2\nsd=sd1,lun=/dev/sdx\nwd=w,sd=sd1,rdpct={share}\nrd=r,wd=w\n");
        import(&text).expect("imports").notes.iter().find(|note| note.option == "compratio=2").map(|note| note.fate)
    };
    assert_eq!((fate(100), fate(99)), (Some(Fate::NoEffect), Some(Fate::Changed)));
}

#[test]
fn mistakes_point_to_their_line_and_say_what_was_expected() {
    for (text, line, title, label) in [
        (
            "sd=sd1,lun=x\nwd=wd1,sd=sd1,rdpct=170\nrd=r,wd=wd1\n",
            2,
            "'170' is not a valid value of rdpct",
            "expected 0 to 100",
        ),
        ("sd=sd1,lun=x\nwd=wd1,sd=sd7\nrd=r,wd=wd1\n", 2, "no sd is called 'sd7'", "expected the name"),
        (
            "sd=sd1,lun=x\nwd=wd1,sd=sd1,xfersize=(4k,60,8k,10)\nrd=r,wd=wd1\n",
            2,
            "'4k,60,8k,10' is not a valid value of xfersize",
            "expected sizes",
        ),
        ("sd=sd1,lun=x\nwd=wd1,sd=(sd1\n", 2, "a list without its end", "expected )"),
        (
            "sd=sd1,lun=x\nwd=wd1,sd=sd1\nrd=r,wd=wd1,iorate=curve,curve=(0,50)\n",
            3,
            "'0,50' is not a valid value of curve",
            "expected shares of the highest rate",
        ),
        (
            "sd=sd1,lun=x\nwd=wd1,sd=sd1\nrd=r,wd=wd1,iorate=curve,stopcurve=soon\n",
            3,
            "'soon' is not a valid value of stopcurve",
            "expected a mean response time",
        ),
        ("hello world\n", 1, "'hello' is not a parameter", "expected key=value"),
        ("", 1, "this is not a Vdbench parameter file", "expected sd="),
        ("sd=sd1,lun=x\nwd=wd1,sd=sd1\n", 1, "the file has no run", "nothing is left"),
        ("fsd=f,anchor=/x\nfwd=w,fsd=f\nrd=r,fwd=w\n", 1, "no run of this file reads or writes raw storage", "nothing"),
        ("include=gone.parm\n", 1, "the included file 'gone.parm' cannot be read: not there", "expected a file"),
    ] {
        let wrong = import(text).expect_err(text);
        let first = &wrong.mistakes()[0];
        assert_eq!(wrong.line(first), line, "{text}\n{wrong}");
        assert!(first.title().starts_with(title) && first.label().starts_with(label), "{text}\n{wrong}");
    }
}

/// Parameters of a workload and of a run that none of them refuses.
const WORK: [&str; 9] = [
    "xfersize=8k",
    "xfersize=(4k,50,16k,50)",
    "rdpct=70",
    "seekpct=0",
    "seekpct=30",
    "skew=50",
    "range=(0,25)",
    "rhpct=10",
    "threads=2",
];
const RUN: [&str; 12] = [
    "iorate=100",
    "iorate=max",
    "iorate=curve",
    "curve=(20,60,100)",
    "stopcurve=5",
    "elapsed=10",
    "interval=1",
    "warmup=5",
    "forxfersize=(4k,8k)",
    "forthreads=(1-8,d)",
    "forrdpct=(0,50)",
    "distribution=uniform",
];

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn every_parameter_is_carried_or_named_and_the_result_is_a_methodology(
        work in proptest::collection::vec(0..WORK.len(), 0..5),
        other in proptest::collection::vec(0..WORK.len(), 0..4),
        run in proptest::collection::vec(0..RUN.len(), 0..6),
    ) {
        let list = |from: &[&str], picks: &[usize]| picks.iter().map(|at| format!(",{}", from[*at])).collect::<String>();
        let text = format!(
            "{STORAGE}wd=wd1,sd=sd1{}\nwd=wd2,sd=sd1{}\nrd=r,wd=wd*{}\n",
            list(&WORK, &work), list(&WORK, &other), list(&RUN, &run),
        );
        let imported = import(&text).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"));
        let doubled = |picks: &[usize], from: &[&str]| {
            let keys: Vec<&str> = picks.iter().map(|at| from[*at].split('=').next().unwrap_or_default()).collect();
            keys.iter().enumerate().filter(|(at, key)| keys[at + 1..].contains(key)).count()
        };
        let replaced = doubled(&work, &WORK) + doubled(&other, &WORK) + doubled(&run, &RUN);
        let named = imported.notes.iter().filter(|note| note.fate != Fate::Changed).count();
        let all = 2 + 1 + 1 + 1 + work.len() + other.len() + run.len();
        prop_assert!(imported.carried + named + replaced >= all, "{text}\n{:#?}", imported.notes);
        expanded(&imported.toml, Form::Faithful);
        expanded(&imported.toml, Form::Smoke);
    }

    #[test]
    fn no_text_breaks_the_reader(text in "(([swr]d=)?[a-z0-9=,()* -]{0,24}\n){0,8}") {
        if let Ok(imported) = import(&text) {
            let _ = parsed(&imported.toml);
        }
    }
}
