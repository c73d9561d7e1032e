//! Refuses a comparison of runs that differ in more than what is asked.

use drivelab_analysis::side_by_side::Kind;
use drivelab_core::group::letter;
use drivelab_lab::{Failure, Result};

use crate::args::By;

/// Checks that the differences that were found are the question (`asked`) or were allowed. The only difference of runs
/// of one drive is the question, unless another is asked for. `titles` names the sides.
///
/// # Errors
/// The others, with what to do.
pub(super) fn check(
    found: &[(Kind, String)],
    asked: &[Kind],
    (one_drive, titles): (bool, &[String]),
    allowed: &[Kind],
) -> Result<()> {
    let mut rest: Vec<&(Kind, String)> =
        found.iter().filter(|(kind, _)| !asked.contains(kind) && !allowed.contains(kind)).collect();
    let first = rest.first().map(|(kind, _)| *kind);
    if asked.is_empty() && one_drive && rest.iter().all(|(kind, _)| Some(*kind) == first) {
        rest.clear();
    }
    if rest.is_empty() {
        return Ok(());
    }
    let mut kinds: Vec<Kind> = rest.iter().map(|(kind, _)| *kind).collect();
    kinds.sort();
    kinds.dedup();
    let sides = titles.iter().enumerate().map(|(at, title)| format!("  {}  {title}", letter(at)));
    let lines: Vec<String> = sides.chain(rest.iter().map(|(_, words)| format!("  {words}"))).collect();
    let flags: Vec<String> = kinds.iter().map(|kind| format!("--allow {}", kind.name())).collect();
    let what = match asked.first() {
        Some(kind) => format!("more than the {}", kind.name()),
        None if one_drive => "more than one thing".to_owned(),
        None => "more than the drive".to_owned(),
    };
    let axis = match kinds.as_slice() {
        [kind] => axis(*kind).map_or_else(String::new, |name| format!("\nto compare by it: --by {name}")),
        _ => String::new(),
    };
    Err(Failure::usage(format!(
        "these runs differ in {what}, so a ratio would not show the cause:\n{}{axis}\nto compare them anyway: {}",
        lines.join("\n"),
        flags.join(" ")
    )))
}

/// The axis that asks for a difference.
const fn axis(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::Drive => Some("drive"),
        Kind::Arm => Some("arm"),
        Kind::Firmware => Some("firmware"),
        Kind::Testbed => Some("testbed"),
        Kind::Profile => Some("profile"),
        Kind::State => Some("state"),
        Kind::Size => Some("capacity"),
        Kind::Target
        | Kind::Statistic
        | Kind::Engine
        | Kind::FileSystem
        | Kind::Traces
        | Kind::Source
        | Kind::Company => None,
    }
}

/// The difference that an axis asks for.
pub(super) const fn question(by: By) -> Option<Kind> {
    match by {
        By::Arm => Some(Kind::Arm),
        By::Firmware => Some(Kind::Firmware),
        By::Testbed => Some(Kind::Testbed),
        By::Profile => Some(Kind::Profile),
        By::State => Some(Kind::State),
        By::Capacity => Some(Kind::Size),
        By::Run | By::Drive | By::Time => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found() -> Vec<(Kind, String)> {
        vec![(Kind::Arm, "arm: A none, B luks2".to_owned()), (Kind::Size, "tested size: A 1, B 2".to_owned())]
    }

    #[test]
    fn what_is_neither_asked_nor_allowed_is_refused_with_what_to_do() {
        let titles = ["970 EVO".to_owned(), "990 PRO".to_owned()];
        let why = check(&found(), &[], (true, &titles), &[]).expect_err("two differences").message;
        assert!(why.contains("arm: A none, B luks2") && why.contains("--allow arm --allow size"), "{why}");
        assert!(why.contains("B  990 PRO"), "{why}");
        let why = check(&found(), &[Kind::Arm], (true, &[]), &[]).expect_err("the size differs too").message;
        assert!(
            !why.contains("arm: ") && why.ends_with("--by capacity\nto compare them anyway: --allow size"),
            "{why}"
        );
        assert!(why.starts_with("these runs differ in more than the arm,"), "{why}");
        assert!(check(&found(), &[Kind::Arm], (true, &[]), &[Kind::Size]).is_ok());
        assert!(check(&found(), &[], (false, &[]), &[Kind::Size, Kind::Arm]).is_ok());
    }

    #[test]
    fn the_only_difference_of_one_drive_is_the_question() {
        assert!(check(&found()[..1], &[], (true, &[]), &[]).is_ok());
        assert!(check(&found()[..1], &[], (false, &[]), &[]).is_err(), "the drive is the question");
        assert!(check(&found()[..1], &[Kind::Profile], (true, &[]), &[]).is_err(), "asked for something else");
        assert!(check(&[], &[], (false, &[]), &[]).is_ok());
    }
}
