//! The page of a real review, opened in a real browser: no console error, no network request, and charts and tables
//! exist.
//!
//! The browser's checks are those of web/test; here they get a page that drivelab measured itself. Pages also stay short
//! enough to be read: what is visible before a reader unfolds anything has a limit in words.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use drivelab_rig::{LoopDevice, root_or_skip, skip};
use support::Lab;

#[test]
fn the_page_of_a_real_review_opens_offline_without_an_error() {
    let chromium = std::env::var("CHROMIUM").unwrap_or_else(|_| "/usr/bin/chromium".to_owned());
    if !Path::new(&chromium).exists() {
        skip("there is no Chromium; `cargo xtask setup` installs it");
        return;
    }
    let lab = Lab::new();
    lab.ok(&["review", "--form", "smoke", "--quiet"]);
    let page = lab.folder().join("review.html");
    let web = concat!(env!("CARGO_MANIFEST_DIR"), "/../../web");
    let output = Command::new("npm")
        .args(["test", "--silent"])
        .current_dir(web)
        .env("PAGE", page.as_os_str())
        .env("SAMPLE_PAGE", sample_page())
        .output()
        .expect("npm starts");
    let text = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{text}");
    assert!(text.contains("pass") && !text.contains("skipped:"), "{text}");
}

/// The program that writes the pages of samples. Cargo builds it with the tests; asked now, it might have to wait for
/// another cargo.
fn sample_page() -> PathBuf {
    let test = std::env::current_exe().expect("a test knows its program");
    let built = test.parent().and_then(Path::parent).expect("tests are in a folder of their own");
    built.join("examples/sample_page")
}

/// Most visible words of the page of `quick`, and of any other methodology.
const MOST_WORDS: [(&str, usize); 6] = [
    ("quick", 3_000),
    ("application-traces", 10_000),
    ("snia-pts", 10_000),
    ("anandtech-2021", 10_000),
    ("random-read-sweep", 10_000),
    ("review", 10_000),
];

/// The words of a page that a reader sees at first: nothing of scripts, styles and what is folded but its summaries.
fn visible_words(page: &str) -> usize {
    let (mut words, mut folded, mut hidden) = (0, 0_usize, 0_usize);
    let mut in_summary = false;
    for part in page.split('<') {
        let (tag, text) = part.split_once('>').unwrap_or(("", part));
        let name = tag.split(|sign: char| sign.is_whitespace()).next().unwrap_or_default();
        match name {
            "script" | "style" | "noscript" | "title" => hidden += 1,
            "/script" | "/style" | "/noscript" | "/title" => hidden = hidden.saturating_sub(1),
            "details" => folded += 1,
            "/details" => folded = folded.saturating_sub(1),
            "summary" => in_summary = folded == 1,
            "/summary" => in_summary = false,
            _ => {}
        }
        if hidden == 0 && (folded == 0 || in_summary) {
            words += text.split_whitespace().count();
        }
    }
    words
}

#[test]
fn words_are_counted_as_a_reader_sees_them() {
    let page = "<title>no</title><script>a < b</script><p>one two <b>three</b></p>\
                <details><summary>four</summary>not <details><summary>not</summary>these</details></details> five";
    assert_eq!(visible_words(page), 5);
}

#[test]
fn no_page_is_longer_than_a_reader_reads() {
    if !root_or_skip("a loop device") {
        return;
    }
    let lab = Lab::new();
    let mut long = Vec::new();
    let disk = LoopDevice::new(&lab.folder(), "disk.img", 256);
    for (method, most) in MOST_WORDS {
        lab.ok(&["run", method, &disk.device, "--destroy", disk.name(), "--form", "smoke", "--quiet"]);
        lab.ok(&["report", "last", "-o", "page.html"]);
        let page = std::fs::read_to_string(lab.folder().join("page.html")).expect("a page");
        let words = visible_words(&page);
        println!("{method}: {words} words, {} bytes", page.len());
        if words > most {
            long.push(format!("{method} has {words} words, at most {most}"));
        }
    }
    assert!(long.is_empty(), "{}", long.join("\n"));
}
