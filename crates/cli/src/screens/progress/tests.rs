//! The estimate is realistic: never zero before the end, exact at the end, near the truth if the plan is right, and
//! sound whatever is missing. Random runs come from `testing`, which knows the true remaining time at every event.

use drivelab_core::event::{Event, EventBody};
use drivelab_core::plan::StopRule;
use drivelab_core::units::Nanos;
use proptest::prelude::*;

use super::*;
use crate::screens::testing::{SECOND, Tape, broken_run, plan, run, short_run, usual};

fn folded(events: &[Event]) -> Progress {
    let mut progress = Progress::default();
    events.iter().for_each(|event| progress.event(event));
    progress
}

/// No estimate of the made-up plan can be longer than this: every step at its cap, followed by a rest of the same
/// length.
fn longest() -> u64 {
    let cap = |step: &drivelab_core::plan::Step| match &step.action {
        drivelab_core::plan::Action::Io { stop: StopRule { cap, .. }, .. } => 2 * cap.get(),
        drivelab_core::plan::Action::Idle { time } => time.get(),
        drivelab_core::plan::Action::CoolDown(wait) => wait.cap.get(),
    };
    20 * plan().schedule().iter().map(|(_, step)| cap(step)).sum::<u64>()
}

#[test]
fn the_estimate_is_near_the_truth_where_the_drive_is_as_planned() {
    let events = run(usual, 8);
    let end = events.last().expect("events").at_ns;
    let mut progress = Progress::default();
    for event in &events[..events.len() - 1] {
        progress.event(event);
        let left = progress.left(event.at_ns).expect("under way").at_most.as_secs_f64();
        let truth = Nanos::new(end - event.at_ns).as_secs_f64();
        assert!((left - truth).abs() <= 2.0 + truth * 0.1, "at {} s: {left} for {truth}", event.at_ns / SECOND);
    }
}

#[test]
fn a_slow_drive_is_found_out_by_its_rate_and_then_by_its_kind() {
    // The fill runs at a quarter of what the plan expects: 36 s instead of 9 s.
    let events = run(|key| if key.step.as_str() == "prepare/fill" { 119e6 } else { 45e6 }, 8);
    let third = events.iter().position(|event| matches!(&event.event, EventBody::Interval(it) if it.index == 2));
    let third = third.expect("the fill has intervals");
    let progress = folded(&events[..=third]);
    let here = progress.left_here(events[third].at_ns).expect("it runs").as_secs_f64();
    assert!((here - 33.0).abs() < 1.5, "{here}");
    let ended = events.iter().position(|event| matches!(event.event, EventBody::StepEnded(_))).expect("it ends");
    let at = events[ended].at_ns;
    let plan_alone = Nanos::from_secs(2 * 6 + 12 + 5 + 8 * 5);
    let left = folded(&events[..=ended]).left(at).expect("under way").at_most;
    // The mix writes too, and is expected to take four times as long: 6 s + 6 s rest become 24 s + 24 s.
    assert!(left.get() > plan_alone.get() + 30 * SECOND, "{left}");
}

/// A drive of a group waits twenty minutes for the fill of another: that wait is not expected before each step ahead.
#[test]
fn a_long_wait_between_steps_is_not_expected_again_before_every_other() {
    let wait = 1200 * SECOND;
    let mut events = run(usual, 8);
    let ended = events.iter().position(|event| matches!(event.event, EventBody::StepEnded(_))).expect("the fill ends");
    events.iter_mut().skip(ended + 1).for_each(|event| event.at_ns += wait);
    let begins = |event: &Event| matches!(event.event, EventBody::StepStarted { .. });
    let next = events.iter().skip(ended).position(begins).expect("another begins") + ended;
    let (left, end) = (folded(&events[..=next]).left(events[next].at_ns), events.last().expect("events").at_ns);
    let (left, truth) = (left.expect("under way").at_most.get(), end - events[next].at_ns);
    assert!(left < truth + wait, "{left} ns for {truth}");
}

#[test]
fn the_cap_holds_for_the_whole_step_and_the_ramp_is_part_of_it() {
    let mut events = run(usual, 8);
    // 1 s of ramp and 5 s of measuring, but at most 4 s in total.
    if let EventBody::RunStarted(start) = &mut events[0].event
        && let drivelab_core::plan::Action::Io { stop, .. } = &mut start.plan.tests[1].steps[0].action
    {
        stop.cap = Nanos::from_secs(4);
    }
    let begun = events.iter().position(|event| match &event.event {
        EventBody::StepStarted { key } => key.step.as_str().starts_with("corners/"),
        _ => false,
    });
    let begun = begun.expect("the step begins");
    let progress = folded(&events[..=begun]);
    assert_eq!(progress.left_here(events[begun].at_ns), Some(Nanos::from_secs(4)));
}

#[test]
fn a_steady_test_gives_a_range_and_its_verdict_ends_it() {
    let events = run(usual, 6);
    let left = folded(&events[..1]).left(0).expect("under way");
    // Between 5 and 8 rounds of 3 s and a rest of 2 s.
    assert_eq!(left.at_most.get() - left.at_least.get(), 15 * SECOND);
    assert!(left.text().starts_with("at least "), "{}", left.text());
    let verdict = folded(&events[..events.len() - 1]);
    assert_eq!(verdict.done(), verdict.total());
    assert_eq!(verdict.left(verdict.at_ns()).expect("not yet at its end").text(), "less than 5 s");
}

#[test]
fn the_position_rounds_and_what_comes_next_are_said() {
    let events = short_run();
    let second = events.iter().position(|event| match &event.event {
        EventBody::StepStarted { key } => key.round == 2,
        _ => false,
    });
    let progress = folded(&events[..=second.expect("two rounds")]);
    assert_eq!((progress.position(), progress.done(), progress.total()), (Some(3), 2, 13));
    let key = &progress.running().expect("it runs").key;
    assert_eq!(progress.label(key), "SEQ 1 MiB Q8T1 read (2/2)");
    assert_eq!(progress.next(2), ["RND 4 KiB Q4T1 30 % writes", "idle"]);
}

#[test]
fn a_rest_counts_down_to_its_end() {
    let events = short_run();
    let rest = events.iter().position(|event| matches!(event.event, EventBody::RestStarted { .. })).expect("a rest");
    let progress = folded(&events[..=rest]);
    let (now, until) = (events[rest].at_ns, progress.resting().expect("it rests").until_ns);
    assert_eq!(progress.left_here(now + SECOND), Some(Nanos::new(until - now - SECOND)));
    assert_eq!(progress.left_here(until + SECOND), Some(Nanos::new(0)));
}

#[test]
fn a_prepared_again_run_keeps_its_count_and_shows_the_preparation() {
    let events = broken_run();
    let again = events.iter().rposition(|event| match &event.event {
        EventBody::StepStarted { key } => key.step.as_str() == "prepare/fill",
        _ => false,
    });
    let again = again.expect("filled again");
    let progress = folded(&events[..=again]);
    assert_eq!((progress.position(), progress.done()), (Some(1), 2));
    assert!(progress.left_here(events[again].at_ns).expect("it runs").get() > SECOND);
    assert_eq!(progress.next(1), ["SEQ 1 MiB Q8T1 read (2/2)"]);
    assert_eq!(folded(&events).left(0), Some(TimeLeft { at_least: Nanos::new(0), at_most: Nanos::new(0) }));
}

#[test]
fn a_screen_that_joins_without_the_plan_shows_what_it_hears() {
    let events = short_run();
    let progress = folded(&events[1..5]);
    assert_eq!(progress.left(0), None);
    let running = progress.running().expect("it runs");
    assert!(running.latest.is_some());
    assert_eq!(progress.label(&running.key), "prepare/fill round 1");
}

#[test]
fn where_only_the_cut_last_interval_is_heard_nothing_is_left() {
    // 4 GiB at 70 MB/s: 61 whole seconds, and 25 MB in the last interval; at 4 GB/s, 0.07 s of it.
    for rate in [70e6, 71e6, 97e6, 4e9] {
        let plan = plan();
        let fill = plan.steps().next().expect("a step");
        let mut tape = Tape::start();
        tape.execute(fill, 1, rate, u32::MAX);
        let intervals = tape.events.iter().filter(|event| matches!(event.event, EventBody::Interval(_)));
        let last = intervals.clone().next_back().expect("an interval");
        let EventBody::Interval(cut) = &last.event else { panic!("filtered") };
        assert!(cut.index > 0 && cut.end_ns - cut.start_ns < SECOND / 2, "{rate}: the last one is cut");
        let others = tape.events.iter().filter(|event| !matches!(event.event, EventBody::Interval(_)));
        let heard = others.take_while(|event| !matches!(event.event, EventBody::StepEnded(_))).chain([last]);
        let progress = folded(&heard.cloned().collect::<Vec<_>>());
        assert_eq!(progress.left_here(last.at_ns), Some(Nanos::from_millis(100)), "{rate}");
        // The interval before it is a whole one, and gives the rate.
        let before = intervals.clone().nth_back(1).expect("two intervals");
        let at = tape.events.iter().position(|event| std::ptr::eq(event, before)).expect("it is there");
        let progress = folded(&[&tape.events[..2], &tape.events[at..=at]].concat());
        let left = progress.left_here(before.at_ns).expect("it runs").as_secs_f64();
        let truth = Nanos::new(last.at_ns - before.at_ns).as_secs_f64();
        let whole_s = (4u64 << 30) as f64 / rate;
        assert!((left - truth).abs() < 0.2 + whole_s * 0.02, "{rate}: {left} for {truth}");
    }
}

proptest! {
    #[test]
    fn sound_at_every_event_whatever_the_drive_and_whatever_is_missed(
        rates in proptest::array::uniform5(1e6f64..8e9),
        steady in 1u32..=8,
        missed in proptest::collection::vec(any::<bool>(), 64),
        late_ns in 0u64..20 * SECOND,
    ) {
        let of = |key: &StepKey| {
            let tests = ["prepare", "corners", "mixes", "pause", "steady"];
            let index = tests.iter().position(|test| key.step.as_str().starts_with(test)).unwrap_or(0);
            rates[index]
        };
        let events = run(of, steady);
        let (mut progress, mut done) = (Progress::default(), 0);
        for (index, event) in events.iter().enumerate() {
            let first_or_last = index == 0 || index + 1 == events.len();
            if !first_or_last && missed[index % missed.len()] {
                continue;
            }
            progress.event(event);
            prop_assert!(progress.done() >= done && progress.done() <= progress.total());
            done = progress.done();
            for now in [event.at_ns, event.at_ns + late_ns] {
                let left = progress.left(now).expect("the plan is known");
                prop_assert!(left.at_least <= left.at_most);
                if index + 1 == events.len() {
                    prop_assert_eq!(left.at_most, Nanos::new(0));
                } else {
                    prop_assert!(left.at_least.get() > 0, "nothing left before the end");
                    prop_assert!(left.at_most.get() <= longest(), "{}", left.at_most);
                }
            }
        }
    }

    #[test]
    fn a_volume_step_is_estimated_by_bytes_even_with_missed_intervals(
        // From here on an interval has so many blocks that a cut block is less than the 2 % below.
        rate in 60e6f64..4e9,
        missed in proptest::collection::vec(any::<bool>(), 16),
    ) {
        let plan = plan();
        let fill = plan.steps().next().expect("a step");
        let mut tape = Tape::start();
        let started = tape.now_ns;
        tape.execute(fill, 1, rate, u32::MAX);
        let whole_s = (4u64 << 30) as f64 / rate;
        let mut progress = Progress::default();
        let mut heard = false;
        for event in &tape.events {
            if let EventBody::Interval(interval) = &event.event {
                if missed[interval.index as usize % missed.len()] {
                    continue;
                }
                heard = true;
            }
            progress.event(event);
            if heard && progress.running().is_some() {
                let truth = (whole_s - (event.at_ns - started) as f64 / 1e9).max(0.0);
                let here = progress.left_here(event.at_ns).expect("it runs").as_secs_f64();
                prop_assert!((here - truth).abs() < 0.2 + whole_s * 0.02, "{here} for {truth}");
            }
        }
    }
}
