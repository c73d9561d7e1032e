//! The sum of a plan's steps, by their own fields in the document: time, ramp, rest, idle time and rounds.
//!
//! No total of the plan is read, and none of its functions is called: a plan that forgot its rests differs from this
//! sum.

use std::collections::BTreeMap;

use serde_json::Value;

/// The plan's allowance around each execution for rings, buffers and threads, in nanoseconds.
pub(crate) const SETUP: u64 = 100_000_000;
/// Nanoseconds by which a step may differ, because a share of a second is rounded.
const ROUNDED: u64 = 1000;

pub(crate) fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or(0)
}

pub(crate) fn tests(plan: &Value) -> &[Value] {
    plan["plan"]["tests"].as_array().expect("tests")
}

pub(crate) fn steps_of(test: &Value) -> &[Value] {
    test["steps"].as_array().expect("steps")
}

pub(crate) fn id(step: &Value) -> &str {
    step["id"].as_str().expect("an id")
}

pub(crate) fn has_rest(step: &Value) -> bool {
    !step["rest"]["none"].is_object()
}

/// Ends by the amount that it moves, so its time depends on the speed of the target.
pub(crate) fn ends_by_amount(step: &Value) -> bool {
    let (stop, load) = (&step["action"]["io"]["stop"], &step["action"]["io"]["workload"]);
    ["volume", "passes", "coverage", "operations"].iter().any(|rule| stop[*rule].is_number())
        || load["files"].is_object()
}

/// Settings that remove rests and ramps from a plan.
pub(crate) fn without_waits(plan: &Value) -> Vec<String> {
    let mut set = Vec::new();
    for test in tests(plan).iter().filter(|test| can_be_set(test)) {
        let name = test["name"].as_str().expect("a name");
        let ramps = steps_of(test).iter().any(|step| number(&step["action"]["io"]["ramp"]) > 0);
        set.extend(ramps.then(|| format!("{name}.ramp=0s")));
        set.extend(steps_of(test).iter().any(has_rest).then(|| format!("{name}.rest=0s")));
    }
    set
}

/// Whether `--set` reaches a test: not a preparation, and not a test that only waits.
pub(crate) fn can_be_set(test: &Value) -> bool {
    let steps = steps_of(test);
    steps.iter().any(|step| step["action"]["io"].is_object()) && !steps.iter().any(|step| step["role"] == "prepare")
}

/// How often each step of a test is executed, and in how many sets.
pub(crate) struct Executions {
    pub(crate) of_a_set: u64,
    pub(crate) sets: u64,
    /// Whether that is exact: fixed rounds.
    pub(crate) fixed: bool,
    /// A step rests only after its last round of a set, and the last step of all never rests.
    pub(crate) rest_after_steps: bool,
}

impl Executions {
    pub(crate) fn of(test: &Value) -> Executions {
        let (rounds, repeats) = (&test["rounds"], &test["repeats"]);
        let fixed = rounds["fixed"]["count"].as_u64();
        let most = rounds["steady"]["max"].as_u64().or_else(|| rounds["find_rate"]["max"].as_u64());
        let of_a_set = match fixed {
            Some(count) => count + number(&repeats["warm_up_rounds"]),
            None => most.expect("rounds"),
        };
        let (sets, rest_after_steps) = (repeats["sets"].as_u64().unwrap_or(1), repeats["rest_after"] == "steps");
        Executions { of_a_set, sets, fixed: fixed.is_some(), rest_after_steps }
    }

    /// All executions that a plan expects: a steady test ends at the round after which it has written its limit.
    fn planned(&self, test: &Value) -> u64 {
        let of_a_round: u64 = steps_of(test).iter().map(|step| number(&step["estimated_written"])).sum();
        let enough = match test["rounds"]["steady"]["written"].as_u64() {
            Some(most) if of_a_round > 0 => most.div_ceil(of_a_round).clamp(1, self.of_a_set),
            _ => self.of_a_set,
        };
        enough * self.sets
    }

    /// Whether a step rests after this round, if it has a rest; `last` is the last step of the last test.
    pub(crate) fn rests_after(&self, round: u64, last: bool) -> bool {
        !self.rest_after_steps || (round.is_multiple_of(self.of_a_set) && !last)
    }
}

/// The rest after a step that was active for this long.
pub(crate) fn rest(step: &Value, active: u64) -> u64 {
    let (fixed, cycle) = (&step["rest"]["fixed"], &step["rest"]["duty_cycle"]);
    match (fixed["time"].as_u64(), cycle["percent"].as_u64()) {
        (Some(time), _) => time,
        (None, Some(percent)) => (active * (100 - percent) / percent).min(number(&cycle["cap"])),
        (None, None) => 0,
    }
}

/// Time that only a clock ends: the time of a step and its ramp, or the time of an idle step. The length of a
/// cool-down is unknown.
pub(crate) fn by_clock(step: &Value) -> Option<u64> {
    let action = &step["action"];
    if action["cool_down"].is_object() {
        return Some(0);
    }
    if let Some(time) = action["idle"]["time"].as_u64() {
        return Some(time);
    }
    let (stop, ramp, replays) = (&action["io"]["stop"], &action["io"]["ramp"], &action["io"]["workload"]["replay"]);
    if ends_by_amount(step) || replays.is_object() {
        return None;
    }
    let (cap, least) = (number(&stop["cap"]), number(&stop["at_least"]));
    let measured = stop["time"].as_u64().unwrap_or(cap).max(least);
    Some(measured.saturating_add(number(ramp)).min(cap))
}

/// The least time that an amount can take at the rate that the plan assumes, in nanoseconds; 0 if something else may
/// also end the step, or if it does not read or write a whole span.
fn least(step: &Value, rate: f64) -> f64 {
    let (stop, load) = (&step["action"]["io"]["stop"], &step["action"]["io"]["workload"]);
    let apart = ["other", "places", "files", "replay"].iter().any(|part| load[*part].is_object());
    if apart || stop["time"].is_number() || !load["block_size_mix"].is_null() {
        return 0.0;
    }
    let (span, block) = (number(&load["span"]["length"]) as f64, number(&load["block_size"]) as f64);
    let amounts = [("volume", 1.0), ("passes", span), ("coverage", span / 100.0), ("operations", block)];
    let bytes = amounts.iter().filter_map(|(rule, each)| Some(stop[*rule].as_f64()? * each)).reduce(f64::min);
    let nanos = bytes.map_or(0.0, |bytes| bytes / rate * 1e9);
    nanos.min(number(&stop["cap"]) as f64)
}

/// Nanoseconds of all executions and their rests. `at_once` is the same plan without rests and ramps: the time to move
/// an amount depends only on the assumed rate, and is taken from there.
pub(crate) fn time(plan: &Value, at_once: &Value) -> u64 {
    let all = || tests(plan).iter().flat_map(steps_of);
    let moving: BTreeMap<&str, u64> = tests(at_once)
        .iter()
        .flat_map(steps_of)
        .map(|step| (id(step), number(&step["estimated_time"]).saturating_sub(SETUP)))
        .collect();
    let rate = plan["assumed_rate"].as_f64().expect("a rate");
    let last = all().next_back().map(id);
    let mut sum = 0;
    for test in tests(plan) {
        let executions = Executions::of(test);
        let planned = executions.planned(test);
        for step in steps_of(test) {
            let id = id(step);
            let active = by_clock(step).unwrap_or_else(|| {
                let moving = *moving.get(id).unwrap_or_else(|| panic!("{id} is not in the plan without waits"));
                let least = least(step, rate);
                assert!(
                    moving as f64 >= 0.99 * least - 1e6,
                    "{id}: {moving} ns for what takes {least} ns at {rate} B/s"
                );
                moving + number(&step["action"]["io"]["ramp"])
            });
            let (rest, said) = (rest(step, active), number(&step["estimated_time"]));
            let due = active + rest + SETUP;
            assert!(
                said.abs_diff(due) <= ROUNDED,
                "{id}: {said} ns planned, and {active} + {rest} + {SETUP} ns are due"
            );
            let rests = match (executions.rest_after_steps, Some(id) == last) {
                (false, _) => planned,
                (true, false) => executions.sets,
                (true, true) => 0,
            };
            sum += (active + SETUP) * planned + rest * rests;
        }
    }
    sum
}
