//! The words of each finding; those about other programs are in [`crate::topics::others`].

use super::*;
use crate::check::testing::{defs, in_words, once_and_thrice};
use crate::topics::telemetry::WATCHED;

#[test]
fn each_finding_in_its_words() {
    let own = defs(WATCHED).filter(|def| !def.code.starts_with("others_"));
    let mut all = once_and_thrice(own, |_| Vec::new());
    let meters = ["file:power (it is not there)", "command:wattmeter"].map(str::to_owned);
    all.extend([silent_meters(&meters[..1]), silent_meters(&meters)]);
    insta::assert_snapshot!(in_words(&all));
}
