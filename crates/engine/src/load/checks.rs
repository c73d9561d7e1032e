//! Whether a load fits its target and this process: each check, and its message if not.

use drivelab_core::backend::BackendError;
use drivelab_core::load::{OpKind, Pace};
use drivelab_core::target::IoTarget;
use drivelab_core::units::Bytes;
use drivelab_core::workload::Workload;

/// Largest block: the kernel moves at most 2 GiB - 4 KiB in one operation (read(2)).
const BLOCK_MAX: u64 = 1 << 30;

/// Checks whether the target accepts the kinds of operation that are asked for.
pub(super) fn check_kinds(target: &IoTarget, workload: &Workload) -> Result<(), BackendError> {
    let path = target.path().display();
    let changes = [OpKind::Write, OpKind::Trim, OpKind::WriteZeroes]
        .into_iter()
        .find(|kind| workload.issues_or_reads_back(*kind));
    if let (Some(kind), Some(reason)) = (changes, target.read_only_because()) {
        return unfit(format!(
            "'{path}' is open for reading only, but {} operations were requested: {reason}",
            kind.name()
        ));
    }
    Ok(())
}

/// Checks whether this process may run on these CPUs, before a target is made.
///
/// # Errors
/// The CPU on which it may not run, as a sentence.
pub fn check_cpus(cpus: &[u32]) -> Result<(), String> {
    let Ok(allowed) = rustix::thread::sched_getaffinity(None) else { return Ok(()) };
    let is_there = |cpu: u32| (cpu as usize) < rustix::thread::CpuSet::MAX_CPU && allowed.is_set(cpu as usize);
    match cpus.iter().find(|cpu| !is_there(**cpu)) {
        Some(cpu) => Err(format!(
            "this process may not run on CPU {cpu} (it may on {}): `lscpu` lists the host's CPUs, `taskset -p $$` those \
             of a shell",
            allowed.count()
        )),
        None => Ok(()),
    }
}

pub(super) fn check_pace(pace: Pace) -> Result<(), BackendError> {
    if pace.rate.is_some_and(|rate| rate.per_1000_s == 0) {
        return unfit("a rate of 0 operations would wait forever: give a rate above zero".into());
    }
    if pace.bursts.is_some_and(|bursts| bursts.on.get() == 0) {
        return unfit("bursts that are never on would wait forever: give a time for `on`".into());
    }
    Ok(())
}

/// Bursts by volume end with the target's own work: nothing else may set the pace.
pub(super) fn check_volume_bursts(main: &Workload) -> Result<(), BackendError> {
    let bursting = |group: &Workload| group.pace.volume_bursts.is_some();
    if main.groups().any(bursting) && !main.beside.is_empty() {
        return unfit(
            "bursts by volume need a single group of threads: remove the others, or use bursts by time".into(),
        );
    }
    let Some(bursts) = main.pace.volume_bursts else { return Ok(()) };
    if main.pace.rate.is_some() || main.pace.bursts.is_some() || !main.pace.think_time.is_zero() {
        return unfit(
            "bursts by volume cannot be combined with a rate, bursts by time or think time: keep one of them".into(),
        );
    }
    if bursts.volume.get() == 0 || !(1..=99).contains(&bursts.duty_percent.get()) {
        return unfit("a burst by volume needs at least one byte and a duty cycle of 1 to 99 %".into());
    }
    if bursts.on_at_most.is_some_and(|time| time.get() == 0) {
        return unfit("bursts that are never on would wait forever: give a time above zero for `on_at_most`".into());
    }
    Ok(())
}

pub(super) fn check_span(workload: &Workload, length: Bytes) -> Result<(), BackendError> {
    let span = workload.span;
    let sizes = workload.block_sizes();
    let bad = sizes.iter().find(|size| size.get() == 0 || size.get() > BLOCK_MAX || **size > workload.block_size);
    if let Some(bad) = bad {
        return unfit(format!(
            "a block size of {bad} cannot be issued: it must be from 1 byte to {}",
            Bytes::new(BLOCK_MAX).min(workload.block_size.max(Bytes::new(1)))
        ));
    }
    let block = workload.block_size;
    let is_whole = |bytes: Bytes| bytes.get().is_multiple_of(block.get());
    // A load that only trims may begin anywhere: the remainder after discards of large blocks is such a load.
    let begins_well = workload.other.trim_percent.get() == 100 || is_whole(span.offset);
    if span.length.get() == 0 || !is_whole(span.length) || !begins_well {
        return unfit(format!(
            "the span of {} bytes from byte {} does not consist of whole blocks of {block}: both ends must be multiples of it",
            span.length.get(),
            span.offset.get()
        ));
    }
    if span.offset.get().checked_add(span.length.get()).is_none_or(|end| end > length.get()) {
        return unfit(format!(
            "the span of {} bytes from byte {} ends outside the target, which has {} bytes",
            span.length.get(),
            span.offset.get(),
            length.get()
        ));
    }
    Ok(())
}

pub(super) fn unfit<T>(message: String) -> Result<T, BackendError> {
    Err(BackendError::Unfit(message))
}
