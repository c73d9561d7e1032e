//! Concurrent jobs: in fio each one has an end of its own, or the first to end ends others; here they all end when the
//! first job of the file does. Compared with what fio 3.33 was observed to issue.

mod support;

use drivelab_core::plan::{Action, Form};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_interop::{Fate, Imported, fio};
use support::{around, expanded};

fn import(text: &str) -> Imported {
    fio::import("jobs/nightly.fio", text, &around()).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"))
}

/// The note on each section, and whether it is a difference.
fn sections(text: &str) -> Vec<(String, Fate, String)> {
    let notes = import(text).notes.into_iter().filter(|note| note.option.starts_with('['));
    notes.map(|note| (note.option, note.fate, note.why)).collect()
}

fn why(text: &str, option: &str) -> (Fate, String) {
    let notes = import(text).notes;
    let note = notes.iter().find(|note| note.option == option);
    let note = note.unwrap_or_else(|| panic!("nothing is said of {option} in\n{text}\n{notes:#?}"));
    (note.fate, note.why.clone())
}

/// Jobs on one file, after options that apply to all of them.
fn jobs(global: &str, all: &[(&str, &str)]) -> String {
    let lines = |options: &str| options.replace(';', "\n");
    let job = |(name, options): &(&str, &str)| format!("[{name}]\n{}\n", lines(options));
    format!("[global]\nfilename=x\n{}\n{}", lines(global), all.iter().map(job).collect::<String>())
}

/// With equal sizes, fio 3.33 moved the size of each: 64 reads and 64 writes of 4 KiB, the writes long after the
/// reads. The plan ends with the reads.
#[test]
fn jobs_that_end_by_the_same_work_are_said_to_end_with_the_first() {
    let reads_and_writes = [("a", "rw=read"), ("b", "rw=write;rate_iops=10")];
    for global in
        ["size=64m", "size=64m;number_ios=100", "size=64m;runtime=60", "size=64m;io_size=16m", "size=64m;loops=2"]
    {
        let said = sections(&jobs(global, &reads_and_writes));
        let [(option, fate, why)] = &said[..] else { panic!("{global}: {said:?}") };
        assert_eq!((option.as_str(), *fate), ("[b]", Fate::Changed), "{global}");
        assert!(why.contains("it ends when [a] does"), "{global}: {why}");
        assert!(why.contains("in fio it continues to its own end"), "{global}: {why}");
    }
    let several = sections(&jobs("size=64m", &[("a", "rw=read"), ("b", "rw=write"), ("c", "rw=read"), ("d", "")]));
    let names: Vec<&str> = several.iter().map(|(name, ..)| name.as_str()).collect();
    assert_eq!(names, ["[b]", "[c]", "[d]"], "all but the first");
    let plan = expanded(&import(&jobs("size=64m", &reads_and_writes)).toml, Form::Faithful);
    let Action::Io { workload, stop, .. } = &plan.steps().last().expect("a step").action else { panic!("no I/O") };
    assert_eq!((workload.beside.len(), stop.volume), (1, Some(Bytes::new(64 << 20))), "the end is that of the first");
}

#[test]
fn jobs_that_end_by_the_same_time_alone_end_together_in_both() {
    let timed = "size=64m;runtime=60;time_based";
    for (global, beside) in [(timed, ""), (timed, "rate_iops=10"), (&format!("{timed};exitall"), "")] {
        let said = sections(&jobs(global, &[("a", "rw=read"), ("b", &format!("rw=write;{beside}"))]));
        assert!(said.is_empty(), "{global}; {beside}: {said:?}");
    }
    for own in ["runtime=30", "time_based=0", "ramp_time=5"] {
        let said = sections(&jobs(timed, &[("a", "rw=read"), ("b", own)]));
        assert!(matches!(&said[..], [(name, Fate::Changed, _)] if name == "[b]"), "{own}: {said:?}");
    }
    let plan = expanded(&import(&jobs(timed, &[("a", "rw=read"), ("b", "rw=write")])).toml, Form::Faithful);
    let Action::Io { stop, .. } = &plan.steps().last().expect("a step").action else { panic!("no I/O") };
    assert_eq!((stop.time, stop.volume), (Some(Nanos::from_secs(60)), None));
}

#[test]
fn jobs_behind_barriers_and_both_loads_of_one_job_have_no_end_but_their_own() {
    let behind = jobs("size=64m", &[("a", "rw=read"), ("b", "rw=write;stonewall"), ("c", "rw=read;wait_for=b")]);
    assert!(sections(&behind).is_empty(), "{:?}", sections(&behind));
    let two = jobs("size=64m;norandommap", &[("a", "rw=randrw;bs=4k,64k")]);
    assert!(sections(&two).is_empty(), "{:?}", sections(&two));
}

#[test]
fn a_job_that_ends_others_does_so_in_fio_whichever_it_is_and_here_the_first_does() {
    let both = [("a", "rw=read"), ("b", "rw=write;rate_iops=10")];
    // Wherever it is, and whatever number follows it: `exitall=0` ended [b] as `exitall` did.
    for (global, own, option) in [
        ("size=64m;exitall", "", "exitall"),
        ("size=64m", "exitall", "exitall"),
        ("size=64m", "exitall=0", "exitall=0"),
    ] {
        let text = jobs(global, &[both[0], ("b", &format!("rw=write;rate_iops=10;{own}"))]);
        let (fate, said) = why(&text, option);
        assert!(fate == Fate::Changed && said.contains("the first job to end ends all others of its group"), "{said}");
        let (fate, said) = why(&text, "[b]");
        assert!(fate == Fate::Changed && said.contains("it ends when [a] does"), "{said}");
        assert!(
            said.contains("with exitall fio ends all jobs when the first is done") && !said.contains("own end"),
            "{said}"
        );
    }
    let threads = jobs("size=64m;exitall", &[("a", "rw=read;numjobs=4")]);
    let (fate, said) = why(&threads, "exitall");
    assert!(fate == Fate::Changed && said.contains("threads of a job when all their work is done"), "{said}");
}

#[test]
fn a_job_that_ends_others_says_nothing_where_none_runs_beside_it() {
    let alone = jobs("size=64m;exitall;exit_what=all", &[("a", "rw=read")]);
    let behind = jobs("size=64m;exitall", &[("a", "rw=read"), ("b", "rw=write;stonewall")]);
    let running = jobs("size=64m;exitall;exit_what=stonewall", &[("a", "rw=read"), ("b", "rw=write;wait_for=a")]);
    for text in [&alone, &behind, &running] {
        assert_eq!(why(text, "exitall"), (Fate::NoEffect, "no job runs beside another".to_owned()), "{text}");
    }
    assert_eq!(why(&alone, "exit_what=all").0, Fate::NoEffect);
    let without = jobs("size=64m;exit_what=all", &[("a", "rw=read"), ("b", "rw=write")]);
    assert_eq!(why(&without, "exit_what=all"), (Fate::NoEffect, "it counts only beside exitall".to_owned()));
}

/// fio 3.33 ran no job after the first in any of these.
#[test]
fn jobs_that_fio_never_runs_since_the_first_ends_them_are_said_to_run() {
    for (global, barrier) in [
        ("size=64m;exitall", "wait_for=a"),
        ("size=64m;exitall;exit_what=group", "wait_for=a"),
        ("size=64m;exitall;exit_what=all", "stonewall"),
        ("size=64m;exitall;exit_what=all", "wait_for=a"),
    ] {
        let text = jobs(global, &[("a", "rw=read"), ("b", &format!("rw=write;{barrier}"))]);
        let (fate, said) = why(&text, "exitall");
        assert!(fate == Fate::Lost && said.contains("never run; in drivelab they run"), "{global} {barrier}: {said}");
        assert_eq!(expanded(&import(&text).toml, Form::Faithful).tests.last().expect("a test").name, "b");
    }
}
