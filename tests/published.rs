//! Figures that others published: every built-in one is of a metric, in its unit, and of a load that the methodology
//! really has; and a run stands beside them.

mod support;

use std::collections::BTreeSet;
use std::path::Path;

use drivelab_analysis::metric_def;
use drivelab_core::plan::Form;
use drivelab_core::units::Bytes;
use drivelab_method::{SpeedGuess, TargetShape, expand, library, parse};
use drivelab_store::read_published;
use support::Lab;

#[test]
fn every_published_figure_is_of_a_metric_and_of_a_step_that_exists() {
    let mut steps = 0;
    for published in read_published(Path::new("/nowhere")) {
        let published = published.unwrap_or_else(|error| panic!("{error}"));
        // Of every profile: a step may be in one of them only.
        let mut known = BTreeSet::new();
        for name in &published.same_as {
            let built_in = library::find(name).unwrap_or_else(|| panic!("{}: no methodology {name}", published.name));
            let method = parse(name, built_in.text).unwrap_or_else(|errors| panic!("{}", errors.render(false)));
            let profiles = method.profiles().iter().map(|profile| profile.name.clone()).collect::<Vec<_>>();
            let all = profiles.iter().filter_map(|profile| method.with_profile(profile).ok()).chain([method.clone()]);
            for method in all {
                let guess = SpeedGuess::default();
                let shape = TargetShape { capacity: Bytes::new(8 << 40), offset_align: Bytes::new(512), guess };
                let Ok(plan) = expand(&method, Form::Faithful, &shape) else { continue };
                known.extend(plan.steps().map(|step| step.id.as_str().to_owned()));
            }
        }
        for figure in &published.figures {
            let what = format!("{}: {} of {}", published.name, figure.test, figure.subject());
            let def = metric_def(&figure.metric).unwrap_or_else(|| panic!("{what}: no metric {}", figure.metric));
            assert!(figure.value_in(def.unit).is_some(), "{what}: {} is no unit of {}", figure.unit, def.unit);
            for step in &figure.steps {
                assert!(known.contains(step.as_str()), "{what}: {:?} has no step {step}", published.same_as);
                steps += 1;
            }
        }
    }
    assert!(steps > 50, "{steps} figures are of a step");
}

#[test]
fn a_run_stands_beside_the_figures_of_a_file_of_the_users_own() {
    let lab = Lab::new();
    lab.ok(&["io", "nop:", "--time", "300ms", "--quiet"]);
    let (run, _) = lab.runs().remove(0);
    let document = lab.json(&["report", &run, "--format", "json"]);
    let step = document["steps"][0]["step"]["id"].as_str().expect("a step").to_owned();
    let own = format!(
        "name = \"mine\"\ntitle = \"My notes\"\nauthor = \"me\"\nmethod = \"By hand.\"\n\
         [[figures]]\ndrive = \"Old drive\"\ncapacity = \"1 TB\"\ntest = \"reads\"\nmetric = \"read.throughput\"\n\
         value = 100\nunit = \"MiB/s\"\nabout = true\nplace = \"page 1\"\nsteps = [\"{step}\"]\n\
         [[figures]]\ndrive = \"Other drive\"\ntest = \"reads\"\nmetric = \"read.throughput\"\nvalue = 1\n\
         unit = \"GB/s\"\ndoubtful = \"a guess\"\nplace = \"page 2\"\nsteps = [\"{step}\"]\n"
    );
    std::fs::create_dir(lab.data().join("published")).expect("a folder");
    std::fs::write(lab.data().join("published").join("mine.toml"), &own).expect("room");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = words(&lab.ok(&["compare", "last", "published:mine"]).stdout);
    for part in ["P1/A", "~104.9", "1,000 (doubtful)", "P1: Old drive 1 TB, published", "no interval and no verdict"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    let one = lab.json(&["compare", "last", "published:mine/old", "--json"]);
    let group = &one["groups"][0];
    assert_eq!(group["published"].as_array().expect("sides").len(), 1);
    let figures = group["tests"][0]["steps"][0]["figures"].as_array().expect("figures");
    let cell = &figures.iter().find(|figure| figure["headline"] == true).expect("a headline")["published"][0];
    assert_eq!((cell["published_value"].as_f64(), &cell["published_unit"]), (Some(100.0), &"MiB/s".into()));
    let value = figures[0]["cells"][0]["value"].as_f64().expect("a value");
    assert!((cell["ratio"].as_f64().expect("a ratio") - 104.8576 / value).abs() < 1e-9, "{cell}");
    lab.ok(&["compare", "last", "published:mine/old", "-o", "mine.csv"]);
    let csv = std::fs::read_to_string(lab.folder().join("mine.csv")).expect("the file");
    let published: Vec<&str> = csv.lines().filter(|line| line.contains(",P1,Old drive 1 TB,")).collect();
    assert!(published.len() == 1 && published[0].contains(",104.8575") && published[0].ends_with(",page 1,,"), "{csv}");
    let wrong = own.replace("\"mine\"", "\"wrong\"").replace("\"GB/s\"", "\"Gbit/s\"");
    std::fs::write(lab.data().join("published").join("wrong.toml"), wrong).expect("room");
    let outcome = lab.run(&["compare", "last", "published:wrong"]);
    assert!(outcome.code == 2 && outcome.stderr.contains("not in 'Gbit/s'"), "{}", outcome.stderr);
    std::fs::remove_file(lab.data().join("published").join("wrong.toml")).expect("it is there");
    for (words, code) in
        [(["last", "published:nothing"], 4), (["last", "published:mine/nobody"], 4), (["published:mine", "zzzz"], 4)]
    {
        assert_eq!(lab.run(&[&["compare"], &words[..]].concat()).code, code, "{words:?}");
    }
    assert!(text.contains("Measured here: io "), "{text}");
    let ranked =
        |more: &[&str]| lab.run(&[&["rank", "io", "published:mine", "--by", "read.throughput"], more].concat());
    let outcome = ranked(&["--mark", "NOP", "-o", "ranked.html"]);
    assert_eq!(outcome.code, 0, "{}", outcome.stderr);
    let page = std::fs::read_to_string(lab.folder().join("ranked.html")).expect("the page");
    assert!(page.contains("\"name\":\"Under review\"") && !page.contains("\"name\":\"Measured\""));
    let alone = ranked(&[]).stdout;
    let (table, remark) = alone.split_once("Without places: ").unwrap_or_else(|| panic!("{alone}"));
    assert!(table.contains(" measured ") && remark.starts_with("only one drive was measured here"), "{alone}");
    assert!(!alone.contains("Place") && !alone.contains("first"), "a single drive has no place: {alone}");
    let outcome = ranked(&["--mark", "zzz"]);
    assert!(outcome.code == 2 && outcome.stderr.contains("no ranked drive has this in its name"), "{}", outcome.stderr);
    // Steps of another methodology may have the same names.
    let other = format!("same_as = [\"quick\"]\n{}", own.replace("\"mine\"", "\"other\""));
    std::fs::write(lab.data().join("published").join("other.toml"), other).expect("room");
    let other = words(&lab.ok(&["compare", "last", "published:other"]).stdout);
    assert!(other.contains("2 published figures have no matching figure in these runs"), "{other}");
    let listed = words(&lab.ok(&["compare", "last", "published:other", "--all"]).stdout);
    assert!(listed.contains("reads MB/s ~104.9 1,000 (doubtful)"), "{listed}");
    let document = lab.json(&["compare", "last", "published:other", "--json"]);
    assert_eq!(document["published"]["rows"][0]["figures"].as_array().expect("figures").len(), 2);
    assert!(other.contains("No published figure matches a step of this run"), "{other}");
    let apart = words(&lab.ok(&["compare", "last", "published:dillon-nvme"]).stdout);
    assert!(apart.contains("No published figure matches a step of this run"), "{apart}");
    // A page of a single run has the comparison too.
    let page = lab.root().join("beside.html");
    lab.ok(&["compare", &run, "published:mine", "-o", page.to_str().expect("UTF-8")]);
    let text = std::fs::read_to_string(&page).expect("the page");
    assert!(text.contains("id=\"comparison\"") && text.contains("\"hatched\":true"), "no published bars");
}

#[test]
fn a_letter_that_no_published_side_has_is_no_base() {
    let lab = Lab::new();
    lab.ok(&["io", "nop:", "--time", "100ms", "--quiet"]);
    let refused = lab.run(&["compare", "published:rand-8tb-gen5", "--base", "A"]);
    assert!(refused.code == 2 && refused.stderr.contains("the sides are P1, P2, P3, P4, P5"), "{}", refused.stderr);
}

/// Every figure of these publications, which has to appear wherever they are compared.
fn figures_of(name: &str) -> usize {
    let all = read_published(Path::new("/nowhere"));
    all.into_iter().flatten().find(|one| one.name == name).expect("it is built in").figures.len()
}

#[test]
fn published_drives_are_compared_without_any_run() {
    let lab = Lab::new();
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = words(&lab.ok(&["compare", "published:beeler-sn861"]).stdout);
    for part in ["P1: Western Digital SN861 7.68 TB", "P4/P1", "no interval and no verdict"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    lab.ok(&["compare", "published:beeler-sn861", "-o", "table.md"]);
    let markdown = std::fs::read_to_string(lab.folder().join("table.md")).expect("the file");
    assert!(markdown.contains("| 256 KiB sequential read | MB/s | 13,283 | 12,092 | 14,495 | 6,751 |"), "{markdown}");
    for name in ["beeler-sn861", "dillon-nvme", "rand-8tb-gen5", "wachman-scaling"] {
        let word = format!("published:{name}");
        let document = lab.json(&["compare", &word, "--json"]);
        let rows = document["published"]["rows"].as_array().expect("rows");
        let figures = rows.iter().map(|row| row["figures"].as_array().expect("figures").len()).sum::<usize>();
        assert_eq!(figures, figures_of(name), "{name}: none is left out");
        let (csv, page) = (format!("{name}.csv"), format!("{name}.html"));
        lab.ok(&["compare", &word, "-o", &csv]);
        let csv = std::fs::read_to_string(lab.folder().join(csv)).expect("the table");
        assert_eq!(csv.lines().count(), figures + 1, "{name}");
        lab.ok(&["compare", &word, "-o", &page]);
        let page = std::fs::read_to_string(lab.folder().join(page)).expect("the page");
        assert!(page.contains("id=\"published\"") && page.contains("\"hatched\":true"), "{name}");
    }
    // Seed 000: an arm of one drive against another arm of the other.
    let arms = [
        "compare",
        "published:rand-8tb-gen5/9100 Pro 8 TB, BitLocker in hardware",
        "published:rand-8tb-gen5/SN8100 8 TB, BitLocker in software",
    ];
    let text = words(&lab.ok(&[&arms[..], &["--base", "P2"]].concat()).stdout);
    assert!(text.contains("Random write, 4 KiB, queue depth 1") && text.contains("P1/P2"), "{text}");
    let document = lab.json(&[&arms[..], &["--base", "p2", "--json"]].concat());
    let ratios: Vec<f64> = document["published"]["rows"]
        .as_array()
        .expect("rows")
        .iter()
        .filter(|row| {
            row["metric"] == "write.throughput" && row["test"].as_str().is_some_and(|test| test.ends_with("depth 1"))
        })
        .filter_map(|row| row["figures"][0]["ratio"].as_f64())
        .collect();
    assert!(ratios.iter().any(|ratio| (ratio - 311.74 / 136.95).abs() < 1e-9), "{ratios:?}");
    for (wrong, says) in [
        (&["published:rand-8tb-gen5/hardware"][..], "there is only one"),
        (&["published:beeler-sn861", "--base", "P9"], "matches no side; the sides are P1, P2, P3, P4"),
        (&["published:beeler-sn861", "published:beeler-sn861/SN861"], "is named twice"),
        (&["published:beeler-sn861", "--base", "published:beeler-sn861"], "name one by its letter"),
        (&["published:beeler-sn861", "--fail-if-worse"], "--fail-if-worse needs runs"),
        (&["published:beeler-sn861", "--by", "drive"], "--by needs runs"),
    ] {
        let outcome = lab.run(&[&["compare"], wrong].concat());
        assert_eq!(outcome.code, 2, "{wrong:?}: {}", outcome.stderr);
        assert!(words(&outcome.stderr).contains(says), "{wrong:?}: {}", outcome.stderr);
    }
}

/// The conclusion of seed 000: the choice depends on whether the reader can encrypt in hardware.
#[test]
fn the_choice_between_two_drives_depends_on_the_readers_case() {
    let lab = Lab::new();
    let document = lab.json(&["compare", "published:rand-8tb-gen5", "--json"]);
    let choices = document["published"]["choices"].as_array().expect("choices");
    let of =
        |case: &str| choices.iter().find(|one| one["case"] == case).unwrap_or_else(|| panic!("{case}: {choices:?}"));
    let chosen = |case: &str| of(case)["choose"].as_str().unwrap_or_default().to_owned();
    assert!(chosen("Without encryption").starts_with("Sandisk SN8100"));
    assert!(chosen("BitLocker in software, AES-256").starts_with("Sandisk SN8100"));
    let hardware = of("BitLocker in hardware");
    assert!(chosen("BitLocker in hardware").starts_with("Samsung 9100 Pro"));
    assert!(hardware["other"].as_str().is_some_and(|other| other.contains("BitLocker in software")), "{hardware}");
    assert_eq!((hardware["ahead"].as_u64(), hardware["close"].as_u64()), (Some(7), Some(1)), "{hardware}");
    let high = hardware["high"].as_f64().expect("a ratio");
    assert!((high - 311.74 / 136.95).abs() < 1e-9, "{high}");
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = words(&lab.ok(&["compare", "published:rand-8tb-gen5"]).stdout);
    assert!(text.contains("BitLocker in hardware: Samsung 9100 Pro 8 TB. It is ahead in 7 of 8 figures"), "{text}");
    let three = lab.json(&["compare", "published:beeler-sn861", "--json"]);
    assert!(three["published"]["choices"].is_null(), "four drives");
}

/// The seven verdicts of seed 004, from its own figures and the built-in rules.
#[test]
fn the_verdicts_of_a_review_follow_from_its_figures() {
    let lab = Lab::new();
    let document = lab.json(&["compare", "published:dillon-nvme", "--json"]);
    let verdicts = document["published"]["verdicts"].as_array().expect("verdicts");
    let of = |drive: &str, of_use: &str| -> String {
        let one = verdicts.iter().find(|one| one["drive"] == drive).unwrap_or_else(|| panic!("{drive}"));
        let uses = one["suitability"]["uses"].as_array().expect("uses");
        uses.iter().find(|one| one["id"] == of_use).expect("the use")["outcome"].as_str().expect("a word").to_owned()
    };
    for (drive, outcome) in [
        ("Samsung 951", "recommended"),
        ("Samsung 960 EVO", "recommended"),
        ("Plextor M8Pe", "recommended"),
        ("MyDigitalSSD BPX", "conditional"),
        ("Toshiba OCZ RD400", "not_recommended"),
        ("WD Black", "not_recommended"),
        ("Intel 600P", "not_recommended"),
    ] {
        assert_eq!(of(drive, "system"), outcome, "{drive}");
    }
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = words(&lab.ok(&["compare", "published:dillon-nvme"]).stdout);
    for part in [
        "What each drive is good for, by the rules",
        "WD Black: Rated endurance: 312.5 full drive writes. The maker rates it for few writes.",
        "Toshiba OCZ RD400: Highest temperature without throttling or a warning: 81 °C.",
        "MyDigitalSSD BPX: With a heat sink or good airflow, and not in a laptop.",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    for file in ["page.html", "table.md"] {
        lab.ok(&["compare", "published:dillon-nvme", "-o", file]);
        let text = std::fs::read_to_string(lab.folder().join(file)).expect("the file");
        assert!(text.contains("conditionally recommended") && text.contains("What each drive is good for"), "{file}");
    }
}

#[test]
fn a_published_figure_is_no_base_for_runs() {
    let lab = Lab::new();
    lab.ok(&["io", "nop:", "--time", "300ms", "--quiet"]);
    // A run as the base stands beside them, although no word names it.
    let beside = lab.ok(&["compare", "published:beeler-sn861", "--base", "last", "--json"]).stdout;
    let beside: serde_json::Value = serde_json::from_str(&beside).expect("one document");
    assert_eq!((beside["sides"].as_array().map(Vec::len), beside["published"]["base"].as_str()), (Some(1), None));
    for base in ["P1", "published:beeler-sn861"] {
        let outcome = lab.run(&["compare", "last", "published:beeler-sn861", "--base", base]);
        let words = outcome.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(outcome.code == 2 && words.contains("names published figures: they have no spread"), "{base}: {words}");
    }
}

/// Numbers as a text writes them, without commas between thousands.
fn numbers(text: &str) -> BTreeSet<String> {
    let is_part = |letter: char| letter.is_ascii_digit() || letter == '.' || letter == ',';
    let all = text.split(|letter: char| !is_part(letter)).map(|number| number.replace(',', ""));
    all.map(|number| number.trim_matches('.').to_owned()).filter(|number| !number.is_empty()).collect()
}

/// `DRIVELAB_SEEDS` is a folder with the texts of the reviews, `000_….txt` to `004_….txt`. Each figure must be in the
/// text of its source: as it is, or in thousands (`407K IOPS`, `2.1 GB/s`); the two reviews with tables are also
/// compared cell by cell.
#[test]
fn each_published_figure_is_in_the_text_of_its_source() {
    let Some(folder) = std::env::var_os("DRIVELAB_SEEDS") else {
        println!("skipped: DRIVELAB_SEEDS names no folder with the texts of the reviews");
        return;
    };
    let text = |number: &str| {
        let mut files = std::fs::read_dir(&folder).expect("the folder").flatten().map(|entry| entry.path());
        let file = files.find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(number)));
        std::fs::read_to_string(file.expect("a text")).expect("text")
    };
    let sources =
        [("rand-8tb-gen5", "000"), ("beeler-sn861", "002"), ("wachman-scaling", "003"), ("dillon-nvme", "004")];
    let mut compared = 0;
    for published in read_published(Path::new("/nowhere")).into_iter().flatten() {
        let (_, number) = sources.iter().find(|(name, _)| *name == published.name).expect("a source");
        let text = text(number);
        let known = numbers(&text);
        for figure in &published.figures {
            let written = |value: f64| [format!("{value}"), format!("{value:.1}"), format!("{value:.2}")];
            let forms = written(figure.value).into_iter().chain(written(figure.value / 1000.0));
            assert!(
                forms.clone().any(|form| known.contains(&form)),
                "{}: {} of {} ({}) is not in the text: {:?}",
                published.name,
                figure.test,
                figure.subject(),
                figure.place,
                forms.collect::<Vec<_>>()
            );
            compared += 1;
        }
        match *number {
            "000" => in_tables(&published, &text),
            "004" => in_sweeps(&published, &text),
            _ => {}
        }
    }
    println!("{compared} figures are in the texts of their sources");
}

/// Review 000: a table for each drive and arm, a row for each load, a column for reads and one for writes.
fn in_tables(published: &drivelab_core::published::Published, text: &str) {
    for figure in &published.figures {
        let quoted = figure.place.split('\'').nth(1).expect("the name of a table");
        let table = text.split_once(quoted).expect("the table").1;
        let row = figure.place.split("row ").nth(1).and_then(|rest| rest.split(',').next()).expect("a row");
        let line = table.lines().find(|line| line.contains(row)).expect("the row");
        let column = if figure.place.ends_with("Read") { 2 } else { 3 };
        let cell = line.split('|').nth(column).expect("a column").replace("(MB/s)", "");
        assert_eq!(cell.trim().parse::<f64>().ok(), Some(figure.value), "{}: {line}", figure.place);
    }
}

/// Review 004: in the section of a drive, block size, rate with 16 threads and, in brackets, with 64.
fn in_sweeps(published: &drivelab_core::published::Published, text: &str) {
    let mut compared = 0;
    for figure in published
        .figures
        .iter()
        .filter(|figure| figure.place.contains(", sweep, block size ") && figure.which.is_none())
    {
        let number = |after: &str| {
            let rest = figure.place.split(after).nth(1).expect("a place");
            rest.split(|letter: char| !letter.is_ascii_digit()).next().expect("a number").to_owned()
        };
        let (size, threads) = (number("block size "), number(&format!("block size {}, ", number("block size "))));
        let line = if threads == "16" {
            format!("{size} {} MBytes/sec", figure.value)
        } else {
            format!("({} MB/s @ 64 threads)", figure.value)
        };
        let spaced = text.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(spaced.contains(&line), "{} {}: no '{line}'", figure.subject(), figure.place);
        compared += 1;
    }
    assert!(compared > 100, "{compared} figures of sweeps");
}

/// Two reviews of one drive: each verdict names the review whose figures it rests on.
#[test]
fn verdicts_of_two_reviews_of_one_drive_are_told_apart() {
    let lab = Lab::new();
    let own = include_str!("../reference/results/dillon-nvme.toml").replace("\"dillon-nvme\"", "\"again\"");
    std::fs::create_dir_all(lab.data().join("published")).expect("a folder");
    std::fs::write(lab.data().join("published").join("again.toml"), own).expect("room");
    let words = ["compare", "published:dillon-nvme/BPX", "published:again/BPX", "--json"];
    let document = lab.json(&words);
    let verdicts = document["published"]["verdicts"].as_array().expect("verdicts");
    let drives: Vec<&str> = verdicts.iter().filter_map(|one| one["drive"].as_str()).collect();
    assert_eq!(drives, ["MyDigitalSSD BPX (dillon-nvme)", "MyDigitalSSD BPX (again)"]);
}
