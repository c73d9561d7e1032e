//! Several drives: each measured alone, then all concurrently, with one bundle per run, and how much each drive lost.
//!
//! Every refusal comes before the first drive is changed. Runs of a group are ordinary runs: a run that fails or is
//! stopped keeps its results, can be resumed on its own, and does not end the others.

use std::path::{Path, PathBuf};

use drivelab_analysis::Analysis;
use drivelab_core::clock::{MonotonicClock, StopToken};
use drivelab_core::drive_facts::DriveFacts;
use drivelab_core::exit::ExitCode;
use drivelab_core::group::{Group, GroupRole, GroupRun, MethodDrives, letter};
use drivelab_core::ids::StepKey;
use drivelab_core::label::Label;
use drivelab_core::plan::{Form, Plan};
use drivelab_core::run::RunRecords;
use drivelab_core::target::DeviceIdentity;
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::wall::WallClock;
use drivelab_device::guard::Destroy;
use drivelab_device::{Named, identity_of};
use drivelab_engine::BackendChoice;
use drivelab_method::{Methodology, SpeedGuess};
use drivelab_report::format;

use crate::failure::{Failure, Result};
use crate::lab::Lab;
use crate::order::measurement::{Order, Part, Words};
use crate::order::show::Show;
use crate::order::telemetry::Telemetry;
use crate::output::group;
use crate::output::pages::{OutputFile, format_of, without_names};
use crate::plan::dry_run::guess_of_time;
use crate::plan::{data_sheet, dry_run, endurance, expand};
use crate::run::begin::{Prepared, prepare};
use crate::run::company::{Company, Seat};
use crate::run::wiring::engine;
use crate::target::missing::NewFile;
use crate::target::naming::place_named;
use crate::target::site::{self, Purpose, Site};
use crate::target::unmounted;

/// Number of drives that can have a letter.
const MOST: usize = 26;

/// Exit codes, worst first: the worst exit code of the runs is the exit code of the command.
const WORST_FIRST: [ExitCode; 9] = [
    ExitCode::Unexpected,
    ExitCode::DeviceErrors,
    ExitCode::TargetUnusable,
    ExitCode::GuardRefused,
    ExitCode::HostNotFit,
    ExitCode::Interrupted,
    ExitCode::Usage,
    ExitCode::NothingSelected,
    ExitCode::AcceptanceFailed,
];

/// Whether each drive is measured alone, concurrently with the others, or both.
#[derive(Debug, Clone, Copy)]
struct How {
    /// Each drive alone.
    each: bool,
    /// All drives concurrently.
    together: bool,
}

impl How {
    /// What the methodology states; each alone and then all concurrently if it states nothing. A flag replaces it.
    fn of(asked: &Drives<'_>, own: Option<MethodDrives>) -> How {
        let MethodDrives { each, together, .. } = own.unwrap_or_default();
        match (asked.each_only, asked.together_only) {
            (true, _) => How { each: true, together: false },
            (_, true) => How { each: false, together: true },
            _ => How { each, together },
        }
    }

    /// How many times the length of the longest run the measurement takes.
    fn phases(self, drives: u64) -> u64 {
        u64::from(self.each) * drives + u64::from(self.together)
    }

    /// How often each drive is measured.
    fn passes(self) -> u64 {
        u64::from(self.each) + u64::from(self.together)
    }

    fn words(self) -> &'static str {
        match (self.each, self.together) {
            (true, true) => "each alone, then all at once",
            (true, false) => "each alone, one after the other",
            _ => "all at once",
        }
    }
}

/// What all runs of the group share.
struct Common<'a> {
    lab: &'a Lab<'a>,
    asked: &'a Drives<'a>,
    facts: Option<DriveFacts>,
    how: How,
    runs: Vec<GroupRun>,
    stops: Vec<StopToken>,
    /// Identity of each target's block device when it was inspected.
    identities: Vec<Option<DeviceIdentity>>,
}

/// Several drives to measure, and how.
pub struct Drives<'a> {
    /// The methodology.
    pub methodology: &'a Methodology,
    /// How much of the methodology runs.
    pub form: Form,
    /// The targets that the user named.
    pub targets: &'a [PathBuf],
    /// Only each drive alone.
    pub each_only: bool,
    /// Only all drives concurrently.
    pub together_only: bool,
    /// The values of `--destroy`.
    pub destroy: &'a [PathBuf],
    /// Whether targets that do not exist are created as scratch files.
    pub new_file: bool,
    /// Size of the scratch files, if the user gave one.
    pub size: Option<Bytes>,
    /// Whether no questions are asked.
    pub yes: bool,
    /// Only show what would be done.
    pub dry_run: bool,
    /// The speed that time and bytes are estimated with.
    pub guess: SpeedGuess,
    /// I/O backend, if the user named one.
    pub backend: Option<BackendChoice>,
    /// Telemetry of the runs.
    pub telemetry: &'a Telemetry,
    /// The drive facts that the user named, for all drives.
    pub facts: Option<&'a Path>,
    /// The page to write, and whether it leaves out serial numbers and folder names.
    pub page: Option<(&'a Path, bool)>,
    /// What the user calls the runs.
    pub label: &'a Label,
    /// How messages refer to what the user wrote.
    pub words: Words<'a>,
}

/// Measures all drives and shows the result.
///
/// # Errors
/// The reason why the runs cannot be done, or the worst exit code of the runs.
pub fn run(lab: &Lab<'_>, asked: &Drives<'_>) -> Result {
    let voice = lab.voice;
    if asked.methodology.conditions(asked.form).is_some() {
        return Err(Failure::usage(format!(
            "'{}' sets up conditions, which works for one target only; measure each drive on its own, and compare the \
             results with `drivelab compare RUN RUN`",
            asked.methodology.identity().name
        )));
    }
    engine(lab, asked.backend)?;
    let facts = data_sheet::named(lab, asked.facts)?;
    let surveyed = survey_all(asked)?;
    let how = How::of(asked, asked.methodology.drives(asked.form));
    surveyed.iter().try_for_each(|(site, _)| unmounted::of_place(lab, &*site.place, (asked.yes, asked.dry_run)))?;
    if !asked.dry_run {
        surveyed.iter().try_for_each(|(site, plan)| {
            let written = plan.estimated_written().get().saturating_mul(how.passes());
            endurance::ask((lab, facts.as_ref()), site.below(), Bytes::new(written), asked.yes)
        })?;
    }
    let page = asked
        .page
        .map(|(output, redact)| format_of(output).and_then(|_| OutputFile::check(output)).map(|file| (file, redact)));
    let page = page.transpose()?;
    shared_devices(&surveyed).iter().for_each(|line| voice.warn(line));
    let phases = how.phases(surveyed.len() as u64);
    let longest = surveyed.iter().map(|(_, plan)| plan.estimated_time().get()).max().unwrap_or(0);
    let by_rate = surveyed.iter().any(|(_, plan)| plan.timed_by_rate());
    voice.say(format!(
        "Drives    {}: {}, about {}{}",
        surveyed.len(),
        how.words(),
        format::duration(Nanos::new(longest.saturating_mul(phases))),
        guess_of_time(by_rate, asked.guess.throughput)
    ));
    let drives = surveyed.len();
    // Block devices were held since they were inspected; each run claims its own again, and it must be the same
    // device.
    let identities: Vec<Option<DeviceIdentity>> = asked.targets.iter().map(|target| identity(target)).collect();
    drop(surveyed);
    let runs = group_runs(lab.wall, drives, how);
    let stops: Vec<StopToken> = runs.iter().map(|_| StopToken::default()).collect();
    let common = Common { lab, asked, facts, how, runs, stops, identities };
    if asked.dry_run {
        return say_only(&common);
    }
    lab.front.watch(common.stops.clone());
    let mut codes = alone(&common);
    if !common.stopped() && how.together {
        codes.extend(together(&common));
    }
    let worst = WORST_FIRST.into_iter().find(|code| codes.contains(code)).unwrap_or(ExitCode::Ok);
    let shown = show(&common, page.as_ref());
    if common.stopped() {
        let message = "stopped by the user: the results are stored; each run can be resumed on its own (`drivelab results \
                       list`), but the drives are then no longer measured at the same time";
        return Err(Failure::new(ExitCode::Interrupted, message));
    }
    match shown {
        // The failure was reported when it happened; that nothing can be compared then needs no second message.
        Err(_) if worst != ExitCode::Ok => Ok(worst),
        shown => shown.map(|()| worst),
    }
}

/// Shows the result of all runs, and writes the page.
fn show(common: &Common<'_>, page: Option<&(OutputFile, bool)>) -> Result<()> {
    let lab = common.lab;
    let load = |run| {
        let unread = |why: Failure| lab.voice.warn(format!("run {run} is left out of the comparison: {}", why.message));
        lab.load(run).map_err(unread).ok()
    };
    let runs: Vec<(RunRecords, Analysis)> = common.runs.iter().filter_map(|one| load(one.run)).collect();
    let kept = lab.kept_drives();
    lab.front.group(&runs, &kept)?;
    let last = runs.last().map(|(records, _)| records.run);
    if let Some((page, redact)) = page {
        let runs = if *redact { without_names(runs) } else { runs };
        page.write(&group::render(format_of(page.path())?, &runs, &kept)?)?;
        lab.voice.say(format!("The page: {}", page.path().display()));
    }
    if let Some(run) = last {
        lab.voice.say(format!("`drivelab report {run} --group` makes reports of all drives"));
    }
    Ok(())
}

impl Common<'_> {
    fn stopped(&self) -> bool {
        self.stops.iter().any(|stop| stop.cause() == Some(drivelab_core::clock::StopCause::Person))
    }

    /// The runs of one role with their stop tokens, in the order of the drives.
    fn of(&self, role: GroupRole) -> Vec<(GroupRun, StopToken)> {
        let all = self.runs.iter().zip(&self.stops);
        all.filter(|(run, _)| run.role == role).map(|(run, stop)| (*run, stop.clone())).collect()
    }

    /// Prepares a run of the group, up to its first step.
    fn prepare(&self, run: GroupRun, stop: StopToken, company: Company, at: &Began) -> Result<Option<Prepared>> {
        prepare(self.lab, self.order(run, company, at)?, stop)
    }

    fn order(&self, run: GroupRun, company: Company, at: &Began) -> Result<Order<'_>> {
        let asked = self.asked;
        let target = self.target(run.drive);
        let group = Group { role: run.role, drive: run.drive, runs: self.runs.clone() };
        Ok(Order {
            methodology: asked.methodology,
            form: asked.form,
            target,
            new_file: is_new(asked, target),
            size: asked.size,
            source: None,
            destroy: destroyed(asked, target),
            planned: self.identities[run.drive as usize].as_ref(),
            // Several questions at the same time could be answered for the wrong drive: each drive is named by its
            // flag.
            yes: true,
            telemetry: asked.telemetry,
            under: None,
            engine: engine(self.lab, asked.backend)?,
            trace: None,
            page: None,
            label: asked.label,
            save: true,
            sample: false,
            dry_run: asked.dry_run,
            guess: asked.guess,
            show: Show::Part,
            facts: self.facts.as_ref(),
            words: asked.words,
            part: Some(Part { run: run.run, group, company, started: at.wall.clone(), clock: at.clock }),
        })
    }

    fn target(&self, drive: u32) -> &Path {
        &self.asked.targets[drive as usize]
    }

    /// Returns the exit code of a run; its error is reported immediately, under the letter of its drive.
    fn ended(&self, run: GroupRun, done: Result) -> ExitCode {
        match done {
            Ok(code) => code,
            Err(Failure { code, message, .. }) => {
                if code != ExitCode::Interrupted {
                    self.lab.front.failed(&format!(
                        "error: {} ({}): {message}",
                        letter(run.drive as usize),
                        self.target(run.drive).display()
                    ));
                }
                code
            }
        }
    }
}

/// When a phase began.
struct Began {
    wall: String,
    clock: MonotonicClock,
}

impl Began {
    fn now(lab: &Lab<'_>) -> Self {
        Began { wall: lab.now(), clock: MonotonicClock::starting_at(0) }
    }
}

/// Measures each drive alone.
fn alone(common: &Common<'_>) -> Vec<ExitCode> {
    let mut codes = Vec::new();
    for (run, stop) in common.of(GroupRole::Alone) {
        if common.stopped() {
            break;
        }
        let letter = letter(run.drive as usize);
        common.lab.voice.say(format!("\n{letter} alone   {}", common.target(run.drive).display()));
        let prepared = common.prepare(run, stop, Company::new(None), &Began::now(common.lab));
        let done = prepared.and_then(|prepared| measure(common, prepared));
        codes.push(common.ended(run, done));
    }
    codes
}

/// Measures all drives concurrently: opened one after the other, begun together.
fn together(common: &Common<'_>) -> Vec<ExitCode> {
    let runs = common.of(GroupRole::Together);
    common.lab.voice.say(format!("\nAll at once ({} drives)", runs.len()));
    let began = Began::now(common.lab);
    let mut codes = Vec::new();
    let mut ready: Vec<(GroupRun, Prepared)> = Vec::new();
    for ((run, stop), seat) in runs.iter().zip(Seat::of(runs.len())) {
        match common.prepare(*run, stop.clone(), Company::new(Some(seat)), &began) {
            Ok(prepared) => ready.extend(prepared.map(|prepared| (*run, prepared))),
            Err(failure) => codes.push(common.ended(*run, Err(failure))),
        }
    }
    if ready.len() < runs.len() && !common.stopped() {
        common.lab.front.failed(
            "error: not every drive can be measured, so the concurrent runs were not begun; the runs just created are empty",
        );
        return codes;
    }
    std::thread::scope(|scope| {
        let threads: Vec<_> = ready
            .into_iter()
            .map(|(run, prepared)| (run, scope.spawn(move || prepared.carry_out(common.lab))))
            .collect();
        for (run, thread) in threads {
            let done = thread.join().unwrap_or_else(|_| {
                Err(Failure::unexpected("its thread panicked: this is a bug in drivelab; its records are stored"))
            });
            codes.push(common.ended(run, done));
        }
    });
    codes
}

fn measure(common: &Common<'_>, prepared: Option<Prepared>) -> Result {
    prepared.map_or(Ok(ExitCode::Ok), |prepared| prepared.carry_out(common.lab))
}

/// Shows what would be done to each drive.
fn say_only(common: &Common<'_>) -> Result {
    let look = |(run, _)| dry_run::look(common.lab, &common.order(run, Company::new(None), &Began::now(common.lab))?);
    let role = if common.how.together { GroupRole::Together } else { GroupRole::Alone };
    let looks = common.of(role).into_iter().map(look).collect::<Result<Vec<_>>>()?;
    dry_run::several(common.lab, looks, (common.how.each, common.how.together))
}

/// Ids and roles of all runs of the group.
fn group_runs(wall: &dyn WallClock, drives: usize, how: How) -> Vec<GroupRun> {
    let phase = |role| (0u32..).take(drives).map(move |drive| GroupRun { run: wall.run_id(), role, drive });
    let alone: Vec<GroupRun> = if how.each { phase(GroupRole::Alone).collect() } else { Vec::new() };
    let together: Vec<GroupRun> = if how.together { phase(GroupRole::Together).collect() } else { Vec::new() };
    alone.into_iter().chain(together).collect()
}

/// Refuses targets that cannot be measured together, before anything else is checked.
///
/// # Errors
/// Too many targets, a target named twice, `--new-file` although all targets exist, or a `--destroy` that matches no
/// target.
pub fn refuse(targets: &[PathBuf], new_file: bool, destroy: &[PathBuf]) -> Result<()> {
    if targets.len() > MOST {
        return Err(Failure::usage(format!("at most {MOST} targets can be measured concurrently")));
    }
    for (index, target) in targets.iter().enumerate() {
        if let Some(other) = targets[..index].iter().find(|other| same(other, target)) {
            return Err(Failure::usage(format!(
                "{} and {} are the same target; name each drive once",
                other.display(),
                target.display()
            )));
        }
    }
    if new_file && targets.iter().all(|target| target.exists()) {
        return Err(Failure::usage(
            "--new-file is for a file that does not exist yet, and every target exists: leave the flag out",
        ));
    }
    let names_one = |named: &&PathBuf| targets.iter().any(|target| names(named, target));
    match destroy.iter().find(|named| !names_one(named)) {
        Some(named) => Err(Failure::usage(format!("--destroy {} matches none of the targets", named.display()))),
        None => Ok(()),
    }
}

/// Whether two names are the same target: the same device whatever its node is called, or the same file or folder.
fn same(left: &Path, right: &Path) -> bool {
    use std::os::unix::fs::{FileTypeExt, MetadataExt};
    match (left.metadata(), right.metadata()) {
        (Ok(one), Ok(other)) if one.file_type().is_block_device() || one.file_type().is_char_device() => {
            one.file_type() == other.file_type() && one.rdev() == other.rdev()
        }
        (Ok(one), Ok(other)) => (one.dev(), one.ino()) == (other.dev(), other.ino()),
        _ => std::path::absolute(left).ok() == std::path::absolute(right).ok(),
    }
}

/// The identity of a target that is a block device.
fn identity(target: &Path) -> Option<DeviceIdentity> {
    match drivelab_device::classify(target) {
        Ok(Named::BlockDevice(node)) => Some(identity_of(&node)),
        _ => None,
    }
}

/// Whether an ID given with `--destroy` matches a target; for a device, by the guard's own comparison.
fn names(destroy: &Path, target: &Path) -> bool {
    match drivelab_device::classify(target) {
        Ok(Named::BlockDevice(node)) => Destroy::named(Some(destroy)).names(&identity_of(&node)),
        _ => same(destroy, target),
    }
}

/// Whether a target is a file to be created: `--new-file` applies to targets that do not exist.
fn is_new(asked: &Drives<'_>, target: &Path) -> bool {
    asked.new_file && !target.exists()
}

/// The `--destroy` value for a target.
fn destroyed<'a>(asked: &Drives<'a>, target: &Path) -> Option<&'a Path> {
    asked.destroy.iter().find(|destroy| names(destroy, target)).map(PathBuf::as_path)
}

/// Inspects every target and makes its plan, before anything is created; all plans must have the same steps.
fn survey_all(asked: &Drives<'_>) -> Result<Vec<(Site, Plan)>> {
    let (methodology, form) = (asked.methodology, asked.form);
    let mut all: Vec<(Site, Plan)> = Vec::new();
    for target in asked.targets {
        let destroy = Destroy::named(destroyed(asked, target));
        // A dry run may lack `--destroy` for a device: what has to be named is part of its answer.
        let only_plan = asked.dry_run && destroy.id.is_none();
        let purpose = if only_plan { Purpose::Plan } else { Purpose::Measure { destroy: &destroy } };
        let place = place_named(target, NewFile::by(is_new(asked, target), methodology.target().takes_files()))?;
        let site = site::survey(place, methodology, form, asked.size, purpose)?;
        let how = (form, asked.guess);
        let plan = expand::plan(methodology, how, &site, Some(asked.telemetry), &asked.words)?;
        if let Some(index) = all.iter().position(|(before, _)| same_drive(before, &site)) {
            return Err(Failure::usage(format!(
                "{} and {} are on one block device; name each drive once",
                asked.targets[index].display(),
                target.display()
            )));
        }
        if let Some((_, first)) = all.first()
            && keys(first) != keys(&plan)
        {
            return Err(Failure::usage(format!(
                "'{}' has different steps on {} and on {}, so they cannot be begun together; use the same --size for all",
                methodology.identity().name,
                target.display(),
                asked.targets[0].display()
            )));
        }
        all.push((site, plan));
    }
    Ok(all)
}

/// Whether two targets are the same block device, or parts of the same one.
fn same_drive(left: &Site, right: &Site) -> bool {
    let whole = |site: &Site| {
        site.place.device()?;
        site.devices.first().map(|device| device.name.clone())
    };
    whole(left).is_some_and(|name| Some(name) == whole(right))
}

fn keys(plan: &Plan) -> Vec<StepKey> {
    plan.schedule().into_iter().map(|(key, _)| key).collect()
}

/// Targets that share a device: a slowdown is then expected.
fn shared_devices(surveyed: &[(Site, Plan)]) -> Vec<String> {
    let mut lines = Vec::new();
    for (index, (site, _)) in surveyed.iter().enumerate() {
        for (other, (before, _)) in surveyed[..index].iter().enumerate() {
            let shared = site.devices.iter().find(|one| before.devices.iter().any(|device| device.name == one.name));
            if let Some(device) = shared {
                lines.push(format!(
                    "{} and {} lie on the same device, {}: they share its performance",
                    letter(other),
                    letter(index),
                    device.name
                ));
            }
        }
    }
    lines
}
