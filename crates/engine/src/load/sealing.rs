//! What a step does with headers: it seals what it writes, checks what it reads, and returns what it has written so
//! that a later step, or a later process, can check it.
//!
//! Owns the choice of identity and history; headers, faults and the computation of histories are in
//! [`crate::verify`].

use std::fs::File;
use std::os::fd::BorrowedFd;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use drivelab_core::backend::BackendError;
use drivelab_core::load::{OpKind, Verify};
use drivelab_core::record::{IoError, StepRecord};
use drivelab_core::target::IoTarget;
use drivelab_core::workload::{Span, Workload};

use crate::generate::build::streams;
use crate::generate::derive;
use crate::generate::stream::Stream;
use crate::thread::faults::KEPT;
use crate::verify::busy::Window;
use crate::verify::check::Checker;
use crate::verify::history::History;
use crate::verify::scan::Scan;
use crate::verify::seal::{Header, Sealer};

/// Bytes read at a time while a target is searched for how far a killed run came.
const SCAN_BYTES: usize = 1 << 20;

/// A step that wrote blocks with headers: what is needed to check them.
#[derive(Debug, Clone)]
pub struct Written {
    /// Number of the run: [`crate::Options::run`] at the time of writing.
    pub run: u64,
    /// Round of the step.
    pub round: u32,
    /// What was written.
    pub workload: Workload,
    /// Next position of each thread's stream ([`drivelab_core::record::Effort::positions`]). `None` if the run was
    /// killed before it could record them: the target is then searched for them.
    pub positions: Option<Vec<u64>>,
    /// Operations that failed: the content of their blocks is unknown.
    pub failed: Vec<IoError>,
    /// More operations failed than are named in `failed`.
    pub more_failed: bool,
}

impl Written {
    /// What a step wrote, from its record; `None` if it wrote no headers.
    #[must_use]
    pub fn by(run: u64, workload: &Workload, record: &StepRecord) -> Option<Written> {
        workload.groups().any(seals).then(|| Written {
            run,
            round: record.key.round,
            workload: workload.clone(),
            positions: record.engine.effort.as_ref().map(|effort| effort.positions.clone()),
            // Errors of the ramp are in the list and in no count.
            more_failed: record.error_count() > record.errors.len() as u64 || record.errors.len() >= KEPT,
            failed: record.errors.iter().filter(|error| error.op != OpKind::Read).cloned().collect(),
        })
    }

    /// Tells apart the rounds of a step, which issue the same operations.
    const fn seed(&self) -> u64 {
        round_seed(self.workload.seed, self.round)
    }
}

const fn round_seed(seed: u64, round: u32) -> u64 {
    derive(seed, round as u64)
}

const fn seals(workload: &Workload) -> bool {
    matches!(workload.verify, Verify::Headers | Verify::AtOnce)
}

/// What the threads of a group do with headers.
#[derive(Debug, Clone)]
pub(crate) enum Sealing {
    None,
    /// Seals writes; reads them back immediately if `at_once`.
    Seal {
        sealer: Sealer,
        checker: Checker,
        at_once: bool,
    },
    /// Checks reads.
    Check {
        checker: Checker,
        history: Arc<History>,
        /// Of the load, for counts by position.
        span: Span,
    },
}

impl Sealing {
    /// For a group of a step.
    pub(crate) fn of(target: &IoTarget, workload: &Workload, identity: &Identity<'_>) -> Result<Sealing, BackendError> {
        let unfit = BackendError::Unfit;
        match workload.verify {
            Verify::Off => Ok(Sealing::None),
            Verify::Headers | Verify::AtOnce => {
                let seed = round_seed(identity.seed, identity.round);
                let sealer = Sealer::new(identity.run, seed, workload.block_unit()).map_err(unfit)?;
                let checker = Checker::new(identity.run, seed, workload.block_unit()).map_err(unfit)?;
                Ok(Sealing::Seal { sealer, checker, at_once: workload.verify == Verify::AtOnce })
            }
            Verify::Check => {
                let Some(written) = identity.written else {
                    return Err(unfit(NOTHING_WRITTEN.to_owned()));
                };
                if written.more_failed {
                    return Err(unfit(MORE_FAILED.to_owned()));
                }
                let unit = written.workload.block_unit();
                if workload.block_sizes().iter().any(|size| !size.get().is_multiple_of(unit)) {
                    return Err(unfit(format!(
                        "blocks of {unit} bytes carry a header each, and {} is not a multiple: read with the \
                             block size that was written",
                        workload.block_size
                    )));
                }
                let checker = Checker::new(written.run, written.seed(), unit).map_err(unfit)?;
                let history = Arc::new(history(target, written)?);
                Ok(Sealing::Check { checker, history, span: workload.span })
            }
        }
    }
}

/// Why nothing can be checked.
const NOTHING_WRITTEN: &str = "there is nothing to check: no earlier step wrote headers, and no run that did was named \
                               (with `drivelab io`: --of RUN; in a methodology: verify = \"headers\" in an earlier step)";

/// Why a check would accuse blocks wrongly.
const MORE_FAILED: &str = "more writes failed than are on record, so their blocks cannot be checked; look at the \
                           errors first, then write again";

/// Identity of a step, as written in headers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Identity<'a> {
    pub(crate) run: u64,
    pub(crate) round: u32,
    /// Of the step's own group.
    pub(crate) seed: u64,
    pub(crate) written: Option<&'a Written>,
}

/// What each block must hold.
fn history(target: &IoTarget, written: &Written) -> Result<History, BackendError> {
    let unfit = BackendError::Unfit;
    let (mut sealed, mut positions, mut depth, mut thread) = (Vec::new(), Vec::new(), 0, 0);
    for group in written.workload.groups() {
        let of_group = streams(group, group.seed).map_err(unfit)?;
        let count = of_group.len();
        if seals(group) {
            depth = depth.max(group.queue_depth.get());
            let known = written.positions.iter().flat_map(|all| all.iter().skip(thread).take(count));
            positions.extend(known.copied());
            sealed.extend(of_group);
        }
        thread += count;
    }
    let mut history = match &written.positions {
        Some(_) => History::replay(&sealed, &positions, 0).map_err(unfit)?,
        None => searched(target, written, &sealed, depth)?,
    };
    written.failed.iter().for_each(|error| history.excuse(error.offset, error.length.get()));
    Ok(history)
}

/// From the newest blocks found on the target.
fn searched(target: &IoTarget, written: &Written, sealed: &[Stream], depth: u32) -> Result<History, BackendError> {
    let system = |source| BackendError::System {
        what: format!("searching '{}' for where the run that wrote it stopped", target.path().display()),
        source,
    };
    let unit = usize::try_from(written.workload.block_unit()).unwrap_or(usize::MAX);
    let mut scan = Scan::new(sealed);
    if let Some(handle) = target.handle(false) {
        let file = owned(handle).map_err(system)?;
        for (start, length) in sealed.iter().map(Stream::stretch) {
            search(&file, start, start + length, unit, written, &mut scan).map_err(system)?;
        }
    }
    scan.history(Window::operations(depth)).map_err(BackendError::Unfit)
}

fn owned(handle: BorrowedFd<'_>) -> std::io::Result<File> {
    let _ = rustix::fs::fadvise(handle, 0, None, rustix::fs::Advice::DontNeed);
    handle.try_clone_to_owned().map(File::from)
}

fn search(
    file: &File,
    start: u64,
    end: u64,
    unit: usize,
    written: &Written,
    scan: &mut Scan<'_>,
) -> std::io::Result<()> {
    let mut buffer = vec![0; (SCAN_BYTES / unit).max(1) * unit];
    let mut at = start;
    while at < end {
        let left = usize::try_from(end - at).unwrap_or(usize::MAX).min(buffer.len());
        let part = &mut buffer[..left];
        file.read_exact_at(part, at)?;
        for block in part.chunks_exact(unit) {
            let header = Header::intact(block);
            let ours = |header: &Header| header.run == written.run && header.seed == written.seed();
            header.filter(ours).into_iter().for_each(|header| scan.note(header));
        }
        at += left as u64;
    }
    Ok(())
}
