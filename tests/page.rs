//! The page of a real review, opened in a real browser: no console error, no network request, and charts and tables
//! exist.
//!
//! The browser's checks are those of web/test; here they get a page that drivelab measured itself.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use drivelab_rig::skip;
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
