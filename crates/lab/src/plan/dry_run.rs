//! Dry runs: inspects the target as the command itself would, and shows what the command would do, without changing
//! anything.
//!
//! Refuses whatever the command would refuse. If only `--destroy` for a block device is missing, the full answer is
//! shown before the refusal, so that the user can decide. The layout is `report`'s.

use std::path::Path;

use drivelab_conditions::with_data_state;
use drivelab_core::condition::Condition;
use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::exit::ExitCode;
use drivelab_core::plan::{Form, MethodIdentity, Plan, Step};
use drivelab_core::run::RunRecords;
use drivelab_core::target::{DeviceIdentity, GuardedDevice};
use drivelab_core::units::{Bytes, BytesPerSecond, Nanos};
use drivelab_device::guard::{self, Destroy, Preview};
use drivelab_device::{BlockNode, identity_of};
use drivelab_method::{SpeedGuess, TargetShape};
use drivelab_report::{DryRun, DryRunDestroy, DryRunDevice, DryRunTarget, ENDURANCE};

use crate::failure::{Failure, Result};
use crate::lab::Lab;
use crate::order::measurement::Order;
use crate::plan::{check, expand};
use crate::plan::{endurance, suite};
use crate::set_up::files;
use crate::set_up::watching::Watching;
use crate::target::opened::{Needs, Wanted};
use crate::target::site::{self, Purpose, Site};
use crate::target::{consent, other_namespace, placing, unmounted};

pub use drivelab_report::{guess_of_bytes, guess_of_time};

/// The inspected target of an order and its plan.
pub struct Look {
    plan: Plan,
    rate: BytesPerSecond,
    target: DryRunTarget,
    remarks: Vec<String>,
}

/// Inspects the target of an order and makes the plan for it.
///
/// # Errors
/// Any refusal of the order, except a missing `--destroy`.
pub fn look(lab: &Lab<'_>, order: &Order<'_>) -> Result<Look> {
    let place = order.place()?;
    unmounted::ask(lab, order, &*place)?;
    let unnamed = place.device().filter(|_| order.destroy.is_none() && site::changes(order.methodology, order.form));
    let preview = unnamed.map(guard::preview_device).transpose()?;
    let destroy = consent::of(lab.front, order)?;
    let purpose = if preview.is_some() { Purpose::Plan } else { Purpose::Measure { destroy: &destroy } };
    let site = site::survey(order.place()?, order.methodology, order.form, order.size, purpose)?;
    let how = (order.form, order.guess);
    let plan = expand::plan(order.methodology, how, &site, Some(order.telemetry), &order.words)?;
    files::check(order, &plan, &site)?;
    check::check(order, &plan)?;
    placing::of(&plan, &*site.place, order.engine.backend)?;
    Watching::look(lab, order.telemetry, &site.devices, Some(&plan))?;
    let device = match (preview, site.guarded(), site.place.device()) {
        (Some(preview), _, _) => Some(of_preview(preview)),
        (None, Some(guarded), _) => Some(of_guarded(guarded)),
        (None, None, Some(node)) => Some(only_read(node)?),
        _ => None,
    };
    if device.as_ref().and_then(|device| device.destroy.as_ref()).is_none_or(|destroy| destroy.named) {
        let size = if site.makes_scratch { Some(site.length) } else { order.size };
        site.check(&Wanted {
            run: lab.wall.run_id(),
            needs: Needs::of_plan(&plan),
            destroy: &destroy,
            size,
            own: false,
        })?;
    }
    let mut target = about(&site, plan.estimated_written(), device);
    if let Some(endurance) = endurance::known((lab, order.facts), site.below()) {
        target.endurance = endurance.text(target.written);
    }
    let remarks = site.remarks().into_iter().chain(other_namespace::remark(&plan));
    let remarks = remarks.chain(suite::included(order.methodology, &plan)).collect();
    Ok(Look { plan, rate: order.guess.throughput, target, remarks })
}

/// Shows what an order would do to its one target.
///
/// # Errors
/// Any refusal of the order; a missing `--destroy` only after the answer is shown.
pub fn one(lab: &Lab<'_>, order: &Order<'_>) -> Result {
    let Look { plan, rate, target, remarks } = look(lab, order)?;
    let run = DryRun { target: Some(target), remarks, ..document(&plan, rate) };
    lab.front.show_dry_run(&run)?;
    word_is_there(&run)
}

/// Shows what several runs would do: each drive alone, all concurrently, or both.
///
/// # Errors
/// A missing `--destroy`, after the answer is shown.
pub fn several(lab: &Lab<'_>, looks: Vec<Look>, (each, together): (bool, bool)) -> Result {
    let Some(mut run) = looks.first().map(|look| document(&look.plan, look.rate)) else { return Ok(ExitCode::Ok) };
    let longest = looks.iter().map(|look| look.plan.estimated_time().get()).max().unwrap_or(0);
    let phases = u64::from(each) * looks.len() as u64 + u64::from(together);
    let passes = u64::from(each) + u64::from(together);
    run.estimated_time_s = Nanos::new(longest.saturating_mul(phases)).as_secs_f64();
    for Look { mut target, remarks, .. } in looks {
        target.written = Bytes::new(target.written.get().saturating_mul(passes));
        target.drive_writes = share(target.written, target.device_capacity);
        run.remarks.extend(remarks.iter().map(|remark| format!("{}: {remark}", target.target.display())));
        run.drives.push(target);
    }
    if each && together {
        run.remarks.push("each drive is therefore written twice: once alone, once with the others".to_owned());
    }
    run.estimated_written = Bytes::new(run.drives.iter().fold(0, |sum, one| one.written.get().saturating_add(sum)));
    lab.front.show_dry_run(&run)?;
    word_is_there(&run)
}

/// Shows what would be set up on a device, and what would be measured there.
///
/// # Errors
/// A refusal of the guard; a missing `--destroy` only after the answer is shown.
pub fn under_conditions(
    lab: &Lab<'_>,
    order: &Order<'_>,
    (node, devices): (&BlockNode, &[BlockDeviceFacts]),
    (conditions, left_out): (&[Condition], Vec<String>),
    destroy: &Destroy,
) -> Result {
    let (device, capacity) = if destroy.id.is_none() {
        let preview = guard::preview_device(node)?;
        let capacity = preview.identity.capacity;
        (of_preview(preview), capacity)
    } else {
        let released = guard::release_device(node, destroy)?;
        let length = released.length();
        let device = released.decision().device.as_deref().map_or_else(|| only_read(node), |it| Ok(of_guarded(it)))?;
        (device, length)
    };
    let (mut run, length) = of_conditions(order, capacity, (conditions, left_out));
    let endurance = endurance::known((lab, order.facts), (devices, true));
    run.target = Some(DryRunTarget {
        target: node.path.clone(),
        length,
        written: run.estimated_written,
        device_capacity: Some(capacity),
        drive_writes: share(run.estimated_written, Some(capacity)),
        endurance: endurance.map_or_else(|| ENDURANCE.to_owned(), |known| known.text(run.estimated_written)),
        device: Some(device),
    });
    lab.front.show_dry_run(&run)?;
    word_is_there(&run)
}

/// Shows what would be set up and measured on a loop device on a file of this size in the folder.
///
/// # Errors
/// The answer cannot be written.
pub fn on_file(
    lab: &Lab<'_>,
    order: &Order<'_>,
    folder: &Path,
    size: Bytes,
    (conditions, left_out): (&[Condition], Vec<String>),
) -> Result {
    let (mut run, length) = of_conditions(order, size, (conditions, left_out));
    run.target = Some(DryRunTarget {
        target: folder.to_owned(),
        length,
        written: run.estimated_written,
        device_capacity: None,
        drive_writes: None,
        endurance: ENDURANCE.to_owned(),
        device: None,
    });
    run.remarks.push(format!(
        "a loop device on a file of {size} in {} is created for the run and removed at the end; whether the conditions can \
         be set up on it is checked when it exists",
        folder.display()
    ));
    lab.front.show_dry_run(&run).map(|()| ExitCode::Ok)
}

/// The answer for runs under conditions on a device of this size, and the length that is tested.
fn of_conditions(
    order: &Order<'_>,
    capacity: Bytes,
    (conditions, mut remarks): (&[Condition], Vec<String>),
) -> (DryRun, Bytes) {
    let plans = plans(order, capacity, conditions);
    let identity = order.methodology.identity();
    let steps = plans.iter().map(|plan| plan.schedule().len()).max().unwrap_or(0);
    if plans.len() < conditions.len() {
        remarks.push(
            "the measurement cannot be planned before its target is set up, so steps, time and bytes are unknown"
                .to_owned(),
        );
    }
    let mut run = empty(identity, (order.form, order.guess.throughput), steps);
    let time = plans.iter().fold(0u64, |sum, plan| sum.saturating_add(plan.estimated_time().get()));
    run.estimated_time_s = Nanos::new(time).as_secs_f64();
    run.estimated_written = written(&plans);
    run.written_by_time = plans.iter().any(Plan::writes_by_time);
    run.timed_by_rate = plans.iter().any(Plan::timed_by_rate);
    remarks.push(
        "time and bytes are those of the measurements only; setting up (file systems, keys, discards) adds to them"
            .to_owned(),
    );
    let length = plans.iter().map(|plan| plan.capacity).max().unwrap_or(capacity);
    run.conditions = conditions.to_vec();
    run.remarks = remarks;
    (run, length)
}

/// Total bytes that the runs under these conditions would write to a device of this size. Runs that cannot be planned
/// before their target is set up are not included.
pub fn written_under(order: &Order<'_>, capacity: Bytes, conditions: &[Condition]) -> Bytes {
    written(&plans(order, capacity, conditions))
}

fn plans(order: &Order<'_>, capacity: Bytes, conditions: &[Condition]) -> Vec<Plan> {
    conditions.iter().filter_map(|condition| expected(order, capacity, condition)).collect()
}

fn written(plans: &[Plan]) -> Bytes {
    Bytes::new(plans.iter().fold(0u64, |sum, plan| sum.saturating_add(plan.estimated_written().get())))
}

/// Shows what is left of a stored run: `left` are its unfinished steps, `device` is the inspected block device if the
/// target is one, and `remark` says what happens to the target.
///
/// # Errors
/// A missing `--destroy`, after the answer is shown.
pub fn rest(
    lab: &Lab<'_>,
    records: &RunRecords,
    left: &[&Step],
    (device, remark): (Option<DryRunDevice>, String),
) -> Result {
    let sum = |of: &dyn Fn(&Step) -> u64| left.iter().fold(0u64, |sum, step| sum.saturating_add(of(step)));
    let began = &records.environment.target;
    let written = Bytes::new(sum(&|step| step.estimated_written.get()));
    let device_capacity = began.devices.first().map(|device| device.capacity);
    let run = DryRun {
        run: Some(records.run),
        steps_left: Some(left.len()),
        estimated_time_s: Nanos::new(sum(&|step| step.estimated_time.get())).as_secs_f64(),
        estimated_written: written,
        written_by_time: left.iter().any(|step| step.writes_by_time()),
        timed_by_rate: left.iter().any(|step| step.timed_by_rate()),
        target: Some(DryRunTarget {
            target: began.path.clone(),
            length: records.plan.capacity,
            written,
            device_capacity,
            drive_writes: share(written, device_capacity),
            endurance: ENDURANCE.to_owned(),
            device,
        }),
        remarks: vec![remark],
        // Only a dry run assumes another rate; a stored run was planned with this one.
        ..document(&records.plan, SpeedGuess::default().throughput)
    };
    lab.front.show_dry_run(&run)?;
    word_is_there(&run)
}

/// The answer for a plan that was made with this estimated rate, without a target.
fn document(plan: &Plan, rate: BytesPerSecond) -> DryRun {
    DryRun {
        estimated_time_s: plan.estimated_time().as_secs_f64(),
        estimated_written: plan.estimated_written(),
        written_by_time: plan.writes_by_time(),
        timed_by_rate: plan.timed_by_rate(),
        left_out: plan.left_out.clone(),
        set: plan.set.clone(),
        limits: plan.limits.clone(),
        ..empty(&plan.methodology, (plan.form, rate), plan.schedule().len())
    }
}

fn empty(method: &MethodIdentity, (form, assumed_rate): (Form, BytesPerSecond), steps: usize) -> DryRun {
    DryRun {
        schema: DryRun::SCHEMA,
        schema_version: DryRun::VERSION,
        method: method.name.clone(),
        method_version: method.version.clone(),
        form,
        run: None,
        steps,
        steps_left: None,
        estimated_time_s: 0.0,
        estimated_written: Bytes::new(0),
        written_by_time: false,
        timed_by_rate: false,
        assumed_rate,
        target: None,
        drives: Vec::new(),
        conditions: Vec::new(),
        left_out: Vec::new(),
        set: Vec::new(),
        limits: Vec::new(),
        remarks: Vec::new(),
    }
}

/// The plan under a condition, estimated before the condition is set up: on the part of the device that would be
/// left.
fn expected(order: &Order<'_>, capacity: Bytes, condition: &Condition) -> Option<Plan> {
    let Condition { partition, span, file_system, data_state, .. } = *condition;
    let part = partition.map_or(capacity, |share| share.of(capacity, Bytes::MIB));
    let part = span.map_or(part, |share| share.of(part, Bytes::MIB));
    let whole = span.is_some() || order.methodology.takes_any_target() && file_system.is_none();
    let stated = || match file_system {
        Some(_) => order.methodology.file_size(order.form),
        None => Some(order.methodology.device_part(order.form, part)),
    };
    let wanted = order.size.or_else(stated)?;
    let capacity = if whole { part } else { wanted.min(part).align_down(Bytes::MIB) };
    let shape = TargetShape { capacity, offset_align: Bytes::new(4096), guess: order.guess };
    let plan = drivelab_method::expand(order.methodology, order.form, &shape).ok()?;
    Some(if file_system.is_some() { plan } else { with_data_state(plan, data_state, order.guess.throughput) })
}

fn about(site: &Site, written: Bytes, device: Option<DryRunDevice>) -> DryRunTarget {
    let device_capacity = site.devices.first().map(|device| device.capacity);
    DryRunTarget {
        target: site.place.path().to_owned(),
        length: site.length,
        written,
        device_capacity,
        drive_writes: share(written, device_capacity),
        endurance: ENDURANCE.to_owned(),
        device,
    }
}

fn share(written: Bytes, capacity: Option<Bytes>) -> Option<f64> {
    capacity.filter(|capacity| capacity.get() > 0).map(|capacity| written.as_f64() / capacity.as_f64())
}

fn of(identity: &DeviceIdentity, found: Vec<String>, looked_at: String, named: Option<bool>) -> DryRunDevice {
    let destroy = named.map(|named| DryRunDestroy {
        id: guard::id_of(identity).to_owned(),
        flag: guard::flag_of(identity),
        named,
    });
    let DeviceIdentity { name, model, serial, .. } = identity.clone();
    DryRunDevice { name, model, serial, found, looked_at, destroy }
}

/// A device that the user did not name with `--destroy`.
pub fn of_preview(Preview { identity, found, looked_at }: Preview) -> DryRunDevice {
    of(&identity, found, looked_at, Some(false))
}

/// A device that the user named and the guard released.
pub fn of_guarded(device: &GuardedDevice) -> DryRunDevice {
    let GuardedDevice { identity, looked_at, overridden, .. } = device;
    of(identity, overridden.clone(), looked_at.clone(), Some(true))
}

/// A device that is not written to: known signatures in its content are enough.
///
/// # Errors
/// It cannot be opened or read.
pub fn only_read(node: &BlockNode) -> Result<DryRunDevice> {
    let looked_at = "known tables and signatures were checked, the rest was not read".to_owned();
    Ok(of(&identity_of(node), guard::known_content(node)?, looked_at, None))
}

/// Refuses as the command itself would if a device must be named with `--destroy` and was not.
fn word_is_there(run: &DryRun) -> Result {
    let lacking = |target: &&DryRunTarget| {
        target.device.as_ref().and_then(|device| device.destroy.as_ref()).is_some_and(|destroy| !destroy.named)
    };
    let Some(target) = run.target.iter().chain(&run.drives).find(lacking) else { return Ok(ExitCode::Ok) };
    let flag = target.device.as_ref().and_then(|device| device.destroy.as_ref()).map_or("--destroy", |it| &it.flag);
    Err(lacks(&target.target, flag))
}

fn lacks(target: &Path, flag: &str) -> Failure {
    Failure::new(
        ExitCode::GuardRefused,
        format!(
            "the command would be refused: it writes to {}, and no --destroy allows that. Nothing was touched. To \
             overwrite it, add `{flag}`",
            target.display()
        ),
    )
}
