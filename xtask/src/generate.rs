//! `cargo xtask generate`: writes the files that are made from code.
//!
//! Each such file has a test in its crate that compares it with the code; the same test writes it anew where the
//! environment variable below is set, so that there is one definition of each file.

use std::path::Path;

use anyhow::Result;

use crate::shell::{cargo, run as run_command};

/// Tells the tests of generated files to write instead of to compare.
const WRITE: &str = "DRIVELAB_GENERATE";

/// Runs those tests in writing mode; their names contain `up_to_date`.
pub(crate) fn run(root: &Path) -> Result<()> {
    let mut tests =
        cargo(root, &["test", "--workspace", "--locked", "--quiet", "--lib", "--bins", "--tests", "--", "up_to_date"]);
    tests.env(WRITE, "1");
    run_command(tests)?;
    println!("generate: done; `git diff` shows what changed");
    Ok(())
}
