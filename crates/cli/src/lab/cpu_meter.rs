//! CPU time of the whole host while each measured step runs: what an encryption costs is spent in kernel threads that
//! are not drivelab's, so the account of the issuing threads cannot show it.
//!
//! A screen like any other: it hears the events and reads `/proc/stat` where a step begins and ends. Times are those of
//! proc_stat(5), in ticks of mostly 10 ms.

use std::fs;
use std::sync::{Arc, Mutex, PoisonError};

use drivelab_analysis::arms::StepCpu;
use drivelab_core::event::{Event, EventBody};
use drivelab_core::listener::{Listener, ListenerError};
use drivelab_core::plan::{Plan, StepRole};

/// Hears a run; copies share what was found.
#[derive(Debug, Clone, Default)]
pub struct CpuMeter(Arc<Mutex<State>>);

#[derive(Debug, Default)]
struct State {
    plan: Option<Plan>,
    /// Busy seconds when the running step began, and bytes that it has moved.
    begun: Option<(f64, u64)>,
    steps: Vec<StepCpu>,
}

impl CpuMeter {
    /// What was found, by measured step, rounds added up.
    #[must_use]
    pub fn steps(&self) -> Vec<StepCpu> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).steps.clone()
    }
}

impl Listener for CpuMeter {
    fn event(&mut self, event: &Event) -> Result<(), ListenerError> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &event.event {
            EventBody::RunStarted(start) => state.plan = Some(start.plan.clone()),
            EventBody::StepStarted { .. } => state.begun = busy_seconds().map(|busy| (busy, 0)),
            EventBody::Interval(interval) => {
                if let Some((_, bytes)) = &mut state.begun {
                    *bytes += interval.read.bytes.get() + interval.write.bytes.get();
                }
            }
            EventBody::StepEnded(record) => {
                let measured = state.plan.as_ref().and_then(|plan| plan.step(&record.key.step));
                let measured = measured.is_some_and(|step| step.role == StepRole::Measure);
                if let (Some((before, bytes)), Some(now), true) = (state.begun.take(), busy_seconds(), measured) {
                    let (step, busy_s) = (record.key.step.clone(), (now - before).max(0.0));
                    match state.steps.iter_mut().find(|known| known.step == step) {
                        Some(known) => (known.busy_s, known.bytes) = (known.busy_s + busy_s, known.bytes + bytes),
                        None => state.steps.push(StepCpu { step, busy_s, bytes }),
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn busy_seconds() -> Option<f64> {
    let text = fs::read_to_string("/proc/stat").ok()?;
    #[expect(clippy::cast_precision_loss, reason = "ticks stay below 2^53")]
    let seconds = |ticks: u64| ticks as f64 / rustix::param::clock_ticks_per_second() as f64;
    busy_ticks(&text).map(seconds)
}

/// User, nice, system, irq and softirq of all CPUs: what is neither idle, nor waiting for I/O, nor taken by a
/// hypervisor. Guests are in user and nice already.
fn busy_ticks(stat: &str) -> Option<u64> {
    let line = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = line.split_whitespace().map_while(|word| word.parse().ok()).collect();
    let sum = [0, 1, 2, 5, 6].iter().map(|at| ticks.get(*at).copied()).sum::<Option<u64>>()?;
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_is_what_is_neither_idle_nor_waiting_nor_stolen() {
        let stat = "cpu  1 20 300 4000 50000 600000 7000000 80000000 1 1\ncpu0 9 9 9 9 9 9 9 9 9 9\n";
        assert_eq!(busy_ticks(stat), Some(7_600_321));
        assert_eq!(busy_ticks("cpu  1 2 3"), None);
        assert_eq!(busy_ticks(""), None);
        assert!(busy_seconds().is_some_and(|seconds| seconds > 0.0));
    }
}
