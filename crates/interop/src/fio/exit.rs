//! `exitall` and `exit_what`: in fio the first job to end ends others; how this is imported.
//!
//! Facts, as observed in fio 3.33: it applies to all jobs of a file; without `exit_what` it ends the jobs of the same
//! group, where `stonewall` begins a new group and `wait_for` does not, so that a waiting job never runs. Must not
//! know: when a job ends.

use super::State;
use super::barrier::Batch;
use super::job::Job;
use super::one::One;
use crate::notes::Fate;

/// Notes what became of both options; `batches` are the jobs between barriers, `all` what is imported of them.
pub(super) fn say_of_exits(jobs: &[&Job], batches: &[Batch], all: &[One<'_>], state: &mut State) {
    let (mut everything, mut running) = (false, false);
    for job in jobs {
        match job.text("exit_what", state).as_deref() {
            None | Some("group") => {}
            Some("all") => everything = true,
            Some("stonewall") => running = true,
            Some(_) => job.wrong("exit_what", "group, stonewall or all", state),
        }
    }
    let waits = batches.iter().any(|batch| batch.waits);
    let never = batches.len() > 1 && (everything || waits && !running);
    let beside = batches.iter().any(|batch| batch.jobs.len() > 1) || all.iter().any(|one| one.load.threads > 1);
    let (fate, why) = if !jobs.iter().any(|job| job.ends_others) {
        (Fate::NoEffect, "it counts only beside exitall")
    } else if never {
        let why =
            "in fio the first job to end ends all others, and jobs that wait for it never run; in drivelab they run";
        (Fate::Lost, why)
    } else if beside {
        let why = "in fio the first job to end ends all others of its group; in drivelab concurrent loads end when the \
                   first of them in the file does, and threads of a job when all their work is done";
        (Fate::Changed, why)
    } else {
        (Fate::NoEffect, "no job runs beside another")
    };
    for job in jobs {
        for key in ["exitall", "exit_what"].into_iter().filter(|key| job.peek(key).is_some()) {
            job.say(key, fate, why, state);
        }
    }
}
