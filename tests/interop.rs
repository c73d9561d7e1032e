//! Other tools' files with the shipped binary: import, its notes on what it leaves out, and a plan as a fio job file
//! that the installed fio accepts and runs.

mod support;

use support::Lab;

const JOBS: &str = "[global]\nioengine=libaio\ndirect=1\nsize=16m\nruntime=1\ntime_based\n\
                    [reads]\nrw=randread\niodepth=8\nnice=4\n[writes]\nstonewall\nrw=write\nbs=64k\n";

fn write(lab: &Lab, name: &str, text: &str) -> String {
    let path = lab.folder().join(name);
    std::fs::write(&path, text).expect("a file");
    path.display().to_string()
}

#[test]
fn a_job_file_becomes_a_methodology_that_runs_and_what_is_lost_is_named() {
    let lab = Lab::new();
    let file = write(&lab, "nightly.fio", JOBS);
    let output = lab.folder().join("nightly.toml").display().to_string();
    let done = lab.run(&["methods", "import", &file, "-o", &output]);
    assert_eq!(done.code, 0, "{}", done.stderr);
    assert!(done.stderr.contains("line 10: nice=4"), "{}", done.stderr);
    assert!(done.stdout.is_empty(), "{}", done.stdout);
    let toml = std::fs::read_to_string(&output).expect("a methodology");
    assert!(toml.contains("#   line 10: nice=4"), "{toml}");
    lab.ok(&["methods", "check", &output]);
    lab.ok(&["run", &output, &lab.folder().display().to_string(), "--form", "smoke"]);
    let again = lab.run(&["methods", "import", &file, "-o", &output]);
    assert_eq!(again.code, 2, "an existing file is not replaced");
    assert_eq!(std::fs::read_to_string(&output).expect("still there"), toml);
}

#[test]
fn a_new_file_says_how_an_editor_gets_the_schema_that_it_names() {
    let lab = Lab::new();
    let imported = lab.ok(&["methods", "import", &write(&lab, "nightly.fio", JOBS)]).stdout;
    lab.ok(&["methods", "new", "mine"]);
    lab.ok(&["methods", "new", "like-quick", "--from", "quick"]);
    let read = |name: &str| std::fs::read_to_string(lab.folder().join(name)).expect("a methodology");
    for text in [imported, read("mine.toml"), read("like-quick.toml")] {
        let head: Vec<&str> = text.lines().take(2).collect();
        assert_eq!(head[0], "#:schema ./method.schema.json");
        assert!(head[1].ends_with(": drivelab methods schema > method.schema.json"), "{head:?}");
    }
    let published = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/formats/method.schema.json");
    let published = std::fs::read_to_string(published).expect("the published schema");
    assert_eq!(lab.ok(&["methods", "schema"]).stdout, published);
    let schema: serde_json::Value = serde_json::from_str(&published).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let mine: serde_json::Value = toml::from_str(&read("mine.toml")).expect("TOML");
    assert!(validator.is_valid(&mine), "{:?}", validator.validate(&mine));
}

#[test]
fn a_parameter_file_is_recognised_and_mistakes_point() {
    let lab = Lab::new();
    let file =
        write(&lab, "a.parm", "sd=sd1,lun=x,size=16m\nwd=wd1,sd=sd1,rdpct=70\nrd=r,wd=wd1,iorate=max,elapsed=1\n");
    let done = lab.ok(&["methods", "import", &file]);
    assert!(done.stdout.contains("write_percent = 30"), "{}", done.stdout);
    let wrong = lab.run(&["methods", "import", &write(&lab, "b.fio", "[a]\nrw=sideways\nsize=1m\n")]);
    assert_eq!(wrong.code, 2);
    assert!(wrong.stderr.contains("b.fio:2:1") && wrong.stderr.contains("expected read, write"), "{}", wrong.stderr);
    let neither = lab.run(&["methods", "import", &write(&lab, "c.txt", "hello world\n")]);
    assert!(neither.code == 2 && neither.stderr.contains("--from"), "{}", neither.stderr);
}

/// An error that only the methodology checker finds is reported at the line that caused it, with its text.
#[test]
fn what_no_methodology_can_hold_is_named_at_its_own_line() {
    let lab = Lab::new();
    let job = "[a]\nrw=read\nbs=4k\nsize=1m\nloops=1000000000\n";
    let parameters = "sd=sd1,lun=x,size=16m,openflags=o_direct\nwd=wd1,sd=sd1,\nxfersize=700\nrd=r,wd=wd1,\niorate=max,\nelapsed=1\n";
    for (file, text, line) in
        [("a.fio", job, "a.fio:5: loops=1000000000:"), ("a.parm", parameters, "a.parm:3: xfersize=700:")]
    {
        let wrong = lab.run(&["methods", "import", &write(&lab, file, text)]);
        assert_eq!(wrong.code, 2, "{}", wrong.stderr);
        assert!(wrong.stderr.contains(line), "{}", wrong.stderr);
    }
}

#[test]
fn a_file_in_utf_16_is_named_as_such() {
    let lab = Lab::new();
    let path = lab.folder().join("wide.fio");
    let units = std::iter::once(0xfeff).chain("[a]\nrw=read\nsize=1m\n".encode_utf16());
    std::fs::write(&path, units.flat_map(u16::to_le_bytes).collect::<Vec<u8>>()).expect("a file");
    let wrong = lab.run(&["methods", "import", path.to_str().expect("text")]);
    assert_eq!(wrong.code, 2, "{}", wrong.stderr);
    assert!(wrong.stderr.contains("iconv -f UTF-16"), "{}", wrong.stderr);
}

#[test]
fn whose_file_it_is_shows_in_all_of_its_lines() {
    let lab = Lab::new();
    let told = |name: &str, text: &str| lab.run(&["methods", "import", &write(&lab, name, text)]);
    // Text before the first section is fio's own mistake, and not a parameter of Vdbench.
    let early = told("early.fio", "rw=read\n[a]\nsize=1m\n");
    assert_eq!(early.code, 2);
    assert!(early.stderr.contains("early.fio:1:1"), "{}", early.stderr);
    assert!(early.stderr.contains("an option before any section"), "{}", early.stderr);
    // A name with brackets among parameters is not a section.
    let vdbench = "sd=sd1,lun=x,size=16m\nwd=wd1,sd=sd1,rdpct=[70]\nrd=r,wd=wd1,iorate=max,elapsed=1,\nformat=yes\n";
    let brackets = told("brackets.parm", vdbench);
    assert!(brackets.stderr.contains("brackets.parm") && !brackets.stderr.contains("already a methodology"));
    assert!(!brackets.stderr.contains("section"), "{}", brackets.stderr);
}

#[test]
fn of_very_many_options_that_are_not_carried_over_fifty_are_shown_and_the_rest_is_counted() {
    let lab = Lab::new();
    let many: String = (0..2000).map(|index| format!("no_such_{index}={}\n", "z".repeat(index))).collect();
    let file = write(&lab, "many.fio", &format!("[a]\nrw=read\nsize=1m\n{many}"));
    let done = lab.ok(&["methods", "import", &file]);
    assert!(done.stderr.contains("2000 not carried over:\n"), "{}", done.stderr);
    assert_eq!(done.stderr.matches("no_such_").count(), 50, "{}", done.stderr);
    assert!(done.stderr.contains("  and 1950 more; the methodology lists them all at its head\n"), "{}", done.stderr);
    assert!(done.stdout.contains("no_such_1999"), "the methodology names them all");
    let listed =
        lab.ok(&["methods", "import", &file, "--json", "-o", lab.root().join("o.toml").to_str().expect("text")]);
    assert!(listed.stdout.contains("no_such_1999"), "and so does --json");
}

#[test]
fn a_methodology_needs_no_import_and_is_told_from_a_job_file() {
    let lab = Lab::new();
    let shown = lab.ok(&["methods", "show", "quick", "--json"]).stdout;
    let document: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    let whole = document["toml"].as_str().expect("a methodology").to_owned();
    for (name, text) in [("mine.toml", whole.as_str()), ("part.toml", "[defaults]\ndirect = true\n[[tests]]\n")] {
        let file = write(&lab, name, text);
        for more in [&[][..], &["--from", "fio"]] {
            let done = lab.run(&[&["methods", "import", &file][..], more].concat());
            assert_eq!(done.code, 2, "{}", done.stderr);
            let says = format!("'{file}' is already a methodology and needs no import: drivelab run {file} TARGET");
            assert!(done.stderr.contains(&says), "{}", done.stderr);
            assert!(!done.stderr.contains("section") && !done.stderr.contains("mistake"), "{}", done.stderr);
        }
    }
}

#[test]
fn a_plan_says_what_it_was_made_for_and_that_files_alone_are_no_job_file() {
    let lab = Lab::new();
    let plan = |words: &[&str]| lab.run(&[&["methods", "plan"][..], words].concat());
    let files = plan(&["file-transfer", "."]);
    assert!(files.code == 0 && files.stdout.lines().next().is_some_and(|head| head.ends_with(", in a folder")));
    let no_job = plan(&["file-transfer", ".", "--as-fio"]);
    assert!(no_job.code == 2 && no_job.stdout.is_empty(), "{}", no_job.stdout);
    // Three rounds of three arms: the figures of one run are not those of all.
    let document: serde_json::Value =
        serde_json::from_str(&plan(&["encryption-cost", ".", "--json"]).stdout).expect("one document");
    assert_eq!(document["runs"], 9);
    assert!(plan(&["encryption-cost", "."]).stdout.contains(": 9 runs, about "));
}

#[test]
fn the_installed_fio_runs_a_plan_as_a_job_file_and_issues_what_the_plan_says() {
    if std::process::Command::new("fio").arg("--version").output().is_err() {
        return println!("skipped: fio is not installed");
    }
    let lab = Lab::new();
    let folder = lab.folder().display().to_string();
    let done = lab.ok(&["methods", "plan", "quick", &folder, "--form", "smoke", "--as-fio"]);
    let jobs = write(&lab, "plan.fio", &done.stdout);
    let ran =
        std::process::Command::new("fio").args(["--output-format=json", &jobs]).current_dir(lab.folder()).output();
    let ran = ran.expect("fio starts");
    let text = String::from_utf8_lossy(&ran.stdout);
    assert!(ran.status.success(), "{text}\n{}", String::from_utf8_lossy(&ran.stderr));
    let start = text.find('{').expect("a document");
    let document: serde_json::Value = serde_json::from_str(&text[start..]).expect("one document");
    let results = document["jobs"].as_array().expect("jobs");
    assert_eq!(results.len(), done.stdout.matches("\nstonewall").count());
    for result in results {
        let name = result["jobname"].as_str().expect("a name");
        let moved = |kind: &str| result[kind]["io_bytes"].as_u64().expect("a number") > 0;
        let (reads, writes) = (moved("read"), moved("write"));
        if name.ends_with("-read") {
            assert!(reads && !writes, "{name}");
        } else if name.ends_with("-write") || name.contains("fill") {
            assert!(writes && !reads, "{name}");
        }
    }
}
