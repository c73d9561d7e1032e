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
    assert!(published.len() == 1 && published[0].contains(",104.8575") && published[0].ends_with(",page 1"), "{csv}");
    for (words, code) in
        [(["last", "published:nothing"], 4), (["last", "published:mine/nobody"], 4), (["published:mine", "zzzz"], 4)]
    {
        assert_eq!(lab.run(&[&["compare"], &words[..]].concat()).code, code, "{words:?}");
    }
    assert!(text.contains("Measured here: io "), "{text}");
    // Steps of another methodology may have the same names.
    let other = format!("same_as = [\"quick\"]\n{}", own.replace("\"mine\"", "\"other\""));
    std::fs::write(lab.data().join("published").join("other.toml"), other).expect("room");
    let other = words(&lab.ok(&["compare", "last", "published:other"]).stdout);
    assert!(other.contains("No published figure matches a step of this run"), "{other}");
    let apart = words(&lab.ok(&["compare", "last", "published:dillon-nvme"]).stdout);
    assert!(apart.contains("No published figure matches a step of this run"), "{apart}");
    // A page of a single run has the comparison too.
    let page = lab.root().join("beside.html");
    lab.ok(&["compare", &run, "published:mine", "-o", page.to_str().expect("UTF-8")]);
    let text = std::fs::read_to_string(&page).expect("the page");
    assert!(text.contains("id=\"comparison\"") && text.contains("\"hatched\":true"), "no published bars");
}
