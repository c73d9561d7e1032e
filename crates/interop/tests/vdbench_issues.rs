//! What Vdbench issues for a parameter file, compared with the plan that its import makes: one test for each kind of
//! parameter that once silently became a different load, or was refused although Vdbench accepts it.

mod support;

use drivelab_core::plan::{Action, Form, Plan};
use drivelab_core::workload::Workload;
use drivelab_interop::{Fate, Imported, Wrong, vdbench};
use support::{around, expanded};

const STORAGE: &str = "sd=sd1,lun=/dev/sdx,openflags=o_direct\n";
const TWO: &str = "sd=sd1,lun=/dev/sdx\nsd=sd2,lun=/dev/sdy\n";

fn import(text: &str) -> Result<Imported, Wrong> {
    vdbench::import("curves.parm", text, &around())
}

fn plan(text: &str) -> Plan {
    let imported = import(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"));
    expanded(&imported.toml, Form::Faithful)
}

fn loads(plan: &Plan) -> Vec<&Workload> {
    fn io(action: &Action) -> &Workload {
        match action {
            Action::Io { workload, .. } => workload,
            other => panic!("no I/O: {other:?}"),
        }
    }
    plan.steps().map(|step| io(&step.action)).collect()
}

fn why(text: &str, option: &str) -> (Fate, String) {
    let imported = import(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"));
    let note = imported.notes.iter().find(|note| note.option == option);
    let note = note.unwrap_or_else(|| panic!("nothing is said of {option}: {:#?}", imported.notes));
    (note.fate, note.why.clone())
}

/// Line and title of the first mistake.
fn mistake(text: &str) -> (usize, String) {
    let wrong = match import(text) {
        Ok(imported) => panic!("{text} was imported:\n{}", imported.toml),
        Err(wrong) => wrong,
    };
    let first = &wrong.mistakes()[0];
    (wrong.line(first), first.title().to_owned())
}

#[test]
fn workloads_on_disks_of_their_own_are_said_to_share_one_target() {
    let text = format!("{TWO}wd=wd1,sd=sd1\nwd=wd2,sd=sd2,rdpct=0\nrd=r,wd=wd*,iorate=max,elapsed=5\n");
    let (fate, words) = why(&text, "sd=sd2");
    assert!(fate == Fate::Lost && words.contains("one target"), "{words}");
    let sizes = "sd=sd1,lun=/tmp/a,size=64m\nsd=sd2,lun=/tmp/b,size=32m\n";
    let text = format!("{sizes}wd=wd1,sd=sd1\nwd=wd2,sd=sd2,rdpct=0\nrd=r,wd=wd*,iorate=max,elapsed=5\n");
    assert_eq!(why(&text, "sd=sd2").0, Fate::Lost);
}

#[test]
fn runs_that_differ_by_their_storage_only_are_one_test() {
    let text = format!("{TWO}wd=wd1,sd=sd1\nwd=wd2,sd=sd*\nrd=one,wd=wd1,elapsed=5\nrd=two,wd=wd2,elapsed=5\n");
    assert_eq!(loads(&plan(&text)).len(), 1);
    let (fate, words) = why(&text, "rd=two");
    assert!(fate == Fate::Lost && words.contains("rd=one"), "{words}");
    let twice = format!("{STORAGE}wd=wd1,sd=sd1\nrd=one,wd=wd1,elapsed=5\nrd=two,wd=wd1,elapsed=5\n");
    assert_eq!(loads(&plan(&twice)).len(), 2, "a run that stands twice is run twice");
}

#[test]
fn no_time_and_shares_that_are_none_are_refused() {
    let run = |wd: &str, rd: &str| mistake(&format!("{STORAGE}wd=wd1,sd=sd1{wd}\nrd=r,wd=wd1{rd}\n"));
    assert_eq!(run("", ",elapsed=0"), (3, "'0' is not a valid value of elapsed".to_owned()));
    let two = |one: &str, other: &str| {
        format!("{STORAGE}wd=wd1,sd=sd1,skew={one}\nwd=wd2,sd=sd1,skew={other}\nrd=r,wd=wd*,iorate=100,elapsed=5\n")
    };
    assert_eq!(mistake(&two("150", "99")).0, 2);
    assert_eq!(mistake(&two("60", "60")).0, 4, "together more than 100");
    assert_eq!(mistake(&two("20", "60")).0, 4, "together less, and no other workload has the rest");
    let finely = plan(&two("0.75", "99.25"));
    let rates: Vec<u64> = loads(&finely)
        .last()
        .expect("a load")
        .groups()
        .map(|load| load.pace.rate.expect("a rate").per_1000_s)
        .collect();
    assert_eq!(rates, [750, 99_250]);
}

#[test]
fn decimals_are_read_and_rounded_with_a_word() {
    let with = |wd: &str, rd: &str| format!("{STORAGE}wd=wd1,sd=sd1{wd}\nrd=r,wd=wd1,elapsed=5{rd}\n");
    let text = with(",rdpct=66.6", "");
    assert_eq!(loads(&plan(&text))[0].write_percent.get(), 33);
    let (fate, words) = why(&text, "rdpct=66.6");
    assert!(fate == Fate::Changed && words.contains("whole per cent"), "{words}");
    let text = with("", ",forrdpct=(83.14,50)");
    assert_eq!(loads(&plan(&text)).iter().map(|load| load.write_percent.get()).collect::<Vec<_>>(), [17, 50]);
    assert_eq!(why(&text, "forrdpct=(83.14,50)").0, Fate::Changed);
    let text = with(",seekpct=50.5", "");
    assert_eq!(loads(&plan(&text))[0].seek_percent.get(), 51);
    assert_eq!(why(&text, "seekpct=50.5").0, Fate::Changed);
    let text = with("", ",iorate=1500.5");
    assert_eq!(loads(&plan(&text))[0].pace.rate.expect("a rate").per_1000_s, 1_500_500);
    assert_eq!(mistake(&with(",rdpct=6.6.6", "")).0, 2);
}

#[test]
fn loops_with_more_steps_than_a_plan_has_are_refused_at_their_line() {
    let loops = "forthreads=(1-200,1),forxfersize=(512-100k,512)";
    let text = format!("{STORAGE}wd=wd1,sd=sd1\nrd=r,wd=wd1,elapsed=5,{loops}\n");
    let (line, title) = mistake(&text);
    assert_eq!(line, 3);
    assert!(title.contains("10,000"), "{title}");
}

#[test]
fn ends_of_lines_and_marks_of_bytes_do_not_change_a_file() {
    let text = format!("{STORAGE}* words\nwd=wd1,sd=sd1\nrd=r,wd=wd1,elapsed=5\n");
    let plain = import(&text).expect("imported");
    for (kind, other) in [("CR", text.replace('\n', "\r")), ("BOM", format!("\u{feff}{text}"))] {
        let imported = import(&other).unwrap_or_else(|wrong| panic!("{kind}: {wrong}"));
        assert_eq!((&imported.toml, imported.carried), (&plain.toml, plain.carried), "{kind}");
    }
}

#[test]
fn a_run_without_a_workload_is_told_what_it_lacks() {
    let (line, title) = mistake(&format!("{STORAGE}rd=r,sd=sd1,iorate=max,elapsed=5\n"));
    assert_eq!((line, title.as_str()), (2, "rd=r names no workload, and the file defines none"));
    let words = import(&format!("{STORAGE}rd=r,sd=sd1,elapsed=5\n")).expect_err("refused").to_string();
    assert!(words.contains("wd=wd1") && !words.contains("file system"), "{words}");
    let files = "fsd=f,anchor=/x,depth=1,width=1,files=1,size=1m\nfwd=w,fsd=f\nrd=r,fwd=w,elapsed=5\n";
    assert!(import(files).expect_err("refused").to_string().contains("file system"));
}

#[test]
fn ratios_are_shares_to_the_nearest_per_cent() {
    let of = |kind: &str, ratio: &str| {
        let plan = plan(&format!("{kind}={ratio}\n{STORAGE}wd=w,sd=sd1,rdpct=0\nrd=r,wd=w,elapsed=5\n"));
        let content = &loads(&plan).last().expect("a load").content;
        (content.compress_percent.get(), content.dedup_percent.get())
    };
    for (ratio, share) in [("1", 0), ("1.05", 5), ("1.25", 20), ("1.33", 25), ("1.5", 33), ("2", 50), ("3.0", 67)] {
        assert_eq!((of("compratio", ratio), of("dedupratio", ratio)), ((share, 0), (0, share)), "{ratio}");
    }
    assert_eq!(mistake(&format!("compratio=0.5\n{STORAGE}wd=w,sd=sd1\nrd=r,wd=w,elapsed=5\n")).0, 1);
}

fn sizes(xfersize: &str) -> Vec<(u64, u32)> {
    let plan = plan(&format!("{STORAGE}wd=w,sd=sd1,xfersize={xfersize}\nrd=r,wd=w,elapsed=5\n"));
    let mix = &loads(&plan)[0].block_size_mix;
    mix.iter().map(|share| (share.block_size.get(), share.operations)).collect()
}

#[test]
fn a_size_with_a_small_share_is_not_left_out() {
    let ratio = |xfersize: &str| {
        let found = sizes(xfersize);
        assert_eq!(found.iter().map(|(size, _)| *size).collect::<Vec<_>>(), [4096, 65_536], "{xfersize}");
        found[0].1 / found[1].1
    };
    assert_eq!([ratio("(4k,99.95,64k,0.05)"), ratio("(4k,99.9,64k,.1)")], [1999, 999]);
    assert_eq!(ratio("(4k,99.9995,64k,0.0005)"), 99_999);
    let text = |sizes: &str| format!("{STORAGE}wd=w,sd=sd1,xfersize={sizes}\nrd=r,wd=w,elapsed=5\n");
    let (fate, words) = why(&text("(4k,99.9995,64k,0.0005)"), "xfersize=(4k,99.9995,64k,0.0005)");
    assert!(fate == Fate::Changed && words == "shares below 0.001 % are raised to 0.001 %", "{words}");
    assert_eq!(mistake(&text("(4k,60,64k,30)")).0, 2);
    assert_eq!(mistake(&text("(4k,60,64k)")).0, 2);
}

#[test]
fn sizes_between_two_ends_reach_both() {
    let found = sizes("(4k,1m,4k)");
    assert_eq!((found.len(), found[0].0, found[63].0), (64, 4096, 1 << 20));
    assert!(found.iter().all(|(size, share)| size.is_multiple_of(4096) && *share == found[0].1), "{found:?}");
    assert!(found.windows(2).all(|pair| (3..=5).contains(&((pair[1].0 - pair[0].0) / 4096))), "{found:?}");
    let text = format!("{STORAGE}wd=w,sd=sd1,xfersize=(4k,1m,4k)\nrd=r,wd=w,elapsed=5\n");
    let (fate, words) = why(&text, "xfersize=(4k,1m,4k)");
    assert!(fate == Fate::Changed && words.contains("256 sizes become 64"), "{words}");
    let few = sizes("(4k,16k,4k)");
    assert_eq!(few.iter().map(|(size, _)| *size).collect::<Vec<_>>(), [4096, 8192, 12_288, 16_384]);
    let plan = plan(&format!("{STORAGE}wd=w,sd=sd1,xfersize=(4k,64k,8000p)\nrd=r,wd=w,elapsed=5\n"));
    assert_eq!(loads(&plan)[0].block_size.get(), 4096, "a step beyond the end");
}

#[test]
fn a_loop_over_shares_of_jumps_holds_for_every_workload_of_the_run() {
    let work = "wd=wd1,sd=sd1,seekpct=0\nwd=wd2,sd=sd1,seekpct=30\n";
    let plan = plan(&format!("{STORAGE}{work}rd=r,wd=(wd1,wd2),forseekpct=(0,100),elapsed=5\n"));
    let patterns: Vec<Vec<(bool, u8)>> = loads(&plan)
        .iter()
        .map(|load| load.groups().map(|one| (one.pattern.is_sequential(), one.seek_percent.get())).collect())
        .collect();
    assert_eq!(patterns, [vec![(true, 0); 2], vec![(false, 0); 2]]);
}

#[test]
fn a_line_of_a_load_beside_another_comes_from_its_own_workload() {
    let work = "wd=wd1,sd=sd1,\nxfersize=4k\nwd=wd2,sd=sd1,rdpct=0,\nxfersize=8k\n";
    let imported = import(&format!("{STORAGE}{work}rd=r,wd=wd*,iorate=max,elapsed=5\n")).expect("imported");
    let of = |line: &str| {
        let at = imported.toml.lines().position(|text| text == line);
        let at = at.unwrap_or_else(|| panic!("no line {line}\n{}", imported.toml));
        imported.origin(at + 1).expect("a place").line
    };
    assert_eq!([of("block_size = \"4 KiB\""), of("block_size = \"8 KiB\"")], [3, 5]);
    assert_eq!([of("name = \"r\""), of("name = \"wd2\""), of("write_percent = 100")], [6, 4, 4]);
}

/// A file of two workloads, one that reads and one that writes, in a run with this loop.
fn looped(storage: &str, run: &str) -> String {
    let work = "wd=wd1,sd=sd1\nwd=wd2,sd=sd1,rdpct=0\n";
    format!("compratio=2\n{storage}{work}rd=r,wd=wd*,iorate=max,elapsed=5,{run}\n")
}

#[test]
fn writes_that_only_a_loop_asks_for_have_the_data_of_the_file() {
    let one = plan(&format!("compratio=2\n{STORAGE}wd=w,sd=sd1\nrd=r,wd=w,elapsed=5,forrdpct=(0,100)\n"));
    let shares = |load: &Workload| (load.write_percent.get(), load.content.compress_percent.get());
    assert_eq!(loads(&one).into_iter().map(shares).collect::<Vec<_>>(), [(100, 50), (0, 50)]);
    let several = plan(&looped(STORAGE, "forrdpct=50"));
    let groups = loads(&several)[0].groups();
    assert_eq!(groups.map(|load| load.content.compress_percent.get()).collect::<Vec<_>>(), [50, 50]);
    let reads = import(&looped(STORAGE, "forrdpct=100")).expect("imported");
    assert!(!reads.toml.contains("compress_percent"), "nothing writes:\n{}", reads.toml);
}

#[test]
fn a_loop_over_shares_decides_whether_there_must_be_something_to_read() {
    let file = "sd=sd1,lun=/tmp/a,size=64m\n";
    let of = |storage: &str, run: &str| {
        let text = format!("{storage}wd=w,sd=sd1{run}\n");
        let imported = import(&text).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"));
        // That the language accepts it is what failed here.
        expanded(&imported.toml, Form::Faithful);
        (imported.toml.contains("action = \"fill\""), imported.toml.contains("content = \"as_found\""))
    };
    let run = |work: &str, shares: &str| format!("{work}\nrd=r,wd=w,elapsed=5,forrdpct={shares}");
    assert_eq!(of(file, &run(",rdpct=0", "(0,100)")), (true, false));
    assert_eq!(of(file, &run("", "0")), (false, false), "only writes");
    assert_eq!(of(STORAGE, &run(",rdpct=0", "(0,100)")), (false, true));
    assert_eq!(of(STORAGE, &run("", "0")), (false, false), "only writes");
    // Less than half a per cent of reads counts as none, in a loop as in a workload.
    assert_eq!(of(file, &run("", "0.4")), (false, false));
}

#[test]
fn the_target_has_room_for_the_largest_size_of_a_loop() {
    let minimum = |work: &str, run: &str| {
        let text = format!("{STORAGE}wd=w,sd=sd1{work}\nrd=r,wd=w,elapsed=5,{run}\n");
        let toml = import(&text).unwrap_or_else(|wrong| panic!("{text}\n{wrong}")).toml;
        let line = toml.lines().find_map(|line| line.strip_prefix("minimum_size = "));
        line.unwrap_or_else(|| panic!("no minimum:\n{toml}")).to_owned()
    };
    assert_eq!(minimum("", "forxfersize=64m"), "\"128 MiB\"");
    assert_eq!(minimum("", "forxfersize=(64m,4k)"), "\"128 MiB\"");
    assert_eq!(minimum(",xfersize=64m", "forxfersize=4k"), "\"8 MiB\"", "the loop stands in place of the size");
}

#[test]
fn more_threads_than_operations_in_flight_are_possible_are_named() {
    let with = |work: &str, run: &str| format!("{STORAGE}wd=w,sd=sd1{work}\nrd=r,wd=w,elapsed=5{run}\n");
    for (text, option, depths) in [
        (with(",threads=100000", ""), "threads=100000", vec![65_535]),
        (with("", ",forthreads=(4,70000,100000)"), "forthreads=(4,70000,100000)", vec![4, 65_535]),
    ] {
        assert_eq!(loads(&plan(&text)).iter().map(|load| load.queue_depth.get()).collect::<Vec<_>>(), depths);
        let (fate, words) = why(&text, option);
        assert!(fate == Fate::Changed && words.contains("65,535"), "{words}");
    }
    for text in [with(",threads=65535", ""), with("", ",forthreads=(1,65535)")] {
        let imported = import(&text).expect("imported");
        assert!(!imported.toml.contains("65,535"), "nothing changed:\n{}", imported.toml);
    }
}
