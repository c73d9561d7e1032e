//! What fio 3.33 was measured to issue for a job file, compared with the plan that its import makes: one test for each
//! kind of option that once silently became a different load.

mod support;

use drivelab_core::plan::{Action, Form, Plan, Step, StopRule};
use drivelab_core::units::Nanos;
use drivelab_core::workload::{Pattern, Streams, Workload};
use drivelab_interop::{Fate, Imported, Wrong, fio};
use support::{around, expanded};

fn import(text: &str) -> Result<Imported, Wrong> {
    fio::import("jobs/nightly run.fio", text, &around())
}

fn plan(text: &str) -> Plan {
    let imported = import(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"));
    expanded(&imported.toml, Form::Faithful)
}

fn io(step: &Step) -> (&Workload, &StopRule) {
    match &step.action {
        Action::Io { workload, stop, .. } => (workload, stop),
        other => panic!("no I/O: {other:?}"),
    }
}

/// The one measured step of a job file.
fn only(text: &str) -> (Workload, StopRule) {
    let plan = plan(text);
    let test = plan.tests.last().expect("a test");
    let [step] = &test.steps[..] else { panic!("several steps: {:?}", test.steps) };
    let (workload, stop) = io(step);
    (workload.clone(), stop.clone())
}

fn job(options: &str) -> String {
    format!("[a]\n{}\n", options.replace(';', "\n"))
}

fn notes(text: &str) -> Vec<(String, Fate, String)> {
    let imported = import(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"));
    imported.notes.into_iter().map(|note| (note.option, note.fate, note.why)).collect()
}

fn why(text: &str, option: &str) -> (Fate, String) {
    let all = notes(text);
    let found = all.iter().find(|(named, ..)| named == option);
    let (_, fate, why) = found.unwrap_or_else(|| panic!("nothing is said of {option}: {all:#?}"));
    (*fate, why.clone())
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

/// Sizes with their shares in hundred-thousandths; a single size has all of them.
fn sizes(load: &Workload) -> Vec<(u64, u64)> {
    let all: u64 = load.block_size_mix.iter().map(|share| u64::from(share.operations)).sum();
    if all == 0 {
        return vec![(load.block_size.get(), 100_000)];
    }
    let mut found: Vec<(u64, u64)> = load
        .block_size_mix
        .iter()
        .map(|share| (share.block_size.get(), (u64::from(share.operations) * 100_000 + all / 2) / all))
        .collect();
    found.sort_unstable();
    found
}

#[test]
fn a_field_that_is_empty_or_missing_is_what_fio_makes_of_it() {
    let block = |options: &str| only(&job(&format!("size=4m;{options}"))).0.block_size.get();
    assert_eq!(block("rw=write;bs=8k,"), 4096);
    assert_eq!(block("rw=write;bs=8k,,32k"), 4096);
    assert_eq!(block("rw=trim;bs=8k,32k,"), 4096);
    assert_eq!(block("rw=trim;bs=8k,32k"), 32_768);
    assert_eq!(block("rw=read;bs=,8k"), 4096);
    assert_eq!(block("rw=write;bs=,8k"), 8192);
    assert_eq!(block("rw=trim;bs=,8k"), 8192);
    assert_eq!(block("rw=write;bs=8k:16k"), 16_384, "a colon parts as a comma does");
    assert_eq!(block("rw=write;bs=8k-16k"), 16_384, "and so does a hyphen");
    assert_eq!(block("rw=write;bs=8k,16k;bs=32k,"), 16_384, "an empty field leaves what was said before");
    let global = "[global]\nsize=4m\nbs=64k\n[a]\nrw=write\nbs=8k,\n";
    assert_eq!(only(global).0.block_size.get(), 65_536, "and so it does with what holds for all");
    assert_eq!(mistake(&job("rw=write;size=4m;bs=,")).0, 4, "nothing at all is no size");
}

#[test]
fn a_split_or_a_range_with_an_empty_field_leaves_that_direction_its_plain_size() {
    let of = |options: &str| sizes(&only(&job(&format!("size=40m;norandommap;{options}"))).0);
    assert_eq!(of("rw=randwrite;bssplit=4k/50:8k/50,"), [(4096, 100_000)]);
    assert_eq!(of("rw=randwrite;bssplit=4k/50:8k/50,;bs=64k"), [(65_536, 100_000)]);
    assert_eq!(of("rw=randwrite;bssplit=4k/50:8k/50,16k/100"), [(16_384, 100_000)]);
    assert_eq!(of("rw=randtrim;bssplit=4k/50:8k/50,16k/100"), [(16_384, 100_000)]);
    assert_eq!(of("rw=randwrite;bsrange=4k-8k,;bs=64k"), [(65_536, 100_000)]);
    assert_eq!(of("rw=randwrite;bsrange=4k-8k,16k-32k"), [(16_384, 50_000), (32_768, 50_000)]);
}

#[test]
fn shares_of_sizes_are_those_that_fio_draws() {
    let of = |options: &str| sizes(&only(&job(&format!("size=40m;norandommap;rw=randread;{options}"))).0);
    assert_eq!(of("bssplit=4k/0:8k/50"), [(4096, 50_000), (8192, 50_000)], "no share is what is left");
    assert_eq!(of("bssplit=4k/20:8k/50"), [(4096, 20_000), (8192, 80_000)], "the largest has what is missing");
    assert_eq!(of("bssplit=4k/60:8k/80"), [(4096, 60_000), (8192, 40_000)], "and less where there is too much");
    assert_eq!(of("bssplit=4k"), [(4096, 100_000)]);
    assert_eq!(of("bsrange=4k-10k"), [(4096, 40_000), (8192, 40_000), (10_240, 20_000)], "the end comes, too");
    assert_eq!(of("bsrange=6k-10k"), [(6144, 60_000), (10_240, 40_000)]);
    assert_eq!(of("bsrange=8k-8k"), [(8192, 100_000)]);
    assert_eq!(mistake(&job("rw=read;size=4m;bssplit=4k/70:8k/70:16k/:32k/")).0, 4);
}

/// Where a job goes, and how much it moves there, in MiB.
fn place(options: &str) -> (u64, u64, u64) {
    let (load, stop) = only(&job(&format!("bs=64k;{options}")));
    let passes = stop.passes.map(|passes| u64::from(passes) * load.span.length.get());
    let by_count = stop.operations.map(|count| count * load.block_size.get());
    let moved = [passes, by_count, stop.volume.map(|volume| volume.get())].into_iter().flatten().min();
    (load.span.offset.get() >> 20, load.span.length.get() >> 20, moved.expect("an end by work") >> 10)
}

#[test]
fn the_size_of_files_and_their_number_bound_what_is_touched() {
    let kib = |mib: u64| mib << 10;
    assert_eq!(place("rw=write;size=4m;filesize=1m"), (0, 1, kib(1)), "no more than the file holds");
    assert_eq!(place("rw=write;nrfiles=4;filesize=1m"), (0, 4, kib(4)));
    assert_eq!(place("rw=write;nrfiles=4;size=4m"), (0, 4, kib(4)));
    assert_eq!(place("rw=write;nrfiles=4;filesize=1m;size=2m"), (0, 2, kib(2)), "the first half of each");
    assert_eq!(place("rw=write;filename=x;nrfiles=4;filesize=1m"), (0, 1, kib(1)), "one name is one file");
    assert_eq!(place("rw=write;filesize=4m;offset=1m"), (1, 3, kib(3)), "the file ends where it ends");
    assert_eq!(place("rw=write;size=50%;filesize=4m"), (0, 2, kib(2)));
    assert_eq!(place("rw=write;filesize=16m;size=4m"), (0, 4, kib(4)), "in order, only the first part");
    assert_eq!(place("rw=randwrite;filesize=16m;size=4m"), (0, 16, kib(4)), "at random, places in all of it");
    let (fate, why) = why(&job("rw=write;filesize=1m-4m"), "filesize=1m-4m");
    assert_eq!(fate, Fate::Changed);
    assert!(why.contains("draws the size of each file"), "{why}");
}

#[test]
fn a_block_that_is_trimmed_and_then_written_is_two_operations() {
    let kib = |mib: u64| mib << 10;
    assert_eq!(place("rw=trimwrite;size=4m"), (0, 4, kib(8)));
    assert_eq!(place("rw=randtrimwrite;size=4m;loops=2"), (0, 4, kib(16)));
    assert_eq!(place("rw=trimwrite;size=4m;io_size=1m"), (0, 4, kib(2)));
    assert_eq!(place("rw=trimwrite;size=64m;number_ios=16"), (0, 64, kib(2)));
}

#[test]
fn gaps_and_ways_back_reach_all_of_a_file_that_is_larger_than_the_job() {
    let kib = |mib: u64| mib << 10;
    assert_eq!(place("rw=write:64k;filesize=16m;size=4m"), (0, 16, kib(4)));
    assert_eq!(place("rw=write:-192k;filesize=16m;size=4m"), (0, 16, kib(4)));
    let (fate, why) = why(&job("rw=read:-8k;size=4m;bs=4k"), "rw=read:-8k");
    assert!(fate == Fate::Changed && why.contains("starts at the end"), "{why}");
}

#[test]
fn a_load_with_gaps_ends_where_fio_meets_the_end() {
    let operations = |options: &str| place(options).2 / 64;
    assert_eq!(operations("rw=read:128k;size=4m"), 22, "the last of them ends with the file");
    assert_eq!(operations("rw=read:128k;size=4m;loops=2"), 44);
    assert_eq!(operations("rw=read:64k;size=4m"), 64, "behind the end of a file it begins again");
    assert_eq!(operations("rw=read:64k;size=4m;filename=/dev/sdx"), 32, "and on a device it does not");
    assert_eq!(operations("rw=read:64k;size=4m;filename=/dev/sdx;io_size=16m"), 256);
    assert_eq!(operations("rw=read:128k;filesize=4m;size=2m"), 22, "before it has moved its size");
    assert_eq!(operations("rw=read:128k;filesize=4m;size=1m"), 16);
    let (fate, text) = why(&job("rw=read:64k;size=4m;bs=64k"), "rw=read:64k");
    assert!(fate == Fate::Changed && text.contains("begins at the same place again"), "{text}");
}

#[test]
fn what_fio_does_with_a_bell_and_with_flushes_of_a_mix_is_said() {
    let (fate, text) = why(&job("rw=randread;size=4m;random_distribution=normal:20"), "random_distribution=normal:20");
    assert!(fate == Fate::Changed && text.contains("scatters"), "{text}");
    let (fate, text) = why(&job("rw=randrw;size=4m;fdatasync=8"), "fdatasync=8");
    assert!(fate == Fate::Changed && text.contains("after each read"), "{text}");
    assert!(notes(&job("rw=randwrite;size=4m;fdatasync=8")).is_empty());
}

#[test]
fn a_map_of_blocks_that_fio_counts_in_another_size_is_said() {
    let (fate, text) = why(&job("rw=randread;size=4m;bs=16k,4k"), "bs=16k,4k");
    assert!(fate == Fate::Changed && text.contains("smallest size of any direction"), "{text}");
    let (_, text) = why(&job("rw=randrw;size=4m;bs=4k,16k"), "bs=4k,16k");
    assert!(text.contains("smallest size of any direction"), "{text}");
    for without in
        ["rw=randread;size=4m;bs=4k,16k", "rw=randread;size=4m;bs=16k,4k;norandommap", "rw=read;size=4m;bs=16k,4k"]
    {
        assert!(!notes(&job(without)).iter().any(|(option, ..)| option.starts_with("bs=")), "{without}");
    }
}

#[test]
fn files_of_threads_that_hold_no_whole_number_of_blocks_are_each_rounded_down() {
    let (load, stop) = only(&job("rw=read;size=2m;numjobs=3;bs=12k"));
    assert_eq!((load.span.length.get(), stop.passes), (3 * 170 * 12_288, Some(1)));
}

/// What fio 3.33 was observed to issue of 1 MiB in blocks of 12 KiB, which are 85 and a third.
#[test]
fn a_sequential_mix_ends_with_the_block_that_reaches_its_size() {
    for (options, blocks) in [
        ("rw=rw", 86),
        ("rw=rw;percentage_random=50", 86),
        ("rw=rw;loops=2", 171),
        ("rw=rw;numjobs=2", 2 * 86),
        ("rw=randrw", 85),
        ("rw=read", 85),
        ("rw=write;loops=2", 170),
        ("rw=randread;norandommap", 86),
    ] {
        assert_eq!(place(&format!("{options};size=1m;bs=12k")).2, blocks * 12, "{options}");
    }
    assert_eq!(place("rw=rw;size=1020k;bs=12k;loops=2").2, 170 * 12, "whole blocks");
}

#[test]
fn a_size_of_no_whole_blocks_on_a_device_says_that_fio_goes_beyond_it() {
    let of = |options: &str| notes(&job(&format!("{options};bs=12k;filename=/dev/nvme9n1")));
    for beyond in ["rw=read;size=1m", "rw=write;size=1m;loops=2", "rw=read;size=1m;offset=1m"] {
        let notes = of(beyond);
        assert!(
            notes.iter().any(|(_, fate, why)| *fate == Fate::Changed && why.contains("beyond the size")),
            "{notes:?}"
        );
    }
    for within in ["rw=randread;size=1m", "rw=read;size=12m", "rw=rw;size=1m", "rw=read;size=1m;io_size=512k"] {
        assert!(of(within).iter().all(|(.., why)| !why.contains("beyond the size")), "{within}");
    }
}

#[test]
fn the_size_of_a_file_is_carried_over_without_another_word() {
    assert!(notes(&job("rw=write;size=4m;filesize=1m")).is_empty());
}

/// MiB that the reads move, which are the first of two loads.
fn reads_of_two(options: &str) -> f64 {
    let (load, stop) = only(&job(options));
    assert_eq!((load.write_percent.get(), load.beside.len()), (0, 1), "{options}");
    stop.volume.expect("a volume").as_f64() / f64::from(1 << 20)
}

#[test]
fn loops_repeat_what_fio_repeats() {
    let mib = |options: &str| place(options).2 >> 10;
    assert_eq!(mib("rw=read;size=4m;io_size=16m;loops=2"), 16, "the volume is reached in passes of the file");
    assert_eq!(mib("rw=write;size=4m;io_size=16m;loops=2"), 16);
    assert_eq!(mib("rw=randread;size=4m;io_size=16m;loops=2"), 16);
    assert_eq!(mib("rw=randwrite;size=4m;io_size=16m;loops=2;norandommap"), 32, "one pass is the volume here");
    // As fio 3.33 moves them: whole passes, as many as the bytes need and no fewer than the loops.
    assert_eq!(mib("rw=write;size=8m;io_size=20m;loops=2"), 24);
    assert_eq!(mib("rw=randwrite;size=8m;io_size=13m;loops=3"), 24);
    assert_eq!(mib("rw=read;size=4m;io_size=13m;loops=2"), 16);
    assert_eq!(mib("rw=randread;size=8m;io_size=12m;loops=2"), 16);
    assert_eq!(mib("rw=read;size=8m;io_size=20m"), 20, "a single loop is not bound by the file");
    assert_eq!(mib("rw=randread;size=8m;io_size=20m;loops=2;norandommap"), 40);
    assert_eq!(mib("rw=randread;size=8m;io_size=20m;loops=2;random_distribution=zipf:1.1"), 40);
    // Two streams share each loop, which ends where one of them reaches the end of the file: 31.1 MiB in fio 3.33.
    assert_eq!(mib("rw=rw;size=8m;io_size=20m;loops=2"), 32);
    assert_eq!(mib("rw=rw;size=8m;io_size=12m;loops=2"), 24);
    assert_eq!(mib("rw=rw;rwmixread=80;size=8m;io_size=12m;loops=2"), 20, "21.6 MiB in fio 3.33");
    // Of two sizes, the kind with more bytes ends each loop: 25.5, 20.2 and 24.4 MiB in fio 3.33.
    for (options, reads, all) in [
        ("bs=4k,64k", 1.0 / 17.0, 25.5),
        ("bs=4k,64k;rwmixread=80", 0.2, 20.0),
        ("bs=64k,4k;rwmixread=80", 64.0 / 65.0, 24.375),
    ] {
        let moved = reads_of_two(&format!("rw=rw;{options};size=8m;io_size=20m;loops=2")) / reads;
        assert!((moved / all - 1.0).abs() < 0.01, "{options}: {moved} MiB");
    }
    let (fate, says) = why(&job("rw=rw;bs=4k,64k;size=8m;io_size=20m;loops=2"), "io_size=20m");
    assert!(fate == Fate::Changed && says.contains("chance"), "{says}");
    let (fate, says) = why(&job("rw=rw;size=8m;io_size=20m;loops=2"), "io_size=20m");
    assert!(fate == Fate::Changed && says.contains("chance"), "{says}");
    assert_eq!(mib("rw=write;size=64m;io_size=16m;loops=2"), 32);
    assert_eq!(mib("rw=randread;size=64m;io_size=16m;loops=3"), 48);
    assert_eq!(mib("rw=read;size=4m;loops=3"), 12);
    let operations = |options: &str| place(options).2 / 64;
    assert_eq!(operations("rw=read;size=64m;number_ios=100;loops=3"), 300);
    assert_eq!(operations("rw=read;size=4m;number_ios=100;loops=3"), 192, "never more than the passes hold");
    assert_eq!(operations("rw=randread;size=4m;number_ios=100"), 64);
    assert_eq!(operations("rw=randread;size=4m;number_ios=10;loops=3"), 30);
    assert_eq!(operations("rw=randread;size=4m;number_ios=10;loops=0"), 10, "no loop is one");
}

/// fio 3.33 reads 256 blocks of 4 KiB whatever `loops` and `io_size` ask for, in order and at random.
#[test]
fn what_a_job_reads_back_to_check_it_reads_once() {
    for more in ["rw=read", "rw=randread", "rw=read;loops=3", "rw=randread;loops=2", "rw=read;io_size=4m;loops=2"] {
        let check = more.replace(';', "\n");
        let text = format!(
            "[global]\nfilename=/tmp/x\nverify=crc32c\nsize=1m\nbs=4k\n[a]\nrw=write\n[b]\nstonewall\n{check}\n"
        );
        let plan = plan(&text);
        let (load, stop) = io(plan.tests.last().and_then(|test| test.steps.last()).expect("a step"));
        let passes = stop.passes.map(|passes| u64::from(passes) * load.span.length.get());
        let moved = passes.into_iter().chain(stop.volume.map(|volume| volume.get())).min();
        assert_eq!(moved, Some(1 << 20), "{more}: {stop:?}");
        if let Some(loops) = more.split(';').find(|option| option.starts_with("loops")) {
            let (fate, said) = why(&text, loops);
            assert!(fate == Fate::NoEffect && said.contains("once"), "{more}: {said}");
        }
    }
}

#[test]
fn numbers_that_fio_refuses_are_refused_and_others_are_kept_or_named() {
    for (options, line) in [
        ("rw=read;size=4m;numjobs=0", 4),
        ("rw=read;size=4m;numjobs=5000", 4),
        ("rw=read;size=4m;iodepth=0;ioengine=libaio", 4),
        ("rw=read;size=4m;iodepth=0", 4),
        ("rw=randrw;size=4m;rwmixread=120", 4),
        ("rw=randread;size=4m;percentage_random=120", 4),
        ("rw=randread;size=4m;percentage_random=some", 4),
    ] {
        assert_eq!(mistake(&job(options)).0, line, "{options}");
    }
    let deep = job("rw=read;size=4m;ioengine=libaio;iodepth=100000");
    assert_eq!(only(&deep).0.queue_depth.get(), 65_535);
    let (fate, why) = why(&deep, "iodepth=100000");
    assert_eq!(fate, Fate::Changed);
    assert!(why.contains("65,535"), "{why}");
    assert_eq!(mistake("[a] text\nrw=read\nsize=4m\n"), (1, "text after the name of a section".to_owned()));
    assert!(import("[a] ; text\nrw=read\nsize=4m\n").is_ok(), "a comment is none");
}

#[test]
fn ends_of_lines_and_marks_of_bytes_do_not_change_a_file() {
    let text = "[global]\nsize=4m\n; words\n[a]\nrw=write\nbs=8k\n";
    let plain = import(text).expect("imported");
    for (kind, other) in
        [("CR", text.replace('\n', "\r")), ("CR LF", text.replace('\n', "\r\n")), ("BOM", format!("\u{feff}{text}"))]
    {
        let imported = import(&other).unwrap_or_else(|wrong| panic!("{kind}: {wrong}"));
        assert_eq!((&imported.toml, imported.carried), (&plain.toml, plain.carried), "{kind}");
    }
    assert_eq!(mistake(&"[a]\nrw=read\nsize=1x\n".replace('\n', "\r")).0, 3, "lines are counted all the same");
}

fn rates(text: &str) -> Vec<(u8, u64, u64)> {
    let (load, _) = only(text);
    let rate = |load: &Workload| load.pace.rate.map_or(0, |rate| rate.per_1000_s);
    load.groups().map(|load| (load.write_percent.get(), rate(load), load.block_size.get())).collect()
}

#[test]
fn reads_and_writes_of_a_mix_keep_the_rate_of_each() {
    let of = |options: &str| rates(&job(&format!("rw=randrw;size=64m;runtime=2;time_based;norandommap;{options}")));
    assert_eq!(of("rate_iops=1000"), [(50, 2_000_000, 4096)], "as many of each, whatever the mix says");
    assert_eq!(of("rwmixread=90;rate_iops=650,650"), [(50, 1_300_000, 4096)]);
    assert_eq!(of("rwmixread=90;rate_iops=3000,1000"), [(25, 4_000_000, 4096)]);
    assert_eq!(of("rwmixread=90;rate_iops=1000,500"), [(0, 1_000_000, 4096), (100, 500_000, 4096)]);
    assert_eq!(of("rate=4m,1m"), [(20, 1_280_000, 4096)]);
    assert_eq!(of("rate=4m;bs=4k,8k"), [(0, 1_024_000, 4096), (100, 512_000, 8192)]);
    assert_eq!(of("rate_iops=1000,"), [(100, 0, 4096), (0, 1_000_000, 4096)], "writes have no rate");
    assert_eq!(of("rate_iops=,1000"), [(0, 0, 4096), (100, 1_000_000, 4096)]);
    assert_eq!(of("rwmixread=100;rate_iops=1000,500"), [(0, 1_000_000, 4096)]);
    assert_eq!(of("rwmixwrite=100;rate_iops=1000,500;numjobs=2;filename=x"), [(100, 1_000_000, 4096)]);
}

#[test]
fn a_rate_of_operations_of_several_sizes_is_fios() {
    let of = |options: &str| {
        let (load, _) = only(&job(&format!("rw=randread;size=64m;runtime=2;time_based;norandommap;{options}")));
        load.pace.rate.expect("a rate").per_1000_s
    };
    // fio counts bytes, each operation as the smallest: 246 in 2 s were observed.
    assert_eq!(of("rate_iops=1000;bssplit=4k/50:64k/50"), 117_647);
    assert_eq!(of("rate_iops=1000;bssplit=4k/50:64k/50;rate_process=poisson"), 1_000_000);
    assert_eq!(of("rate=4m;bssplit=4k/50:64k/50;rate_process=poisson"), 1_024_000);
}

#[test]
fn reads_and_writes_of_a_mix_have_the_sizes_and_places_of_each() {
    let with =
        |options: &str| only(&job(&format!("rw=randrw;size=64m;norandommap;ioengine=libaio;iodepth=16;{options}")));
    let (load, stop) = with("rwmixwrite=94;bs=4k,64k");
    let groups: Vec<_> = load
        .groups()
        .map(|load| (load.write_percent.get(), load.block_size.get(), load.pace.weight, load.queue_depth.get()))
        .collect();
    assert_eq!(groups, [(0, 4096, 6, 1), (100, 65_536, 94, 15)], "together as deep as the job");
    let reads = 64.0 * 1024.0 * 1024.0 * 6.0 * 4.0 / (6.0 * 4.0 + 94.0 * 64.0);
    let volume = stop.volume.expect("a volume").as_f64();
    assert!((volume - reads).abs() <= 4096.0, "the reads' part of 64 MiB: {volume} for {reads}");
    let (load, _) = with("rwmixwrite=94;bssplit=4k/50:8k/50,16k/20:32k/80");
    let mixes: Vec<_> = load.groups().map(sizes).collect();
    assert_eq!(mixes, [[(4096, 50_000), (8192, 50_000)], [(16_384, 20_000), (32_768, 80_000)]]);
    let (load, _) = with("random_distribution=zoned:50/5:50/95,100/100");
    assert_ne!(load.locality, load.beside[0].locality);
    let (load, _) = with("percentage_random=100,0");
    assert_eq!((load.pattern, load.beside[0].pattern), (Pattern::Random, Pattern::Sequential));
    let said = why(&job("rw=randrw;size=64m;bs=4k,64k"), "bs=4k,64k");
    assert!(said.0 == Fate::Changed && said.1.contains("two loads"), "{said:?}");
}

#[test]
fn beside_other_jobs_a_mix_of_two_sizes_keeps_kinds_and_sizes_and_says_what_it_loses() {
    let text = "[global]\nsize=64m\nnorandommap\nruntime=5\ntime_based\nfilename=x\n\
                [mix]\nrw=randrw\nrwmixread=75\nbs=4k,64k\n[other]\nrw=randread\n";
    let (load, _) = only(text);
    assert_eq!((load.write_percent.get(), sizes(&load)), (25, vec![(4096, 75_000), (65_536, 25_000)]));
    assert_eq!(load.beside.len(), 1);
    let (fate, why) = why(text, "bs=4k,64k");
    assert!(fate == Fate::Lost && why.contains("reads and writes alike"), "{why}");
}

#[test]
fn a_mix_in_order_has_a_stream_of_each_kind_as_fio_has() {
    let (load, stop) = only(&job("rw=rw;size=64m;bs=64k"));
    assert_eq!((load.streams, load.pattern), (Streams::ByKind, Pattern::Sequential));
    assert_eq!(stop.volume.map(|volume| volume.get()), Some(64 << 20));
}

#[test]
fn a_mask_of_cpus_is_said_to_be_one_cpu_for_each_thread() {
    let with = |more: &str| job(&format!("rw=read;size=4m;numjobs=2;filename=x;cpus_allowed=0-3{more}"));
    let (fate, text) = why(&with(""), "cpus_allowed=0-3");
    assert!(fate == Fate::Changed && text.contains("any of them"), "{text}");
    let split = notes(&with(";cpus_allowed_policy=split"));
    assert!(!split.iter().any(|(option, ..)| option.starts_with("cpus_allowed")), "that is what split is: {split:?}");
    let one = notes(&job("rw=read;size=4m;cpus_allowed=2"));
    assert!(!one.iter().any(|(option, ..)| option.starts_with("cpus_allowed")), "{one:?}");
}

#[test]
fn jobs_of_numjobs_with_an_increment_have_stretches_of_their_own() {
    let job = |options: &str| format!("[a]\nfilename=x\nrw=write\nbs=64k\n{}\n", options.replace(';', "\n"));
    let (load, stop) = only(&job("filesize=64m;size=25%;offset_increment=25%;numjobs=4"));
    assert_eq!((load.streams, load.span.length.get() >> 20), (Streams::Disjoint, 64));
    assert_eq!((stop.passes, load.threads.get()), (Some(1), 4));
    let device = "[a]\nfilename=/dev/sdx\nrw=write\nsize=25%\noffset_increment=25%\nnumjobs=4\n";
    let (load, _) = only(device);
    assert_eq!((load.streams, load.span.length.get()), (Streams::Disjoint, 4 << 30), "each its own quarter");
    let half = "[a]\nfilename=/dev/sdx\nrw=write\nsize=10%\noffset_increment=25%\nnumjobs=4\n";
    assert_eq!(why(half, "offset_increment=25%").0, Fate::Lost);
    let over = "[a]\nfilename=/dev/sdx\nrw=write\nsize=30%\noffset_increment=30%\nnumjobs=4\n";
    assert_eq!(why(over, "offset_increment=30%").0, Fate::Lost, "there is no such place for the fourth");
}

#[test]
fn threads_that_draw_in_files_of_their_own_are_said_to_draw_from_all() {
    let with = |options: &str| format!("[a]\nrw=randwrite\nsize=4m\nnumjobs=2\n{}\n", options.replace(';', "\n"));
    let (fate, words) = why(&with("norandommap"), "numjobs=2");
    assert!(fate == Fate::Changed && words.contains("draw from the stretches of all"), "{words}");
    // In one file they do so in fio too.
    for same in ["norandommap;filename=x", ""] {
        let notes = notes(&with(same));
        assert!(!notes.iter().any(|(_, _, words)| words.contains("draw from the stretches of all")), "{notes:?}");
    }
}

#[test]
fn engines_past_the_page_cache_are_direct_whatever_the_job_says() {
    for engine in ["io_uring_cmd", "sg", "xnvme"] {
        let text = format!("[a]\nfilename=/dev/ng0n1\nioengine={engine}\nrw=randread\nsize=64m\n");
        assert!(only(&text).0.direct, "{engine}");
        assert!(only(&format!("{text}direct=0\n")).0.direct, "{engine}");
        let (fate, why) = why(&text, &format!("ioengine={engine}"));
        assert!(fate == Fate::Changed && why.contains("page cache"), "{why}");
    }
    assert!(!only("[a]\nfilename=/dev/sdx\nioengine=io_uring\nrw=randread\nsize=64m\n").0.direct);
}

/// As observed in fio 3.33: with either option, a job through the page cache begins with what the cache holds.
#[test]
fn what_lies_in_the_page_cache_from_before_is_said_to_be_dropped() {
    let with = |options: &str| job(&format!("rw=randread;size=64m;{options}"));
    for option in ["invalidate=0", "pre_read=1"] {
        for through in ["", ";direct=0", ";buffered=1", ";direct=1;buffered=1"] {
            let (fate, why) = why(&with(&format!("{option}{through}")), option);
            assert!(fate == Fate::Lost && why.contains("drops it before each step"), "{option}{through}: {why}");
        }
        for past in [";direct=1", ";buffered=0"] {
            let (fate, why) = why(&with(&format!("{option}{past}")), option);
            assert_eq!((fate, why.as_str()), (Fate::NoEffect, "the load bypasses the page cache"), "{option}{past}");
        }
    }
    for same in ["invalidate=1", "pre_read=0", "invalidate=1;pre_read=0;direct=0"] {
        assert!(notes(&with(same)).is_empty(), "{same} is what drivelab does: {:?}", notes(&with(same)));
    }
    // One of the two jobs bypasses the cache.
    let both = "[global]\nrw=read\nsize=64m\ninvalidate=0\n[a]\ndirect=1\n[b]\nstonewall\n";
    let (fate, why) = why(both, "invalidate=0");
    assert!(fate == Fate::Lost && why.starts_with("[b]: "), "{why}");
}

#[test]
fn mapped_memory_is_said_to_become_system_calls() {
    let (fate, text) = why(&job("rw=randread;size=64m;ioengine=mmap"), "ioengine=mmap");
    assert!(fate == Fate::Changed && text.contains("page faults") && text.contains("system call"), "{text}");
    assert_eq!(why(&job("rw=randread;size=64m;ioengine=psync"), "ioengine=psync").0, Fate::NoEffect);
}

#[test]
fn a_base_of_units_that_holds_is_carried_over() {
    for (base, size) in [(1000, 64_000_000), (1024, 64 << 20)] {
        let text = job(&format!("rw=read;bs=512;size=64m;kb_base={base}"));
        let stop = only(&text);
        assert_eq!(stop.0.span.length.get(), size);
        assert!(notes(&text).is_empty(), "{:?}", notes(&text));
    }
}

#[test]
fn a_job_that_replays_a_trace_is_left_out_and_says_how_to_replay_it() {
    let text = "[global]\nsize=64m\n[a]\nread_iolog=/tmp/trace\n[b]\nstonewall\nrw=write\n";
    assert_eq!(plan(text).tests.len(), 1);
    let (fate, why) = why(text, "[a]");
    assert!(fate == Fate::Lost && why.contains("[[traces]]"), "{why}");
    assert_eq!(mistake("[a]\nread_iolog=/tmp/trace\n").0, 1);
}

#[test]
fn a_target_is_large_enough_for_every_span_of_its_jobs() {
    let text = "[global]\nfilename=/dev/nvme0n1\ndirect=1\n[a]\nrw=read\nsize=10g\n[b]\nrw=write\nstonewall\n";
    let imported = import(text).unwrap_or_else(|wrong| panic!("{wrong}"));
    assert!(imported.toml.contains("minimum_size = \"10 GiB\""), "{}", imported.toml);
    let plan = expanded(&imported.toml, Form::Faithful);
    let lengths: Vec<u64> = plan.steps().map(|step| io(step).0.span.length.get() >> 30).collect();
    assert_eq!(lengths, [10, 10]);
    let behind = text.replace("size=10g", "size=10g\noffset=2g");
    assert!(import(&behind).expect("imported").toml.contains("minimum_size = \"12 GiB\""));
}

#[test]
fn ends_of_time_zero_and_slow_rates_are_methodologies() {
    for text in [
        "[a]\nfilename=/dev/sdx\nrw=read\nruntime=0\nnumjobs=4\n",
        "[a]\nfilename=/dev/sdx\nrw=randread\nruntime=0\nnumjobs=4\n",
        "[a]\nfilename=/dev/sdx\nrw=read\nruntime=0\ntime_based\n",
        "[a]\nrw=write\nbs=512\nsize=64m\nrate=100\n",
        "[a]\nfilename=/dev/sdx\nrw=read\nbs=64m\niodepth=8\nnumjobs=32\nioengine=libaio\n",
    ] {
        let imported = import(text).unwrap_or_else(|wrong| panic!("{text}\n{wrong}"));
        for form in [Form::Faithful, Form::Smoke] {
            expanded(&imported.toml, form);
        }
    }
    assert_eq!(mistake("[a]\nrw=write\nbs=1m\nsize=64m\nrate=1\n").0, 5, "one operation in 12 days");
    assert_eq!(mistake("[a]\nrw=read\nsize=8191p\nnumjobs=4\n").0, 3);
    assert_eq!(mistake("[a]\nrw=read\nsize=64m\nbs=513\ndirect=1\n").0, 4);
    assert_eq!(mistake("[a]\nrw=read\nsize=64m\nrate_iops=2000000000\n").0, 4);
}

#[test]
fn a_colon_behind_a_backslash_is_part_of_a_name() {
    let text = "[a]\nfilename=/dev/disk/by-path/pci-0000\\:00\\:1f.2-ata-1\nrw=read\nruntime=5\ntime_based\n";
    assert_eq!(why(text, "filename=/dev/disk/by-path/pci-0000\\:00\\:1f.2-ata-1").0, Fate::NoEffect);
    let two = "[a]\nfilename=/dev/sda:/dev/sdb\nrw=read\nruntime=5\ntime_based\n";
    assert_eq!(why(two, "filename=/dev/sda:/dev/sdb").0, Fate::Lost);
}

#[test]
fn what_is_not_imported_at_all_says_what_it_is_about() {
    let wrong = |engine: &str| {
        let text = format!("[a]\nioengine={engine}\nfilename=trtype=PCIe traddr=0000.04.00.0 ns=1\nrw=read\n");
        import(&text).expect_err("nothing is left").to_string()
    };
    let spdk = wrong("spdk");
    assert!(spdk.contains("block device") && !spdk.contains("networks"), "{spdk}");
    assert!(wrong("external:build/fio/spdk_nvme").contains("block device"));
    assert!(wrong("rbd").contains("network"), "{}", wrong("rbd"));
    assert!(wrong("cpuio").contains("CPU"), "{}", wrong("cpuio"));
}

#[test]
fn a_plan_that_comes_back_has_the_fills_that_it_had() {
    let method = support::method(
        "op = \"read\"\npattern = \"random\"\nblock_size = \"4 KiB\"\nqueue_depth = 4\ntime = \"20 s\"\n",
    );
    let first = expanded(&method, Form::Faithful);
    let second = plan(&fio::job_file(&first, "/mnt/drive/file").expect("a plain name"));
    let names = |plan: &Plan| plan.tests.iter().map(|test| test.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&first), ["prepare", "one"]);
    assert_eq!(second.tests.len(), first.tests.len(), "{:?}", names(&second));
    let (filled, again) = (io(&first.tests[0].steps[0]), io(&second.tests[0].steps[0]));
    assert_eq!(
        (filled.0.span, filled.0.block_size, filled.1.passes),
        (again.0.span, again.0.block_size, again.1.passes)
    );
    assert_eq!(io(&second.tests[1].steps[0]).1.time, Some(Nanos::from_secs(20)));
}

/// fio 3.33 runs [b] after [a]: a barrier begins a group, whatever its job does.
#[test]
fn the_barrier_of_a_job_that_is_left_out_holds_for_those_behind_it() {
    let tests = |text: &str| plan(text).tests.iter().filter(|test| test.name != "prepare").count();
    let with = |cpu: &str| format!("[global]\nsize=4m\n[a]\nrw=read\n[cpu]\nioengine=cpuio\n{cpu}[b]\nrw=write\n");
    assert_eq!(tests(&with("stonewall\n")), 2);
    assert_eq!(tests(&with("")), 1, "without one all run at once");
}

#[test]
fn a_job_waits_only_for_one_that_is_there() {
    let with = |second: &str| format!("[global]\nsize=4m\n[a]\nioengine=cpuio\n[b]\nrw=read\n[c]\nrw=write\n{second}");
    let (fate, words) = why(&with("wait_for=a\n"), "wait_for=a");
    assert_eq!((fate, words.as_str()), (Fate::Lost, "[a] is not imported, so this job begins without waiting"));
    assert_eq!(mistake(&with("wait_for=nosuch\n")).0, 9);
    assert_eq!(mistake("[a]\nrw=read\nsize=4m\nwait_for=a\n").0, 4, "nor for itself");
}

/// fio 3.33 wrote ff, in either order.
#[test]
fn a_pattern_is_what_is_written_also_beside_zeros() {
    for options in ["zero_buffers=1;buffer_pattern=0xff", "buffer_pattern=0xff;zero_buffers=1"] {
        let text = job(&format!("rw=write;size=4m;{options}"));
        assert_eq!(only(&text).0.content.pattern, [0xff], "{options}");
        assert_eq!(why(&text, "zero_buffers=1").0, Fate::NoEffect);
    }
}

/// fio 3.33 made 63 flushes for 64 writes with `fsync=1` and `fdatasync=8`.
#[test]
fn of_several_flush_options_the_one_that_asks_most_often_holds() {
    let every = |options: &str| only(&job(&format!("rw=write;size=4m;{options}"))).0.other.sync_every;
    assert_eq!((every("fsync=1;fdatasync=8"), every("fdatasync=8;fsync=1")), (1, 1));
    assert_eq!(every("fsync=8;sync=1"), 1);
    let text = |options: &str| job(&format!("rw=write;size=4m;{options}"));
    assert_eq!(why(&text("fsync=1;fdatasync=8"), "fdatasync=8").0, Fate::NoEffect);
    assert_eq!(why(&text("fdatasync=3;fsync=8"), "fsync=8").0, Fate::Lost, "some of its flushes are not there");
    assert_eq!(why(&text("fsync=8;sync=1"), "sync=1").0, Fate::Changed);
    assert_eq!(why(&text("fsync=8;sync=1"), "fsync=8").0, Fate::NoEffect);
}

#[test]
fn what_stands_behind_a_distribution_is_read_or_named() {
    let text = |value: &str| job(&format!("rw=randread;size=4m;norandommap;random_distribution={value}"));
    let (fate, words) = why(&text("zipf:1.2:0.5"), "random_distribution=zipf:1.2:0.5");
    assert_eq!(fate, Fate::Changed);
    assert!(words.contains("centre"), "{words}");
    assert_eq!(mistake(&text("zipf:abc")).0, 5);
    assert!(only(&text("zipf")).0.locality != only(&text("random")).0.locality, "without a number it is fio's 1.1");
}

#[test]
fn files_that_are_larger_together_than_a_number_says_are_one_target() {
    let jobs: String = (0..16).map(|at| format!("[j{at}]\nstonewall\nrw=read\nfilename=f{at}\nsize=1024p\n")).collect();
    let imported = import(&jobs).expect("it is imported");
    assert!(imported.notes.iter().any(|note| note.why.contains("become one target")), "{:?}", imported.notes);
}
