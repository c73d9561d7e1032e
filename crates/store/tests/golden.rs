//! Golden bundles: one for every released format version, made once (`make_golden` in the crate's own tests) and
//! never changed. Each contains an interruption, a torn tail and a second segment, and must stay readable
//! permanently.

use std::fs;
use std::path::Path;

use drivelab_core::event::{Event, RunState};
use drivelab_store::Bundle;

#[test]
fn the_golden_bundle_of_version_1_is_read_as_it_was_written() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/v1");
    let bundle = Bundle::open(&golden.join("bundle")).unwrap();
    bundle.verify().unwrap();
    let expected = fs::read_to_string(golden.join("events.jsonl")).unwrap();
    let expected: Vec<Event> = expected.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(bundle.events().unwrap(), expected);
    let torn = bundle.torn().unwrap();
    assert_eq!((torn.len(), torn[0].bytes), (1, 77));
    let records = bundle.records().unwrap();
    assert_eq!((records.state, records.steps.len(), records.breaks.len()), (RunState::Complete, 3, 1));
    assert_eq!(records.breaks[0].resumed.as_ref().map(|resumed| resumed.kept_steps), Some(1));
    assert!(bundle.methodology_toml().unwrap().starts_with("# a comment that must survive"));
    assert_eq!(bundle.manifest().run, records.run);
}
