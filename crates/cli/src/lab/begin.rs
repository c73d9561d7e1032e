//! A new run, from the survey of its target to its result: the one path that every command that measures takes.

use std::path::Path;

use drivelab_analysis::findings;
use drivelab_conditions::{SetUp, Where};
use drivelab_core::clock::{MonotonicClock, StopToken};
use drivelab_core::drive_facts::DriveFacts;
use drivelab_core::environment::{Environment, FileSource, TargetKind};
use drivelab_core::event::{EVENT_VERSION, RunStarted};
use drivelab_core::exit::ExitCode;
use drivelab_core::group::Group;
use drivelab_core::ids::RunId;
use drivelab_core::plan::{Form, Plan, Step};
use drivelab_core::target::DeviceIdentity;
use drivelab_core::units::Bytes;
use drivelab_core::workload::Workload;
use drivelab_device::guard::Destroy;
use drivelab_engine::Options;
use drivelab_method::{Methodology, SpeedGuess};
use drivelab_session::Start;
use drivelab_store::{DataDir, NewBundle, Recorder};

use super::care::Care;
use super::company::Company;
use super::drive_state::Book;
use super::execute::{Keep, Ready, execute};
use super::missing::NewFile;
use super::outcome::Show;
use super::pages::{OutputFile, Wish, format_of};
use super::place::{Needs, OpenedIo, Place, Wanted};
use super::target::{self, Purpose, Site, Words};
use super::trace::TraceFile;
use super::watching::{self, Watching};
use super::{
    checked, consent, data_sheet, dry_run, endurance, files, found, notes, other_namespace, placing, signals, unmounted,
};
use crate::args::{PrintArgs, TelemetryArgs};
use crate::context::{Context, now, tool};
use crate::fail::{Failure, Result};
use crate::screens;

/// What is to be measured, on what, and what becomes of the result.
pub struct Order<'a> {
    /// The methodology.
    pub methodology: &'a Methodology,
    /// In which form.
    pub form: Form,
    /// What the user named.
    pub target: &'a Path,
    /// Whether it is a scratch file to be made under that name (`--new-file`).
    pub new_file: bool,
    /// Size of the scratch file, where the user said one.
    pub size: Option<Bytes>,
    /// The folder that sets of files are copied from (`--source`).
    pub source: Option<&'a Path>,
    /// What `--destroy` named.
    pub destroy: Option<&'a Path>,
    /// The device that the target was when it was planned for, where that was before: another one is refused.
    pub planned: Option<&'a DeviceIdentity>,
    /// Whether nobody is to be asked (`--yes`).
    pub yes: bool,
    /// Engine.
    pub engine: Options,
    /// What is watched beside the I/O.
    pub telemetry: &'a TelemetryArgs,
    /// New file in which every measured operation is written down, where that is wanted.
    pub trace: Option<&'a Path>,
    /// Page to write, and whether without names.
    pub page: Option<(&'a Path, bool)>,
    /// Whether a bundle is kept.
    pub save: bool,
    /// Whether samples of what the target holds are taken and recorded.
    pub sample: bool,
    /// Only say what would be done.
    pub dry_run: bool,
    /// What time and bytes are reckoned with: of a dry run another rate may be assumed.
    pub guess: SpeedGuess,
    /// How run and result are printed.
    pub print: &'a PrintArgs,
    /// How the result is shown.
    pub show: Show,
    /// How messages call what was written.
    pub words: Words<'a>,
    /// The drive facts that the user named; without, those that its model string fits.
    pub facts: Option<&'a DriveFacts>,
    /// What was set up for it, where anything was.
    pub under: Option<Under<'a>>,
    /// Where the run is one of a group: what it shares with the others.
    pub part: Option<Part>,
}

/// What was set up for a run: it has its id by then, and its stop is that of the set-up.
pub struct Under<'a> {
    /// The run.
    pub run: RunId,
    /// Tells everybody to stop.
    pub stop: StopToken,
    /// What was set up.
    pub set_up: &'a SetUp,
}

impl<'a> Order<'a> {
    /// What the target is.
    ///
    /// # Errors
    /// One that is not there, unless it is to be made, and one that is nothing that can be measured.
    pub fn place(&self) -> Result<Place> {
        Place::named(self.target, NewFile::by(self.new_file, self.methodology.target().takes_files()))
    }

    /// The same order with another engine, for a run that is one of several: under nothing, and without a trace.
    #[must_use]
    pub fn like(&self) -> Order<'a> {
        Order { engine: Options::new(self.engine.backend), trace: None, under: None, part: None, ..*self }
    }
}

/// What a run of a group gets from the group.
pub struct Part {
    /// Its id, which the others know.
    pub run: RunId,
    /// What it records of the group.
    pub group: Group,
    /// What it does around each step.
    pub company: Company,
    /// Wall-clock time at which the clock stands at 0.
    pub started: String,
    /// The clock that runs together share.
    pub clock: MonotonicClock,
}

/// A run that is recorded and may begin: its target is open, nothing was measured yet.
pub struct Prepared {
    ready: Ready,
    trace: Option<TraceFile>,
}

impl Prepared {
    /// Measures and shows.
    ///
    /// # Errors
    /// What the outcome means for the exit code.
    pub fn carry_out(self, context: &Context, print: &PrintArgs) -> Result {
        let done = execute(context, print, self.ready);
        // What became of the load comes first.
        let traced = self.trace.map_or(Ok(()), |trace| trace.finish(context.settings.voice));
        done.and_then(|code| traced.map(|()| code))
    }
}

/// Surveys, plans, opens, records, measures, shows.
///
/// # Errors
/// Whatever keeps the run from being done; everything that can be refused is refused before anything is made.
pub fn carry_out(context: &Context, order: Order<'_>) -> Result {
    let stop = order.under.as_ref().map(|under| under.stop.clone()).unwrap_or_default();
    if order.under.is_none() {
        signals::watch(stop.clone());
    }
    let print = order.print;
    match prepare(context, order, stop)? {
        Some(prepared) => prepared.carry_out(context, print),
        None => Ok(ExitCode::Ok),
    }
}

/// Everything before the first step: surveys, plans, opens, records. Nothing where the order only asks what would be
/// done.
///
/// # Errors
/// As for [`carry_out`].
pub fn prepare(context: &Context, order: Order<'_>, stop: StopToken) -> Result<Option<Prepared>> {
    if order.dry_run {
        return dry_run::one(context, &order).map(|_| None);
    }
    let voice = context.settings.voice;
    unmounted::ask(&order, &order.place()?, voice)?;
    let destroy = consent::of(&order)?;
    let mut site = survey(&order, &destroy)?;
    let how = (order.form, order.guess);
    let plan = target::plan(order.methodology, how, &site, Some(order.telemetry), &order.words)?;
    let plan = under_data_state(plan, &order, &site);
    files::check(&order, &plan, &site)?;
    let page = check(&order, &plan)?;
    let placement = placing::of(&plan, &site.place, order.engine.backend)?;
    if order.part.is_none() && order.under.is_none() {
        endurance::ask((context, order.facts), site.below(), plan.estimated_written(), order.yes)?;
    }
    Watching::look(context, order.telemetry, &site.devices, Some(&plan))?;
    let known = order.under.as_ref().map(|under| under.run).or_else(|| order.part.as_ref().map(|part| part.run));
    let run = known.unwrap_or_else(RunId::now);
    // What drivelab makes is as long as the plan takes it to be; what is there has its size.
    let size = if site.makes_scratch { Some(site.length) } else { order.size };
    let wanted = Wanted { run, needs: Needs::of_plan(&plan), destroy: &destroy, size, own: order.under.is_some() };
    let data = if order.save { Some(context.data()?) } else { None };
    let opened = site.open(&wanted, voice)?;
    let other = other_namespace::open(&plan, &opened.facts)?;
    let made = files::make(&plan, site.place.folder(), order.source, run, voice)?;
    let environment = environment(context, (&order, &plan), &opened, (data.as_ref(), made.source))?;
    let reads_other = other_namespace::remark(&plan);
    site.remarks().iter().chain(&opened.remarks).chain(&reads_other).for_each(|remark| voice.say(remark));
    found::say(voice, &environment, &plan, order.show);
    if stop.is_stopped() {
        return Err(Failure::new(ExitCode::Interrupted, "stopped before anything was measured; nothing is kept"));
    }
    let watching = Watching::open(context, order.telemetry, &environment.target.devices, plan.estimated_time())?;
    watching::check(&plan, Some(&watching))?;
    let trace = order.trace.map(TraceFile::make).transpose()?;
    let started = order.part.as_ref().map_or_else(now, |part| part.started.clone());
    let start = RunStarted { event_version: EVENT_VERSION, run, started, tool: tool(), plan, environment };
    let strange = order.under.is_some().then_some("it was set up for this run");
    let mut book = Book::open(&opened, data.as_ref(), run, strange);
    let mut bundle_on_target = None;
    let keep = match data {
        None => Keep::Memory,
        Some(data) => {
            let recorder = Recorder::create(&data, &new_bundle(&start, &order.methodology.recorded_text()))?;
            screens::is_kept(run);
            note(&data, run, &opened, page.as_ref())?;
            bundle_on_target = start.environment.bundle_on_same_device.then(|| data.bundle_path(run));
            Keep::Bundle { data, recorder }
        }
    };
    opened.look_again()?;
    let OpenedIo { target, scratch, .. } = opened;
    let unseen = watching.unseen(&start.environment.target.devices).then(findings::others_not_watched);
    let opening = site.smaller().into_iter().chain(book.as_mut().and_then(Book::found)).chain(unseen).collect();
    let (sink, folders) = (trace.as_ref().map(TraceFile::sink), made.folders);
    let engine = Options { trace: sink, folders, placement, other, ..order.engine };
    let (clock, group, company) = match order.part {
        Some(Part { clock, group, company, .. }) => (Some(clock), Some(group), Some(company)),
        // What a condition costs in CPU time is on record, so that a page of several can show it at any time.
        None => (None, None, order.under.is_some().then(|| Company::new(None))),
    };
    let folders = made.owners;
    let care = Care { scratch, folders, bundle_on_target, trace: trace.clone(), opening, group, company, book };
    let (start, show, history) = (Start::New(start), order.show, None);
    // Without a keyboard nobody answers, and a load alone is too short to be asked about.
    let asks = !order.yes && show != Show::Load && std::io::IsTerminal::is_terminal(&std::io::stdin());
    let ready = Ready { run, keep, start, target, care, engine, watching, page, show, stop, history, asks, clock };
    Ok(Some(Prepared { ready, trace }))
}

/// Leaves word for `resume`, should this process be killed: of the file that was made or named, and of the page.
fn note(data: &DataDir, run: RunId, opened: &OpenedIo, page: Option<&Wish>) -> Result<()> {
    match &opened.scratch {
        Some(scratch) => notes::write_scratch(data, run, scratch)?,
        None if opened.facts.kind == TargetKind::NamedFile => {
            notes::write_named_file(data, run, opened.target.path())?;
        }
        None => {}
    }
    page.map_or(Ok(()), |page| notes::write_page(data, run, page))
}

/// What the run is measured in and under.
///
/// # Errors
/// Of a check, drive facts of the user's own that are wrong.
fn environment(
    context: &Context,
    (order, plan): (&Order<'_>, &Plan),
    opened: &OpenedIo,
    (data, source): (Option<&DataDir>, Option<Box<FileSource>>),
) -> Result<Environment> {
    let mut environment = opened.environment(data.map(DataDir::root));
    environment.ceilings = context.ceilings_of(&environment.testbed);
    environment.watching_cost = context.watching_cost_of(&environment.target.devices);
    environment.condition = order.under.as_ref().map(|under| under.set_up.facts().clone());
    environment.source = source;
    if order.sample {
        environment.content = checked::sample(plan, &opened.target, context.settings.voice).map(Box::new);
        environment.drive_facts = checked::facts(context, environment.probe.as_deref())?.map(Box::new);
    }
    let sheet = data_sheet::of(context, &environment.target.devices, order.facts);
    let unread = |error: &Failure| {
        context.settings.voice.warn(format!("without the figures that are printed of the drive: {}", error.message));
    };
    environment.data_sheet = sheet.inspect_err(unread).ok().flatten().map(Box::new);
    Ok(environment)
}

/// What can be refused before the target is opened; gives the page that is wanted.
///
/// # Errors
/// CPUs that this process may not use (exit 9), and files that cannot be written.
pub(super) fn check(order: &Order<'_>, plan: &Plan) -> Result<Option<Wish>> {
    check_cpus(plan)?;
    order.trace.map_or(Ok(()), TraceFile::check)?;
    order.page.map(|(output, redact)| wish(output, redact)).transpose()
}

/// Where the order measures: what was set up for it, or what the user named.
fn survey(order: &Order<'_>, destroy: &Destroy) -> Result<Site> {
    let (methodology, form, size) = (order.methodology, order.form, order.size);
    let Some(Under { set_up, .. }) = order.under.as_ref().filter(|under| under.is_device()) else {
        let purpose = if order.under.is_some() { Purpose::OnOwn } else { Purpose::Measure { destroy } };
        return target::survey(order.place()?, methodology, form, size, purpose);
    };
    let target = set_up.target()?;
    // A span that the user named is tested whole.
    let size = set_up.facts().asked.span.map(|_| target.length()).or(size);
    target::survey_set_up(target, methodology, form, size)
}

/// On a device the data state that was asked for stands in the place of the methodology's own preparation.
fn under_data_state(plan: Plan, order: &Order<'_>, site: &Site) -> Plan {
    let state = order.under.as_ref().map(|under| under.set_up.facts().asked.data_state).unwrap_or_default();
    if site.makes_scratch { plan } else { drivelab_conditions::with_data_state(plan, state, order.guess.throughput) }
}

impl Under<'_> {
    fn is_device(&self) -> bool {
        matches!(self.set_up.place(), Where::Device(_))
    }
}

/// Refuses CPUs that this process may not run on before anything is made, and not when the filled target waits for
/// them.
fn check_cpus(plan: &Plan) -> Result<()> {
    let mut loads = plan.steps().filter_map(Step::workload).flat_map(Workload::groups);
    loads
        .try_for_each(|load| drivelab_engine::check_cpus(&load.placement.cpus))
        .map_err(|why| Failure::new(ExitCode::HostNotFit, why))
}

fn new_bundle<'a>(start: &'a RunStarted, methodology_toml: &'a str) -> NewBundle<'a> {
    NewBundle {
        run: start.run,
        started: &start.started,
        tool: &start.tool,
        plan: &start.plan,
        environment: &start.environment,
        methodology_toml,
    }
}

/// The page that is wanted, checked before time is spent on measuring for it.
fn wish(output: &Path, redact: bool) -> Result<Wish> {
    format_of(output)?;
    let path = OutputFile::check(output)?.path().to_owned();
    Ok(Wish { path, redact })
}
