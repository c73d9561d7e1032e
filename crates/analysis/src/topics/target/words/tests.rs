//! The words of each finding.

use super::*;
use crate::check::testing::{defs, in_words, once_and_thrice, seen};
use crate::topics::target::TARGET;

#[test]
fn each_finding_in_its_words() {
    let mut all = once_and_thrice(defs(TARGET), |code| if code == "weak_data" { vec!["zeros"] } else { Vec::new() });
    let mixed = seen(Vec::new()).noting("blocks that are 50 % zeros").noting("blocks, 10 % of which repeat");
    all.push(WEAK_DATA.about(&[mixed]));
    insta::assert_snapshot!(in_words(&all));
}
