//! The words of each finding.

use drivelab_core::ids::StepId;
use drivelab_samples::sample_resumed_run;

use super::*;
use crate::check::testing::{defs, in_words, once_and_thrice};
use crate::topics::conduct::CONDUCT;

/// A run that was resumed, and how: what was repeated, and the pause in seconds.
fn resumed(again: usize, prepared_again: bool, kept_steps: u32, pause_s: Option<f64>) -> Finding {
    let mut pause = sample_resumed_run().breaks.swap_remove(0);
    let mut resumed = pause.resumed.take().expect("it was resumed");
    (resumed.prepared_again, resumed.kept_steps) = (prepared_again, kept_steps);
    if !prepared_again {
        resumed.target_state = "the scratch file was still there".to_owned();
    }
    pause.at_ns = 93_400_000_000;
    pause.made_again = keys(again);
    run_resumed(&pause, &resumed, pause_s, Vec::new())
}

fn keys(count: usize) -> Vec<StepKey> {
    let key = |round| StepKey { step: StepId::new("corners", "rnd-4k-q1t1-read"), round };
    (1..).take(count).map(key).collect()
}

#[test]
fn each_finding_in_its_words() {
    let steps = once_and_thrice(defs(CONDUCT).chain([&NOT_COOLED_DOWN]), |_| Vec::new());
    let verdict = Steadiness {
        test: "steady".to_owned(),
        reached: false,
        first_round: 21,
        last_round: 25,
        range_percent: 31.0,
        slope_percent: 4.0,
    };
    let of_run = vec![
        not_steady(&verdict),
        smoke_form(),
        in_company(1),
        in_company(3),
        run_failed("the device vanished.", 1),
        run_failed("the device vanished", 27),
        run_unfinished(27, 38, false, None),
        run_unfinished(27, 38, true, Some("stopped by the user")),
        resumed(0, true, 26, Some(42.0)),
        resumed(1, true, 26, Some(450.0)),
        resumed(3, false, 1, Some(11_520.0)),
        resumed(0, false, 26, None),
        step_failed("the kernel refused it.", keys(1)),
        step_failed("the kernel refused it", keys(2)),
    ];
    insta::assert_snapshot!(in_words(&[steps, of_run].concat()));
}
