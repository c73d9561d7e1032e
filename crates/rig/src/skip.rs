//! The rule for skipping a test: it prints the reason, and fails where the variable CI is set.

use std::fmt::Display;

/// Prints that a test is skipped and why, and fails in CI. Returns false, for use as an answer to "may it go on?".
pub fn skip(why: &str) -> bool {
    println!("skipped: {why}");
    assert!(std::env::var_os("CI").is_none(), "skipped in CI: {why}");
    false
}

/// Whether a test that needs root may run; otherwise prints why it is skipped.
pub fn root_or_skip(what: &str) -> bool {
    rustix::process::geteuid().is_root() || skip(&format!("{what} needs root"))
}

/// What was made, or `None` after printing why the test is skipped.
pub fn or_skip<T>(made: Result<T, impl Display>) -> Option<T> {
    made.map_err(|why| skip(&why.to_string())).ok()
}
