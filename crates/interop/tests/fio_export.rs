//! A plan as a fio job file, for cases in which it once was silently a different load than the plan's: which
//! operations, and how many.

mod support;

use drivelab_core::plan::{Action, Form, Plan, StopRule};
use drivelab_core::workload::Workload;
use drivelab_interop::fio;
use support::{around, expanded, method};

/// The part of the job file about the test itself.
fn exported(test: &str) -> String {
    let plan = expanded(&method(&format!("{test}\n")), Form::Faithful);
    let text = fio::job_file(&plan, "/dev/sdx").expect("a plain name");
    text.split_once("\n; One\n").unwrap_or_else(|| panic!("no test\n{text}")).1.to_owned()
}

fn shares(shares: &str) -> String {
    exported(&format!(
        "{shares}\npattern = \"random\"\nblock_size = \"4 KiB\"\nqueue_depth = 4\nspan = \"25 %\"\ntime = \"20 s\""
    ))
}

fn has(text: &str, options: &[&str]) -> bool {
    options.iter().all(|option| text.lines().any(|line| line == *option))
}

/// The last step of a plan after export and import.
fn back(text: &str) -> (Plan, Workload, StopRule) {
    let imported = fio::import("back.fio", text, &around()).unwrap_or_else(|wrong| panic!("{wrong}\n{text}"));
    let plan = expanded(&imported.toml, Form::Faithful);
    let last = plan.steps().last().expect("a step");
    let Action::Io { workload, stop, .. } = &last.action else { panic!("no I/O: {last:?}") };
    let (workload, stop) = (workload.clone(), stop.clone());
    (plan, workload, stop)
}

#[test]
fn writes_are_a_share_of_what_fio_issues_and_not_of_all_operations() {
    let text = shares("write_percent = 30\ntrim_percent = 40");
    assert!(has(&text, &["rw=randrw", "rwmixwrite=50"]), "{text}");
    assert!(text.contains("; of the operations, 40 % trim, 0 % write zeroes and 0 % flush"), "{text}");
    let text = shares("write_percent = 10\nflush_percent = 60");
    assert!(has(&text, &["rw=randrw", "rwmixwrite=25"]), "{text}");
    let text = shares("write_percent = 60\nwrite_zeroes_percent = 40");
    assert!(has(&text, &["rw=randwrite"]) && !text.contains("rwmixwrite"), "nothing reads\n{text}");
    let text = shares("write_percent = 40\ntrim_percent = 60");
    assert!(has(&text, &["rw=randwrite"]), "only halves are what fio trims and writes\n{text}");
    let text = shares("write_percent = 0\nflush_percent = 10");
    assert!(has(&text, &["rw=randread"]), "{text}");
    let text = shares("write_percent = 30");
    assert!(has(&text, &["rw=randrw", "rwmixwrite=30"]) && !text.contains("of the operations"), "{text}");
}

#[test]
fn what_fio_issues_of_a_load_is_as_much_of_it_as_the_shares_say() {
    let with = |shares: &str, end: &str| {
        exported(&format!(
            "{shares}\npattern = \"random\"\nblock_size = \"4 KiB\"\nqueue_depth = 4\nspan = \"25 %\"\n{end}"
        ))
    };
    let some = "write_percent = 30\ntrim_percent = 40";
    assert!(has(&with(some, "operations = 1000"), &["number_ios=600"]));
    assert!(has(&with(some, "volume = \"100 MiB\""), &[&format!("io_size={}", 60 << 20)]));
    assert!(has(&with(some, "rate = \"1000 IOPS\"\ntime = \"20 s\""), &["rate_iops=300,300"]));
    let flushed = "write_percent = 50\nflush_percent = 50";
    assert!(has(&with(flushed, "operations = 1000"), &["number_ios=500"]));
    assert!(has(&with(flushed, "volume = \"100 MiB\""), &[&format!("io_size={}", 100 << 20)]), "no flush moves bytes");
    assert!(has(&with(flushed, "rate = \"1000 IOPS\"\ntime = \"20 s\""), &["rate_iops=500"]));
    let text = with("write_percent = 30", "rate = \"5 IOPS\"\ntime = \"20 s\"");
    assert!(has(&text, &["rate_iops=3,1"]) && text.contains("rounded down per job"), "{text}");
}

#[test]
fn what_fio_has_no_job_for_is_left_out_with_a_word() {
    for (shares, words) in [
        ("op = \"flush\"", "; here drivelab issues flushes, for which fio has no job: "),
        ("op = \"write_zeroes\"", "; here drivelab issues zeroing, for which fio has no job: "),
        (
            "write_percent = 0\ntrim_percent = 60\nflush_percent = 40",
            "; here drivelab issues trims and flushes, for which",
        ),
    ] {
        let ends = "queue_depth = 1\ntime = \"20 s\"\nrest = \"5 s\"";
        let text = exported(&format!("{shares}\npattern = \"sequential\"\nblock_size = \"64 KiB\"\n{ends}"));
        assert!(text.contains(words) && !fio::has_jobs(&text), "{text}");
        assert!(text.contains("\n; afterwards drivelab rests for 5 s\n"), "{text}");
    }
    let beside = "op = \"write\"\npattern = \"random\"\nblock_size = \"4 KiB\"\nqueue_depth = 4\nspan = \"25 %\"\n\
                  time = \"20 s\"\n\n[[tests.groups]]\nname = \"log\"\nop = \"flush\"\n\n[[tests.groups]]\n\
                  name = \"reads\"\nop = \"read\"";
    let text = exported(beside);
    let jobs: Vec<&str> = text.lines().filter(|line| line.starts_with('[')).collect();
    assert!(jobs.len() == 2 && jobs[1].ends_with(".reads]"), "{text}");
    assert!(text.contains("; drivelab also runs load 'log' of flushes, for which fio has no job\n"), "{text}");
}

/// The way from fio and back.
#[test]
fn blocks_that_are_trimmed_and_then_written_stay_such() {
    for (options, moved) in [
        ("rw=trimwrite;size=4m", 8_u64 << 20),
        ("rw=trimwrite;size=4m;loops=3", 24 << 20),
        ("rw=randtrimwrite;size=4m;loops=2", 16 << 20),
        ("rw=trimwrite;size=4m;io_size=1m", 2 << 20),
        ("rw=trimwrite;size=4m;number_ios=16", 32 * 4096),
        ("rw=randtrimwrite;norandommap;size=4m", 8 << 20),
    ] {
        let all = |(_, load, stop): &(Plan, Workload, StopRule)| {
            let passes = stop.passes.map(|passes| u64::from(passes) * load.span.length.get());
            let counted = stop.operations.map(|operations| operations * load.block_size.get());
            [passes, counted, stop.volume.map(|volume| volume.get())].into_iter().flatten().min()
        };
        let shares = |load: &Workload| (load.write_percent.get(), load.other.trim_percent.get(), load.pattern);
        let once = back(&format!("[a]\nfilename=/dev/sdx\n{}\n", options.replace(';', "\n")));
        let text = fio::job_file(&once.0, "/dev/sdx").expect("a plain name");
        let word = options.split(';').next().expect("a word");
        assert!(text.contains(&format!("\n{word}\n")) && !text.contains("rwmixwrite"), "{text}");
        let twice = back(&text);
        assert_eq!((all(&once), all(&twice)), (Some(moved), Some(moved)), "{options}\n{text}");
        assert_eq!(shares(&once.1), shares(&twice.1), "{options}\n{text}");
    }
    let rate = |(_, load, _): &(Plan, Workload, StopRule)| load.pace.rate.expect("a rate").per_1000_s;
    // fio 3.33 was observed to need 1 s for a hundred trims and a hundred writes.
    let once = back("[a]\nfilename=/dev/sdx\nrw=trimwrite\nsize=4m\nrate_iops=100\n");
    let text = fio::job_file(&once.0, "/dev/sdx").expect("a plain name");
    assert!(has(&text, &["rate_iops=100"]), "{text}");
    assert_eq!([rate(&once), rate(&back(&text))], [200_000; 2]);
    let odd = exported(
        "write_percent = 50\ntrim_percent = 50\npattern = \"sequential\"\nblock_size = \"64 KiB\"\nqueue_depth = 4\n\
         span = \"25 %\"\npasses = 1",
    );
    assert!(has(&odd, &["rw=trimwrite", &format!("io_size={}", 128 << 20)]), "half of the blocks are written\n{odd}");
}

#[test]
fn a_number_of_operations_is_never_no_limit_and_what_it_loses_is_said() {
    let with = |operations: u64, threads: u64| {
        exported(&format!(
            "op = \"read\"\npattern = \"random\"\nblock_size = \"4 KiB\"\nqueue_depth = 1\nthreads = {threads}\n\
             span = \"25 %\"\noperations = {operations}"
        ))
    };
    let few = with(2, 4);
    assert!(has(&few, &["number_ios=1", "; the number of operations is 2, at least one per job"]), "{few}");
    let uneven = with(10, 4);
    assert!(has(&uneven, &["number_ios=2", "; the number of operations is 10, rounded down per job"]), "{uneven}");
    let even = with(12, 4);
    assert!(has(&even, &["number_ios=3"]) && !even.contains("number of operations"), "{even}");
}

/// fio 3.33 wrote to `q` when the file stated `filename=q#1`.
#[test]
fn a_target_that_fio_would_read_as_another_is_refused() {
    let plan = back("[a]\nfilename=x\nrw=read\nsize=4m\n").0;
    for (name, sign) in [
        ("/mnt/q#1", '#'),
        ("/mnt/q;1", ';'),
        ("/mnt/$HOME", '$'),
        ("/mnt/a\nb", '\n'),
        ("/mnt/a ", ' '),
        ("\u{fffd}", '\u{fffd}'),
    ] {
        assert_eq!(fio::job_file(&plan, name), Err(fio::Unnameable(sign)), "{name:?}");
    }
    let text = fio::job_file(&plan, "/mnt/a b:c").expect("a name that fio reads");
    assert!(has(&text, &["filename=/mnt/a b\\:c"]), "{text}");
}

#[test]
fn a_pause_of_less_than_a_microsecond_is_still_one() {
    let load = "op = \"read\"\npattern = \"random\"\nblock_size = \"4 KiB\"\nqueue_depth = 1\nspan = \"25 %\"\ntime = \"1 s\"\n";
    let text = exported(&format!("{load}think_time = \"500 ns\""));
    assert!(has(&text, &["thinktime=1us"]) && text.contains("this pause is rounded up"), "{text}");
    let whole = exported(&format!("{load}think_time = \"5 us\""));
    assert!(has(&whole, &["thinktime=5us"]) && !whole.contains("rounded up"), "{whole}");
}
