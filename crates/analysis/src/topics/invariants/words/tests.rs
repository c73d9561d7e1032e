//! The words of each finding.

use crate::check::testing::{defs, in_words, once_and_thrice};
use crate::topics::invariants::INVARIANTS;

#[test]
fn each_finding_in_its_words() {
    insta::assert_snapshot!(in_words(&once_and_thrice(defs(INVARIANTS), |_| Vec::new())));
}
