//! Work around each step of runs that are compared with others. Drives that are measured concurrently wait for each
//! other before a step; around a step the host's CPUs are sampled. Runs under conditions are sampled too: the cost of
//! encryption is spent in kernel threads, which the account of the issuing threads does not include.
//!
//! A step begins on all drives together, and the plans need not be equal: a run that is about to begin an execution
//! waits until no other run is behind it in the schedule. It waits once more when the beginning is recorded, so that
//! the I/O begins on all drives at the same time. A drive that finishes a test earlier (a steady-state test that
//! needed fewer rounds) waits at its next step; a drive that failed or ended holds up no other.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use drivelab_core::clock::StopToken;
use drivelab_core::group::CoreTime;
use drivelab_device::cpu_times;

/// How often a waiting run checks whether it should stop.
const LOOK: Duration = Duration::from_millis(50);

/// The position of each run in the schedule; `None` for runs that have left.
#[derive(Debug, Default)]
struct Meeting {
    positions: Mutex<Vec<Option<u32>>>,
    changed: Condvar,
}

impl Meeting {
    /// A poisoned lock means that another thread panicked. The data is plain numbers, which are still valid.
    fn lock(&self) -> MutexGuard<'_, Vec<Option<u32>>> {
        self.positions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One drive's seat at the meeting; dropping it leaves the meeting.
#[derive(Debug)]
pub struct Seat {
    meeting: Arc<Meeting>,
    index: usize,
}

impl Seat {
    /// Seats for this many drives, all before the first step.
    #[must_use]
    pub fn of(drives: usize) -> Vec<Seat> {
        let meeting = Arc::new(Meeting { positions: Mutex::new(vec![Some(0); drives]), changed: Condvar::new() });
        (0..drives).map(|index| Seat { meeting: Arc::clone(&meeting), index }).collect()
    }

    /// Arrives at a position and waits until no run is behind it; false if `stop` ended the wait.
    fn meet(&self, position: u32, stop: &StopToken) -> bool {
        let mut positions = self.meeting.lock();
        positions[self.index] = Some(position);
        self.meeting.changed.notify_all();
        while positions.iter().flatten().any(|other| *other < position) {
            if stop.is_stopped() {
                return false;
            }
            let waited = self.meeting.changed.wait_timeout(positions, LOOK);
            positions = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        !stop.is_stopped()
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.meeting.lock()[self.index] = None;
        self.meeting.changed.notify_all();
    }
}

/// What a run of a group, or a run under conditions, does around each step.
#[derive(Debug)]
pub struct Company {
    /// The seat at the meeting; `None` for a run that is measured alone.
    seat: Option<Seat>,
    /// CPU times at the start of the step.
    before: Vec<CoreTime>,
}

impl Company {
    /// With a seat in a group, or without one.
    #[must_use]
    pub const fn new(seat: Option<Seat>) -> Self {
        Company { seat, before: Vec::new() }
    }

    /// Before a step: waits for the other runs. False if `stop` ended the wait.
    pub fn step_begins(&self, position: u32, stop: &StopToken) -> bool {
        self.seat.as_ref().is_none_or(|seat| seat.meet(position.saturating_mul(2), stop))
    }

    /// Immediately before the first operation: waits for the other runs of this step again.
    pub fn step_ready(&mut self, position: u32, stop: &StopToken) {
        // A stop ends the execution itself, which is recorded by now.
        self.seat.iter().for_each(|seat| {
            seat.meet(position.saturating_mul(2).saturating_add(1), stop);
        });
        self.before = cpu_times();
    }

    /// After a step: the CPU time of each CPU since its start.
    pub fn step_over(&mut self) -> Vec<CoreTime> {
        let before = std::mem::take(&mut self.before);
        let spent = |now: CoreTime| before.iter().find(|core| core.cpu == now.cpu).map(|core| now.since(core));
        cpu_times().into_iter().filter_map(spent).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use drivelab_core::clock::StopCause;
    use std::sync::atomic::{AtomicU32, Ordering};

    /// Plans of different lengths, as after steady-state tests: no run begins a step while another run is behind it,
    /// and all runs end.
    #[test]
    fn nobody_begins_a_step_before_those_behind_it() {
        let schedules: [&[u32]; 3] = [&[1, 2, 3, 4, 9], &[1, 4, 5, 9], &[2, 3]];
        let reached: Vec<AtomicU32> = (0..3).map(|_| AtomicU32::new(0)).collect();
        let ended: Vec<AtomicU32> = (0..3).map(|_| AtomicU32::new(0)).collect();
        std::thread::scope(|scope| {
            for (index, seat) in Seat::of(3).into_iter().enumerate() {
                let (reached, ended, schedule) = (&reached, &ended, schedules[index]);
                scope.spawn(move || {
                    for position in schedule {
                        reached[index].store(*position, Ordering::SeqCst);
                        assert!(seat.meet(*position, &StopToken::default()));
                        for other in 0..3 {
                            let gone = ended[other].load(Ordering::SeqCst) == 1;
                            assert!(gone || reached[other].load(Ordering::SeqCst) >= *position);
                        }
                    }
                    ended[index].store(1, Ordering::SeqCst);
                });
            }
        });
        assert!(ended.iter().all(|one| one.load(Ordering::SeqCst) == 1));
    }

    #[test]
    fn a_stop_ends_the_wait_and_one_who_left_holds_up_nobody() {
        let mut seats = Seat::of(2);
        let (late, early) = (seats.pop(), seats.pop());
        let (Some(late), Some(early)) = (late, early) else { panic!("two seats") };
        let stop = StopToken::default();
        stop.stop(StopCause::Person);
        assert!(!early.meet(1, &stop));
        drop(late);
        assert!(early.meet(2, &StopToken::default()));
    }
}
