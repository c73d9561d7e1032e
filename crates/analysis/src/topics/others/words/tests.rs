//! The words of each finding.

use super::*;
use crate::check::testing::{defs, in_words, once_and_thrice, rounds, seen};
use crate::topics::telemetry::WATCHED;

#[test]
fn each_finding_in_its_words() {
    let own = defs(WATCHED).filter(|def| def.code.starts_with("others_"));
    let mut all = once_and_thrice(own, |code| if code == "others_not_watched" { Vec::new() } else { vec!["nvme0n1"] });
    let first = seen(Vec::new()).noting("md0");
    let [one, other] = &rounds(&seen(Vec::new()), 2)[..] else { panic!("two rounds") };
    let members = [first, one.clone().noting("sda and sdb"), other.clone().noting("md0")];
    all.extend([USED_DISK.about(&members), PERHAPS.about(&members)]);
    all.extend([layers_not_judged(&["dm-3"]), layers_not_judged(&["dm-3", "loop0"])]);
    all.extend([others_not_watched(), others_not_watched_any_more()]);
    insta::assert_snapshot!(in_words(&all));
}
