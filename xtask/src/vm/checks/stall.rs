//! A stall of known length in the middle of a run: what an open loop must show of it, and a closed loop cannot.
//!
//! Let a target that answers immediately stall for S seconds, during a run of T seconds to which operations arrive
//! evenly at R per second. R·S of the R·T arrive during the stall. One that arrives u after its beginning is answered
//! at its end, so its response time (from intended start to completion) is S - u, and u is spread evenly over [0, S).
//! The share of response times above x is therefore (S - x) / T for 0 < x < S, and the value that a share p is not
//! above is
//!
//!   x(p) = S - (1 - p)·T    where p > 1 - S/T, and next to nothing below that;
//!
//! their mean is S²/(2·T). The rate must be far below the target's highest rate, C: after the stall the queue of R·S
//! is processed at C, which adds at most S·R/C to a response time (1.5 % of S here, most for small x).
//!
//! A closed loop with one operation in flight sends nothing while it waits: one latency of S among many thousands,
//! which no common percentile shows.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::vm::results::{Results, number, within};

/// How far percentiles and mean may be from the calculated values (issue 4, "Known devices").
const ALLOWED: f64 = 0.10;

/// Rate of the open loop in stall.sh, per second.
const RATE: f64 = 250.0;

/// Percentiles that both JSON and people know.
const PERCENTILES: [(&str, f64); 4] = [("p50", 0.50), ("p90", 0.90), ("p99", 0.99), ("p999", 0.999)];

/// Checks the results of stall.sh.
pub(crate) fn check(results: &Results) -> Result<Vec<String>> {
    let open = open_loop(&results.json("open")?, Stall::of(&results.text("open.clock")?)?)?;
    let closed = closed_loop(&results.json("closed")?, Stall::of(&results.text("closed.clock")?)?)?;
    Ok(vec![open, closed])
}

/// How long the target was stalled, in seconds, as far as the clock beside it shows.
///
/// The stall began while the command that suspends the target ran, and ended while the command that resumes it ran.
/// How long either command takes depends on the kernel, and is measured, not assumed.
#[derive(Debug, Clone, Copy)]
struct Stall {
    /// From the end of the first command to the beginning of the second.
    least_s: f64,
    /// From the beginning of the first to the end of the second.
    most_s: f64,
}

impl Stall {
    /// From the four times around the two commands.
    fn of(clock: &str) -> Result<Stall> {
        let times: Vec<f64> =
            clock.lines().map(str::parse).collect::<Result<_, _>>().context("the clock's file is odd")?;
        let [before_suspend, after_suspend, before_resume, after_resume] = times[..] else {
            anyhow::bail!("{} times instead of four", times.len())
        };
        ensure!(times.is_sorted() && before_resume > after_suspend, "the clock's times are not in order: {times:?}");
        Ok(Stall { least_s: (before_resume - after_suspend) / 1e9, most_s: (after_resume - before_suspend) / 1e9 })
    }

    /// Demands that a time follows from a stall of some length between the two; returns a line that states so.
    fn gives(self, what: &str, measured_s: f64, due: impl Fn(f64) -> f64) -> Result<String> {
        let (least, most) = (due(self.least_s), due(self.most_s));
        ensure!(
            measured_s >= least * (1.0 - ALLOWED) && measured_s <= most * (1.0 + ALLOWED),
            "{what}: {measured_s:.4} s, and {least:.4} to {most:.4} s were expected, {:.0} % more or less",
            ALLOWED * 100.0
        );
        Ok(format!("{what} {:.1} ({:.1} to {:.1})", measured_s * 1e3, least * 1e3, most * 1e3))
    }

    /// As milliseconds.
    fn told(self) -> String {
        format!("stall of {:.1} to {:.1} ms", self.least_s * 1e3, self.most_s * 1e3)
    }
}

/// The response time in seconds that a share `p` of operations is not above; 0 means "next to nothing".
fn expected_s(p: f64, stalled_s: f64, run_s: f64) -> f64 {
    (stalled_s - (1.0 - p) * run_s).max(0.0)
}

fn open_loop(document: &Value, stall: Stall) -> Result<String> {
    let run_s = number(document, "/elapsed_ns")? / 1e9;
    within("open loop: rate", number(document, "/operations/read/count")? / run_s, RATE, 0.005)?;
    ensure!(number(document, "/operations/read/errors")? == 0.0, "operations failed");
    let response_s = |name: &str| Ok::<_, anyhow::Error>(response_ns(document, name)? / 1e9);
    let mut told = Vec::new();
    for (name, p) in PERCENTILES {
        let measured = response_s(name)?;
        if expected_s(p, stall.most_s, run_s) > 0.0 {
            told.push(stall.gives(name, measured, |stalled_s| expected_s(p, stalled_s, run_s))?);
        } else {
            ensure!(
                measured < stall.least_s / 100.0,
                "open loop: {name} is {measured:.4} s, and nearly 0 was expected"
            );
        }
    }
    ensure!(told.len() >= 3, "a {} in {run_s:.3} s tests too little", stall.told());
    stall.gives("longest", response_s("max")?, |stalled_s| stalled_s)?;
    stall.gives("mean", response_s("mean")?, |stalled_s| stalled_s * stalled_s / 2.0 / run_s)?;
    Ok(format!("open loop, {}: response times in ms (worked out): {}", stall.told(), told.join(", ")))
}

fn response_ns(document: &Value, name: &str) -> Result<f64> {
    number(document, &format!("/operations/read/response_ns/{name}"))
}

fn closed_loop(document: &Value, stall: Stall) -> Result<String> {
    let latency_s =
        |name: &str| Ok::<_, anyhow::Error>(number(document, &format!("/operations/read/latency_ns/{name}"))? / 1e9);
    let (p999, max) = (latency_s("p999")?, latency_s("max")?);
    let longest = stall.gives("longest", max, |stalled_s| stalled_s)?;
    ensure!(p999 < stall.least_s / 100.0, "closed loop: p999 is {p999:.4} s, so the stall is not hidden");
    Ok(format!("closed loop, {}: latencies in ms: {longest}, p999 {:.3}", stall.told(), p999 * 1e3))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The stall and the run that the tests below are about.
    const STALL_S: f64 = 0.5;
    const RUN_S: f64 = 4.0;

    /// What an open loop must find, calculated operation by operation; `late` is the delay of each answer.
    fn simulated(late_s: f64, corrected: bool) -> Value {
        let count = 1000_u32;
        let response = |index: u32| {
            let arrival = f64::from(index) / RATE;
            let into = arrival - 1.5;
            let waited = if (0.0..STALL_S).contains(&into) { STALL_S - into } else { 0.0 };
            // Without correction, only operations that were in flight when the stall began have waited.
            let waited = if corrected || into < 1.0 / RATE { waited } else { 0.0 };
            (waited + late_s) * 1e9
        };
        let mut all: Vec<f64> = (0..count).map(response).collect();
        all.sort_by(f64::total_cmp);
        let mean = all.iter().sum::<f64>() / f64::from(count);
        let response_ns = json!({
            "mean": mean, "p50": all[499], "p90": all[899], "p99": all[989], "p999": all[998], "max": all[999],
        });
        let read = json!({ "count": count, "errors": 0, "response_ns": response_ns });
        json!({ "elapsed_ns": RUN_S * 1e9, "operations": { "read": read } })
    }

    /// With short commands: 10 ms to suspend and 2 ms to resume.
    const KNOWN: Stall = Stall { least_s: STALL_S - 0.01, most_s: STALL_S + 0.002 };

    #[test]
    fn the_derivation_agrees_with_a_simulation() {
        open_loop(&simulated(0.0001, true), KNOWN).expect("as worked out");
        // However long the commands took, as long as the stall is between them.
        open_loop(&simulated(0.0001, true), Stall { least_s: 0.42, most_s: 0.61 }).expect("less exact");
        open_loop(&simulated(0.0001, true), Stall { least_s: 0.56, most_s: 0.6 }).expect_err("a longer stall");
        open_loop(&simulated(0.0001, true), Stall { least_s: 0.42, most_s: 0.44 }).expect_err("a shorter stall");
    }

    #[test]
    fn response_times_from_submission_are_found_out() {
        let error = open_loop(&simulated(0.0001, false), KNOWN).expect_err("coordinated omission");
        assert!(error.to_string().contains("p90"), "{error}");
    }

    #[test]
    fn a_constant_delay_is_found_out() {
        let error = open_loop(&simulated(0.02, true), KNOWN).expect_err("20 ms too much");
        assert!(error.to_string().contains("p50"), "{error}");
    }

    #[test]
    fn a_closed_loop_that_shows_the_stall_is_found_out() {
        let document =
            |p999: f64, max: f64| json!({ "operations": { "read": { "latency_ns": { "p999": p999, "max": max } } } });
        closed_loop(&document(1e5, 5.01e8), KNOWN).expect("hidden");
        assert!(closed_loop(&document(4e8, 5.01e8), KNOWN).is_err());
        assert!(closed_loop(&document(1e5, 2e8), KNOWN).is_err());
    }

    #[test]
    fn a_stall_lies_between_what_the_clock_saw_before_and_after_each_command() {
        let stall = Stall::of("1000000000\n1040000000\n1500000000\n1530000000").expect("a stall");
        assert!((stall.least_s - 0.46).abs() < 1e-9 && (stall.most_s - 0.53).abs() < 1e-9, "{stall:?}");
        Stall::of("1000000000\n1640000000\n1500000000\n1730000000").expect_err("out of order");
        Stall::of("1\n2\n3").expect_err("three times");
    }
}
