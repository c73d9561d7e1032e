//! The words of each finding.

use drivelab_core::ids::{StepId, StepKey};

use super::*;
use crate::check::testing::{in_words, rounds, seen};

#[test]
fn each_finding_in_its_words() {
    let one = rounds(&seen(Vec::new()), 3);
    let key = StepKey { step: StepId::new("corners", "rnd-4k-q1t1-read"), round: 1 };
    let other = Seen { key, ..seen(Vec::new()) };
    let two: Vec<Seen> = one.iter().cloned().chain([other]).collect();
    let both = |def: &FindingDef| [def.about(&one), def.about(&two)];
    insta::assert_snapshot!(in_words(&[both(&TWO_MODES), both(&ROUNDS_DIFFER)].concat()));
}
