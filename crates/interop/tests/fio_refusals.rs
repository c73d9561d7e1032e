//! Places, ends and refusals of fio 3.33, as observed, compared with the import of the same job.

mod support;

use drivelab_core::plan::{Action, Form, Plan, StopRule};
use drivelab_core::workload::{Streams, Workload};
use drivelab_interop::{Fate, Imported, Wrong, fio};
use drivelab_method::library;
use support::{around, expanded, parsed};

fn import(text: &str) -> Result<Imported, Wrong> {
    fio::import("jobs/nightly.fio", text, &around())
}

fn job(options: &str) -> String {
    format!("[a]\n{}\n", options.replace(';', "\n"))
}

fn imported(options: &str) -> Imported {
    import(&job(options)).unwrap_or_else(|wrong| panic!("{options}\n{wrong}"))
}

/// The loads of the steps of the last test, each with its end.
fn steps(options: &str) -> Vec<(Workload, StopRule)> {
    let plan = expanded(&imported(options).toml, Form::Faithful);
    let io = |action: &Action| match action {
        Action::Io { workload, stop, .. } => (workload.clone(), stop.clone()),
        other => panic!("no I/O: {other:?}"),
    };
    plan.tests.last().expect("a test").steps.iter().map(|step| io(&step.action)).collect()
}

/// Operations of each step, by passes or volume; `None` where only a time ends it.
fn operations(options: &str) -> Vec<Option<u64>> {
    let of = |(load, stop): &(Workload, StopRule)| {
        let block = load.block_size.get();
        let each = if load.streams == Streams::Overlapping { u64::from(load.threads.get()) } else { 1 };
        let passes = stop.passes.map(|passes| u64::from(passes) * (load.span.length.get() / block) * each);
        [passes, stop.volume.map(|volume| volume.get() / block), stop.operations].into_iter().flatten().min()
    };
    steps(options).iter().map(of).collect()
}

fn why(options: &str, option: &str) -> (Fate, String) {
    let all = imported(options).notes;
    let found = all.iter().find(|note| note.option == option);
    let note = found.unwrap_or_else(|| panic!("nothing is said of {option}: {all:#?}"));
    (note.fate, note.why.clone())
}

fn refused(options: &str) -> String {
    match import(&job(options)) {
        Ok(imported) => panic!("{options} was imported:\n{}", imported.toml),
        Err(wrong) => format!("{}: {}", wrong.mistakes()[0].title(), wrong.mistakes()[0].label()),
    }
}

#[test]
fn a_size_holds_beside_fill_device_and_without_one_the_difference_is_said() {
    assert_eq!(operations("rw=write;size=1m;fill_device=1"), [Some(256)]);
    assert_eq!(operations("rw=write;size=1m;fill_device=1;filename=/dev/sdx"), [Some(256)]);
    let (fate, words) = why("rw=write;fill_device=1", "fill_device=1");
    assert!(fate == Fate::Lost && words.contains("file system is full"), "{words}");
    assert!(imported("rw=write;fill_device=1;filename=/dev/sdx").notes.iter().all(|note| note.fate != Fate::Lost));
}

#[test]
fn an_offset_in_per_cent_of_a_file_that_is_not_there_is_none() {
    for options in ["rw=write;filesize=4m;offset=50%", "rw=randwrite;filesize=4m;offset=25%"] {
        let (load, _) = steps(options).remove(0);
        assert_eq!((load.span.offset.get(), load.span.length.get()), (0, 4 << 20), "{options}");
    }
    assert_eq!(operations("rw=write;filesize=4m;offset=50%"), [Some(1024)]);
    assert_eq!(operations("rw=write;filesize=4m;offset=25%;size=50%"), [Some(512)]);
    assert_eq!(operations("rw=write;filesize=4m;offset=25%;nrfiles=2"), [Some(2048)]);
    assert_eq!(operations("rw=write;filesize=4m;offset=1m"), [Some(768)]);
    assert!(why("rw=write;filesize=4m;offset=50%", "offset=50%").1.contains("in an existing file"));
    let (fate, words) = why("rw=write;filesize=16m;offset=25%;filename=/dev/sdx", "offset=25%");
    assert!(fate == Fate::Lost && words.contains("of a device"), "{words}");
}

#[test]
fn flushes_among_writes_that_are_checked_are_said_to_be_lost() {
    for (options, option) in [
        ("rw=write;size=1m;fsync=8;verify=crc32c", "fsync=8"),
        ("rw=write;size=1m;fdatasync=8;verify=crc32c", "fdatasync=8"),
        ("rw=write;size=1m;sync=1;verify=crc32c", "sync=1"),
    ] {
        let (fate, words) = why(options, option);
        assert!(fate == Fate::Lost && words.contains("no flushes among its writes"), "{words}");
    }
    let (load, _) = steps("rw=write;size=1m;fdatasync=8;verify=crc32c;do_verify=0").remove(0);
    assert_eq!(load.other.sync_every, 8);
    let (load, _) = steps("rw=write;size=1m;fdatasync=8;verify=crc32c;runtime=1;time_based").remove(0);
    assert_eq!(load.other.sync_every, 8, "nothing is checked behind a time");
}

#[test]
fn what_is_read_back_is_what_fio_reads_back_or_is_said() {
    let timed = "rw=write;size=1m;verify=crc32c;time_based;runtime=300ms;rate_iops=1000";
    assert_eq!(operations(timed), [None], "a time ends it, and nothing is read back");
    assert!(why(timed, "verify=crc32c").1.contains("the job ends by its time"));
    let limited = "rw=write;size=1m;verify=crc32c;runtime=2";
    assert!(why(limited, "verify=crc32c").1.contains("before its work"));
    for (end, each) in [
        ("", 256),
        (";io_size=512k", 128),
        (";io_size=1500k", 256),
        (";io_size=2m", 256),
        (";io_size=3m", 512),
        (";io_size=5m;loops=2", 768),
        (";io_size=2m;loops=2", 512),
        (";io_size=512k;loops=3", 384),
        (";number_ios=100", 100),
    ] {
        for rw in ["write", "randwrite"] {
            let options = format!("rw={rw};size=1m;verify=crc32c{end}");
            assert_eq!(operations(&options), [Some(each); 2], "{options}");
        }
    }
    for (end, writes) in [(";io_size=3m", 256), (";loops=2", 512), (";io_size=512k;loops=2", 256)] {
        assert_eq!(operations(&format!("rw=write;size=1m;verify=crc32c;do_verify=0{end}")), [Some(writes)], "{end}");
    }
    assert_eq!(operations("rw=write;size=1m;io_size=3m"), [Some(768)], "without headers fio begins again");
    assert!(why("rw=write;size=1m;verify=crc32c;loops=2", "verify=crc32c").1.contains("after each pass"));
    for options in [
        "rw=randwrite;size=1m;verify=crc32c;norandommap",
        "rw=randwrite;size=1m;verify=crc32c;random_distribution=zipf:1.2",
        "rw=write:4k;size=1m;verify=crc32c",
    ] {
        assert!(why(options, "verify=crc32c").1.contains("back once, however often"), "{options}");
    }
    let plain = why("rw=randwrite;size=1m;verify=crc32c", "verify=crc32c").1;
    assert_eq!(plain, "headers have drivelab's own layout");
}

#[test]
fn each_of_several_files_has_whole_blocks_only() {
    for (options, count) in [
        ("rw=write;nrfiles=3;size=1000k;bs=16k", 60),
        ("rw=write;nrfiles=3;size=1m", 255),
        ("rw=randwrite;nrfiles=3;size=1m", 255),
        ("rw=read;bs=16k;nrfiles=3;size=1m;loops=2", 126),
        ("rw=write;nrfiles=2;filesize=1000k;bs=16k", 124),
        ("rw=write;nrfiles=3;filesize=100k;bs=16k;offset=32k", 12),
        ("rw=write;bs=16k;nrfiles=3;filesize=1m;size=1m", 64),
        ("rw=write;nrfiles=3;size=1m;bs=16k;numjobs=2", 126),
        ("rw=randwrite;bs=16k;nrfiles=3;size=1m;norandommap", 64),
        ("rw=randwrite;bs=16k;nrfiles=3;size=1m;io_size=2m", 128),
        ("rw=rw;nrfiles=3;size=1m;bs=16k", 64),
    ] {
        assert_eq!(operations(options), [Some(count)], "{options}");
    }
}

#[test]
fn an_increment_that_is_not_the_size_says_what_fio_does_with_it() {
    let said = |options: &str, option: &str| why(&format!("rw=write;bs=1m;numjobs=4;{options}"), option).1;
    let all = said("offset_increment=25%;filename=/dev/sdx", "offset_increment=25%");
    assert!(all.contains("each job goes over all of it") && all.contains("ends at the end of the file"), "{all}");
    let some = said("offset_increment=25%;size=10%;filename=/dev/sdx", "offset_increment=25%");
    assert!(some.contains("all jobs have the same stretch"), "{some}");
    let own = said("offset_increment=1m;size=4m", "offset_increment=1m");
    assert!(own.contains("into its own file"), "{own}");
    for quiet in ["offset_increment=4m;size=4m;filename=x", "offset_increment=0;size=4m;filename=x"] {
        let notes = imported(&format!("rw=write;bs=1m;numjobs=4;{quiet}")).notes;
        assert!(notes.iter().all(|note| !note.option.starts_with("offset_increment")), "{notes:#?}");
    }
}

#[test]
fn values_that_fio_refuses_are_refused() {
    for key in ["direct", "buffered", "do_verify", "fill_device", "invalidate", "pre_read", "scramble_buffers"] {
        for value in ["=yes", "=true", "=false", "=2", "=", ""] {
            let words = refused(&format!("rw=write;size=64k;{key}{value}"));
            assert!(words.contains(&format!("is not a valid value of {key}")), "{words}");
        }
        for value in ["0", "1", "01", "0x1"] {
            imported(&format!("rw=write;size=64k;{key}={value}"));
        }
    }
    for key in ["exitall", "norandommap", "refill_buffers", "stonewall", "time_based", "zero_buffers"] {
        refused(&format!("rw=write;size=64k;{key}=yes"));
        refused(&format!("rw=write;size=64k;{key}="));
        for value in ["", "=0", "=1", "=3"] {
            imported(&format!("rw=write;size=64k;{key}{value}"));
        }
    }
    let (on, off) =
        (steps("rw=write;size=64k;direct=0x1").remove(0), steps("rw=write;size=64k;direct=1;direct=0").remove(0));
    assert!(on.0.direct && !off.0.direct);
    for options in ["rw=read;size=64k;rwmixread", "rw=rw;size=64k;rwmixwrite=", "rw=read;size=64k;loops", "rw;size=64k"]
    {
        assert!(refused(options).contains("expected a value"), "{options}");
    }
    assert_eq!(
        refused("rw=write;size=64k;direct=yes;direct=1"),
        "'yes' is not a valid value of direct: expected 0 or 1"
    );
    for what in ["rate_process=foo", "kb_base=2000", "kb_base=k"] {
        let key = what.split('=').next().expect("a key");
        assert!(refused(&format!("rw=write;size=64k;{what}")).contains(&format!("is not a valid value of {key}")));
    }
    for what in ["exit_what=me", "exit_what"] {
        assert!(refused(&format!("rw=write;size=64k;exitall;{what}")).contains("is not a valid value of exit_what"));
    }
    for both in ["rate=1m;rate_iops=100", "rate=1m,;rate_iops=,100"] {
        assert!(refused(&format!("rw=rw;size=64k;{both}")).contains("rate and rate_iops exclude each other"));
    }
    imported("rw=read;size=64k;rate=0;rate_iops=100");
}

#[test]
fn a_file_without_a_size_is_said_to_have_one_of_ours() {
    for options in ["rw=read", "rw=read;size=0", "rw=read;size=50%", "rw=read;filename=x"] {
        let notes = imported(options).notes;
        let said =
            notes.iter().any(|note| note.fate == Fate::Lost && note.why.contains("takes the size of the target"));
        assert!(said, "{options}: {notes:#?}");
    }
    for options in ["rw=read;filesize=1m", "rw=read;filename=/dev/sdx", "rw=read;filename=/dev/sdx;size=50%"] {
        assert!(imported(options).notes.iter().all(|note| note.fate != Fate::Lost), "{options}");
    }
}

#[test]
fn times_that_fio_takes_are_taken_as_it_takes_them() {
    for delay in ["1-2", "0.1", "100ms-200ms", "1,2", "0.1-0.2"] {
        imported(&format!("rw=write;size=64k;startdelay={delay}"));
    }
    assert!(refused("rw=write;size=64k;startdelay=soon").contains("startdelay"));
    let (_, stop) = steps("rw=write;size=64k;rate_iops=10;runtime=0.1").remove(0);
    assert_eq!((stop.time, stop.passes), (None, Some(1)), "nothing before the point: no limit");
    let (_, stop) = steps("rw=write;size=64k;runtime=1.9;time_based").remove(0);
    assert_eq!(stop.time.map(|time| time.get()), Some(1_000_000_000));
    assert!(why("rw=write;size=64k;runtime=0.1", "runtime=0.1").1.contains("before the point"));
}

/// Names of the tests, and whether the plan reads blocks that none of its steps wrote.
fn names(plan: &Plan) -> Vec<&str> {
    plan.tests.iter().map(|test| test.name.as_str()).collect()
}

/// A short form of a built-in methodology still has its preparation after export and import.
#[test]
fn the_way_back_keeps_the_fills_of_every_form() {
    let mut compared = 0;
    for built_in in library::all() {
        for form in parsed(built_in.text).forms() {
            let first = expanded(built_in.text, form);
            let text = fio::job_file(&first, "/mnt/drive/file").expect("a plain name");
            let fills = |plan: &Plan| {
                let prepare = plan.tests.iter().filter(|test| test.name == "prepare");
                prepare.flat_map(|test| &test.steps).filter(|step| step.workload().is_some()).count()
            };
            let sequential = |plan: &Plan| {
                plan.tests.iter().filter(|test| test.name == "prepare").flat_map(|test| &test.steps).all(|step| {
                    step.workload().is_none_or(|load| load.pattern.is_sequential() && load.span.length.get() > 0)
                })
            };
            if fills(&first) == 0 || !sequential(&first) {
                continue;
            }
            let back = import(&text).unwrap_or_else(|wrong| panic!("{}: {wrong}", built_in.name));
            let second = expanded(&back.toml, Form::Faithful);
            assert_eq!(fills(&first), fills(&second), "{} {form:?}: {:?}\n{text}", built_in.name, names(&second));
            assert!(!back.toml.contains("as_found"), "{} {form:?}\n{text}", built_in.name);
            compared += 1;
        }
    }
    assert!(compared >= 10, "only {compared} forms have a fill alone");
}

#[test]
fn of_a_volume_and_passes_the_smaller_ends_the_job() {
    let with = |end: &str| {
        let method = support::method(&format!(
            "op = \"read\"\npattern = \"sequential\"\nblock_size = \"1 MiB\"\nqueue_depth = 4\n\
             span = \"25 %\"\n{end}\n"
        ));
        let text = fio::job_file(&expanded(&method, Form::Faithful), "/dev/sdx").expect("a plain name");
        let last = text.rsplit("\n[").next().expect("a job").to_owned();
        let plan = expanded(&import(&text).expect("read back").toml, Form::Faithful);
        let stop = plan.steps().last().and_then(|step| match &step.action {
            Action::Io { workload, stop, .. } => Some((workload.span.length.get(), stop.clone())),
            _ => None,
        });
        let (length, stop) = stop.expect("I/O");
        let passes = stop.passes.map(|passes| u64::from(passes) * length);
        (last, [passes, stop.volume.map(|volume| volume.get())].into_iter().flatten().min())
    };
    let (text, moved) = with("passes = 1\nvolume = \"512 MiB\"");
    assert!(!text.contains("io_size") && moved == Some(256 << 20), "{moved:?}\n{text}");
    let (text, moved) = with("passes = 3\nvolume = \"512 MiB\"");
    assert!(text.contains("io_size=536870912") && !text.contains("loops"), "{text}");
    assert_eq!(moved, Some(512 << 20));
    let (text, moved) = with("passes = 2\nvolume = \"600 MiB\"");
    assert!(text.contains("loops=2") && moved == Some(512 << 20), "{moved:?}\n{text}");
}

/// The line of the imported file that a line of the methodology comes from.
fn origin(imported: &Imported, line: &str) -> usize {
    let at = imported.toml.lines().position(|text| text == line);
    let at = at.unwrap_or_else(|| panic!("no line {line}\n{}", imported.toml));
    imported.origin(at + 1).expect("a place").line
}

#[test]
fn a_line_of_a_load_beside_another_comes_from_its_own_job() {
    let text =
        "[a]\nrw=read\nbs=4k\nsize=1m\n[b]\nrw=write\nbs=8k\nsize=2m\n[c]\nstonewall\nrw=read\nbs=16k\nsize=1m\n";
    let imported = import(text).unwrap_or_else(|wrong| panic!("{wrong}"));
    let of = |line: &str| origin(&imported, line);
    assert_eq!([of("block_size = \"4 KiB\""), of("block_size = \"8 KiB\""), of("block_size = \"16 KiB\"")], [3, 7, 12]);
    assert_eq!([of("op = \"write\""), of("name = \"b\""), of("name = \"c\"")], [6, 5, 9]);
    assert_eq!(of("queue_depth = 1"), 1, "the first of all, said nowhere");
}

/// fio 3.33 was observed to issue 199, but whole per cent of whole hundreds of bytes are 198.
#[test]
fn a_share_of_a_size_is_exact() {
    assert_eq!(operations("rw=read;size=102499;io_size=99%;bs=512"), [Some(199)]);
    let end = |options: &str| steps(options).remove(0).1.volume.map(|volume| volume.get());
    let some = "rw=randwrite;norandommap;bssplit=4k/50:8k/50";
    assert_eq!(end(&format!("{some};size=1m;io_size=50%")), Some(1 << 19));
    assert_eq!(end(&format!("{some};size=1m;io_size=33%")), Some((1 << 20) * 33 / 100));
}
