//! `cargo xtask generate`: writes the files that are generated from code.
//!
//! Each such file has a test in its crate that compares it with the code; the same test rewrites it if an environment
//! variable is set. So each file has a single definition, and this list only knows where it is.

use std::path::Path;

use anyhow::Result;

use crate::shell::{cargo, run as run_command};

/// Makes the tests below write instead of compare.
const WRITE: &[&str] = &["DRIVELAB_UPDATE_DOCS", "UPDATE_SCHEMA"];

/// Package and test target of a generated file.
const TESTS: &[(&str, &str)] = &[
    // docs/metrics.md
    ("drivelab-analysis", "metrics_page"),
    // docs/formats/method.schema.json
    ("drivelab-method", "expansion"),
    // docs/methods
    ("drivelab-method", "pages"),
    // docs/guide/resume.md
    ("drivelab", "lives_on"),
    // docs/formats/drive-facts.schema.json
    ("drivelab-device", "drive_facts"),
    // docs/formats/drive-state.schema.json
    ("drivelab-store", "drive_state_schema"),
    // docs/formats/published.schema.json
    ("drivelab-store", "published_schema"),
    // The other schemas in docs/formats.
    ("drivelab-report", "schemas"),
];

/// Runs those tests in writing mode.
pub(crate) fn run(root: &Path) -> Result<()> {
    for (package, test) in TESTS {
        let mut writing = cargo(root, &["test", "--locked", "--quiet", "--package", package, "--test", test]);
        writing.envs(WRITE.iter().map(|name| (name, "1")));
        run_command(writing)?;
    }
    println!("generate: done; `git diff` shows what changed");
    Ok(())
}
