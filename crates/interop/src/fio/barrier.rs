//! Where a batch of jobs ends: barriers (`stonewall`) and jobs that wait for another job.
//!
//! Must not know: what a job does.

use std::collections::HashMap;
use std::ops::Range;

use super::State;
use super::job::Job;
use crate::notes::Fate;

/// Jobs between two barriers.
pub(super) struct Batch {
    /// Its range among the imported jobs.
    pub(super) jobs: Range<usize>,
    /// It begins with a job that waits for another job (`wait_for`), without a barrier.
    pub(super) waits: bool,
}

/// The batches of the imported jobs; `kept` states which of `all` these are. A barrier before a job that is left out
/// applies to the jobs after it.
pub(super) fn batches(all: &[Job], kept: &[bool], state: &mut State) -> Vec<Batch> {
    // The last job of each name so far; searching all jobs for each one would make the work grow with the square.
    let mut named: HashMap<&str, usize> = HashMap::new();
    let mut found: Vec<Batch> = Vec::new();
    let (mut count, mut group_begins, mut barrier) = (0, 0, false);
    for (at, job) in all.iter().enumerate() {
        if job.stonewalled(state) && at > 0 {
            (barrier, group_begins) = (true, at);
        }
        if !kept[at] {
            named.insert(&job.name, at);
            continue;
        }
        let waits = waits(job, &named, group_begins, kept, state);
        named.insert(&job.name, at);
        match found.last_mut() {
            Some(last) if !barrier && !waits => last.jobs.end = count + 1,
            last => {
                if waits && !barrier && last.is_some_and(|last| last.jobs.len() > 1) {
                    let why = "it begins when all jobs before it have ended, not only the one it names";
                    job.say("wait_for", Fate::Changed, why, state);
                }
                found.push(Batch { jobs: count..count + 1, waits: waits && !barrier });
                if waits {
                    group_begins = at;
                }
            }
        }
        (count, barrier) = (count + 1, false);
    }
    found
}

/// Whether a job waits for one of the jobs in `before` that may still be running; `group_begins` is the first that
/// may.
fn waits(job: &Job, before: &HashMap<&str, usize>, group_begins: usize, kept: &[bool], state: &mut State) -> bool {
    let Some(name) = job.text("wait_for", state) else { return false };
    let Some(&named) = before.get(name.as_str()) else {
        job.wrong("wait_for", "the name of an earlier job", state);
        return false;
    };
    if named >= group_begins && !kept[named] {
        job.say("wait_for", Fate::Lost, format!("[{name}] is not imported, so this job begins without waiting"), state);
        return false;
    }
    named >= group_begins
}
