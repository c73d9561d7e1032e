//! When a run worked and when it waited, by the times of its events, compared with its plan: rests, idle steps, and
//! the time between the end of an execution and the start of the next.
//!
//! Nothing makes a wait shorter, so a wait that is too short is wrong immediately. Other work, and a busy disk on
//! which the recorder makes each step durable, make it longer. Nothing here waits until a drive is cool: in memory
//! nothing reports a temperature, and such a run fails.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::sum::{Executions, SETUP, by_clock, id, number, rest, steps_of, tests};
use crate::{Differences, MOMENT, SECONDS, TIME_WITHIN};

/// From the start of an execution to its end: threads are started and their buffers filled, too.
const AROUND: &str = "with all that is done around it";

/// One execution of a step; all times in nanoseconds on the run's clock.
struct Execution {
    key: (String, u64),
    began: u64,
    /// Start of the first interval and end of the record, for a step that issues I/O.
    issued: [u64; 2],
    ended: u64,
    rest: Option<Rest>,
}

/// A rest after an execution: when it began, when it was to end, and when it ended.
struct Rest {
    from: u64,
    until: u64,
    to: u64,
}

/// The executions of a run in order.
pub(crate) struct Waits(Vec<Execution>);

impl Waits {
    pub(crate) fn of(events: &[Value]) -> Waits {
        let mut all: Vec<Execution> = Vec::new();
        for event in events {
            let (at, body) =
                (number(&event["at_ns"]), event["event"].as_object().and_then(|kinds| kinds.iter().next()));
            let Some((kind, body)) = body else { continue };
            let key = (body["key"]["step"].as_str().unwrap_or_default().to_owned(), number(&body["key"]["round"]));
            if kind == "step_started" {
                all.push(Execution { key, began: at, issued: [0; 2], ended: 0, rest: None });
                continue;
            }
            let Some(now) = all.last_mut().filter(|now| now.key == key) else { continue };
            match (kind.as_str(), &mut now.rest) {
                ("interval", _) if body["index"] == 0 && now.issued[0] == 0 => {
                    now.issued[0] = number(&body["start_ns"])
                }
                ("step_ended", _) => (now.ended, now.issued[1]) = (at, number(&body["end_ns"])),
                ("idle_ended", _) => now.ended = at,
                ("rest_started", none) => *none = Some(Rest { from: at, until: number(&body["until_ns"]), to: 0 }),
                ("rest_ended", Some(rest)) => rest.to = at,
                _ => {}
            }
        }
        Waits(all)
    }

    /// Compares them with the plan; returns how many were compared.
    pub(crate) fn compare(&self, planned: &Value, found: &mut Differences) {
        let mut done: BTreeMap<&str, u64> = BTreeMap::new();
        for one in &self.0 {
            *done.entry(&one.key.0).or_default() += 1;
        }
        let last = tests(planned).iter().flat_map(steps_of).next_back().map(id);
        for test in tests(planned) {
            let executions = Executions::of(test);
            let most = executions.of_a_set * executions.sets;
            for step in steps_of(test) {
                let times = done.get(id(step)).copied().unwrap_or(0);
                let least = if executions.fixed { most } else { 1 };
                if !(least..=most).contains(&times) {
                    found.wrong.push(format!("{}: {least} to {most} executions planned, {times} done", id(step)));
                }
                for (at, one) in self.0.iter().enumerate().filter(|(_, one)| one.key.0 == id(step)) {
                    let rests = executions.rests_after(one.key.1, Some(id(step)) == last);
                    one.compare(step, rests, self.0.get(at + 1), found);
                }
            }
        }
    }
}

impl Execution {
    fn compare(&self, step: &Value, rests: bool, next: Option<&Execution>, found: &mut Differences) {
        let name = format!("{} round {}", self.key.0, self.key.1);
        let (idle, issues) = (step["action"]["idle"]["time"].as_u64(), step["action"]["io"].is_object());
        let lasted = self.ended.saturating_sub(self.began);
        let mut hold = |what: &str, due: [u64; 2], is: u64, spare: f64| {
            let ([_, most], seconds) = (due.map(seconds), seconds(is));
            if is < due[0] {
                found.wrong.push(format!("{name}, {what}: {} ns planned, over after {is} ns", due[0]));
            } else if seconds > most * (1.0 + TIME_WITHIN) + spare {
                // Threads that get a CPU late make a step longer, but not in every run.
                let by_threads = spare < SECONDS || what == AROUND;
                found.too_long(format!("{name}, {what}"), most, seconds, by_threads);
            }
        };
        // The active time behind a share is between the time of the operations and the time of the surrounding events.
        let active = match idle {
            Some(time) => [time, time],
            None if issues => [self.issued[1].saturating_sub(self.issued[0]), lasted],
            None => [0, lasted],
        };
        let due = if rests { active.map(|active| rest(step, active)) } else { [0, 0] };
        if let Some(time) = idle {
            hold("idle", [time, time], lasted, SECONDS);
        }
        if let Some(clock) = by_clock(step).filter(|_| issues) {
            hold(AROUND, [0, clock + SETUP], lasted, SECONDS);
        }
        if let Some(rest) = &self.rest {
            hold("rest", due, rest.to.saturating_sub(self.ended), SECONDS);
            hold("rest alone", [0, due[1]], rest.to.saturating_sub(rest.from), MOMENT);
        }
        if let Some(next) = next {
            hold("until the next begins", due, next.began.saturating_sub(self.ended), SECONDS);
        }
        // The end of a rest is set once: whatever the machine does, it was not meant to last longer.
        let meant = self.rest.as_ref().map(|rest| rest.until.saturating_sub(rest.from));
        if meant.is_some() != (due[1] > 0) || meant > Some(due[1]) {
            found.wrong.push(format!("{name}: a rest of at most {} ns planned, and meant were {meant:?}", due[1]));
        }
        found.compared[2] += usize::from(idle.is_some()) + usize::from(meant.is_some());
    }
}

fn seconds(nanos: u64) -> f64 {
    nanos as f64 / 1e9
}
