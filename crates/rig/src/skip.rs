//! The rule of skipping: said aloud with its reason, and a failure where the variable CI is set.

use std::fmt::Display;

/// Says that a test is skipped and why; in CI nothing may be skipped. Never true, for what asks whether it may go on.
pub fn skip(why: &str) -> bool {
    println!("skipped: {why}");
    assert!(std::env::var_os("CI").is_none(), "skipped in CI: {why}");
    false
}

/// Whether a test that needs root may run; says so where not.
pub fn root_or_skip(what: &str) -> bool {
    rustix::process::geteuid().is_root() || skip(&format!("{what} needs root"))
}

/// What was made, or `None` once it is said why it was not.
pub fn or_skip<T>(made: Result<T, impl Display>) -> Option<T> {
    made.map_err(|why| skip(&why.to_string())).ok()
}
