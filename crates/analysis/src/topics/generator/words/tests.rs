//! The words of each finding.

use super::*;
use crate::check::testing::{defs, in_words, once_and_thrice, seen};
use crate::topics::generator::ACCOUNT;

#[test]
fn each_finding_in_its_words() {
    let mut all = once_and_thrice(defs(ACCOUNT), |code| match code {
        "backend_fallback" => vec!["io_uring_setup was refused (EPERM)"],
        "features_refused" => vec!["registered buffers (ENOMEM)", "DEFER_TASKRUN (EINVAL)"],
        "untried_mode" => vec!["io_uring, SQPOLL"],
        "clock_fallback" => vec!["CLOCK_MONOTONIC_RAW: no constant_tsc"],
        "buffered_io" => vec!["the file's pages were dropped"],
        _ => Vec::new(),
    });
    all.push(BUFFERED_IO.about(&[seen(Vec::new())]));
    insta::assert_snapshot!(in_words(&all));
}
