//! The single error of a suite of which nothing can run: the shortest way out first, then each reason once.
//!
//! Must not know: why a test cannot run; that is known before.

use drivelab_core::plan::LeftOut;
use drivelab_core::units::Nanos;

use crate::methodology::Methodology;
use crate::suite::unit::{Candidate, Out, Unit};
use crate::tree::diagnose::Diagnostics;
use crate::tree::diagnostic::Diagnostic;

/// The label of this error, by which it is recognised.
pub(crate) const NOTHING: &str = "every test is left out";

/// Most names that are listed for one reason.
const NAMED: usize = 3;

/// The error that every test is left out, if it is the only error: then the file is fine, and target, time or rights
/// are not sufficient.
#[must_use]
pub fn nothing_left(errors: &Diagnostics) -> Option<&Diagnostic> {
    let [only] = errors.all() else { return None };
    (only.label() == NOTHING).then_some(only)
}

/// A reason, and what is left out because of it.
struct Group {
    reason: String,
    count: usize,
    names: Vec<String>,
}

/// `whole` is what is left out besides single tests.
pub(crate) fn error(method: &Methodology, units: &[Unit], whole: &[LeftOut]) -> Diagnostic {
    let asked = || units.iter().flat_map(|unit| &unit.tests).filter(|test| test.asked);
    let mut groups: Vec<Group> = Vec::new();
    for test in asked() {
        let Some(out) = &test.out else { continue };
        add(&mut groups, reason_of(out), (1, &test.test.name));
    }
    for out in whole {
        let of_entry = method.entries().iter().find(|entry| entry.prefix() == out.test);
        let count = of_entry.map_or(1, |entry| {
            let tests = entry.method.root().tables("tests").iter();
            tests.filter(|test| entry.takes(test.text("name"))).count()
        });
        add(&mut groups, common(&out.reason), (count, &out.test));
    }
    groups.sort_by_key(|group| std::cmp::Reverse(group.count));
    let at = method.root().entry("suite").map_or(0..0, |entry| entry.key_at.clone());
    let title = format!("nothing of '{}' can run here{}", method.identity().name, way_out(asked()));
    groups.iter().fold(Diagnostic::new(at, title, NOTHING), |error, group| error.help(group.words()))
}

/// What would have to change, if one change would be enough.
fn way_out<'u>(asked: impl Iterator<Item = &'u Candidate>) -> String {
    let (mut shortest, mut writes): (Option<(Nanos, &str)>, bool) = (None, false);
    for Candidate { test, out, .. } in asked {
        match out {
            Some(Out::Late(_, time)) if shortest.is_none_or(|(least, _)| *time < least) => {
                shortest = Some((*time, &test.name));
            }
            Some(Out::Writes(_)) => writes = true,
            _ => {}
        }
    }
    match shortest {
        Some((time, name)) => format!(": the shortest test, '{name}', needs {}", rounded_up(time)),
        None if writes => {
            ": everything that suits the target writes or needs written data, and nothing may be written".to_owned()
        }
        None => String::new(),
    }
}

/// Never less than the time itself, so that the printed time is enough.
fn rounded_up(time: Nanos) -> String {
    match time.get().div_ceil(1_000_000_000) {
        seconds @ 0..=119 => format!("{seconds} s"),
        seconds => format!("{} min", seconds.div_ceil(60)),
    }
}

/// A reason without the details of a single test.
fn reason_of(out: &Out) -> &str {
    match out {
        Out::Unmet(words) | Out::Writes(words) => common(words),
        Out::Lacks(_) => "it needs data of another test, which is left out",
        Out::Late(..) => "it takes longer than the time available",
    }
}

/// A reason without the command that it suggests.
fn common(reason: &str) -> &str {
    reason.split_once(": `drivelab ").map_or(reason, |(reason, _)| reason)
}

fn add(groups: &mut Vec<Group>, reason: &str, (count, name): (usize, &str)) {
    match groups.iter_mut().find(|group| group.reason == reason) {
        Some(group) => {
            group.count += count;
            group.names.push(name.to_owned());
        }
        None => groups.push(Group { reason: reason.to_owned(), count, names: vec![name.to_owned()] }),
    }
}

impl Group {
    fn words(&self) -> String {
        let Group { reason, count, names } = self;
        let tests = if *count == 1 { "test" } else { "tests" };
        let named = names.iter().take(NAMED).map(String::as_str).collect::<Vec<&str>>().join(", ");
        let more = if names.len() > NAMED { ", …" } else { "" };
        format!("{count} {tests} ({named}{more}): {reason}")
    }
}
