//! docs/guide/resume.md lists which test of which built-in methodology depends on what earlier tests wrote, according
//! to the code that restores it on resume.
//!
//! `DRIVELAB_UPDATE_DOCS=1 cargo test -p drivelab --test lives_on` updates the list.

use std::fmt::Write;
use std::path::Path;

use drivelab_core::units::Bytes;
use drivelab_method::{SpeedGuess, TargetShape, expand, library, parse};
use drivelab_session::lives_on;

const BEGIN: &str = "<!-- Printed from methods/*.toml; do not edit. A test compares the two. -->\n";

fn list() -> String {
    let shape =
        TargetShape { capacity: Bytes::new(1 << 40), offset_align: Bytes::new(512), guess: SpeedGuess::default() };
    let mut text = String::new();
    for built_in in library::all() {
        let method = parse(built_in.name, built_in.text).expect("a built-in methodology");
        let Some(form) = method.forms().first().copied() else { continue };
        let Ok(plan) = expand(&method, form, &shape) else { continue };
        let mut lines = Vec::new();
        for chain in lives_on(&plan) {
            let last = chain.iter().rposition(|(test, _)| test.name != "prepare" && !test.name.starts_with("prepare-"));
            let Some(last) = last else { continue };
            // If nothing measured comes after it, what it leaves behind does not matter.
            let chain = &chain[..=last];
            let writing = chain[..last].iter().filter(|(_, changes)| *changes).count();
            if writing == 0 {
                continue;
            }
            let words = |(test, changes): &(&drivelab_core::plan::TestPlan, bool)| {
                if *changes { format!("**{}**", test.name) } else { test.name.clone() }
            };
            lines.push(chain.iter().map(words).collect::<Vec<String>>().join(" → "));
        }
        if !lines.is_empty() {
            let _ = writeln!(text, "\n### {}\n", built_in.name);
            for line in lines {
                let _ = writeln!(text, "- {line}");
            }
        }
    }
    text
}

#[test]
fn the_guide_lists_which_test_lives_on_which() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/resume.md");
    let page = std::fs::read_to_string(&path).expect("the page");
    let (head, printed) = page.split_once(BEGIN).expect("the mark above the list");
    let list = list();
    if std::env::var_os("DRIVELAB_UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{head}{BEGIN}{list}")).expect("the page can be written");
        return;
    }
    assert_eq!(printed, list, "renew it with cargo xtask generate");
}
