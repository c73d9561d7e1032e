//! A new run, from the inspection of its target to its result: the one path of every command that measures.

use std::sync::Arc;

use drivelab_analysis::findings;
use drivelab_core::clock::{RunClock, StopToken};
use drivelab_core::environment::{Environment, FileSource, TargetKind};
use drivelab_core::event::{EVENT_VERSION, RunStarted};
use drivelab_core::exit::ExitCode;
use drivelab_core::ids::RunId;
use drivelab_core::plan::Plan;
use drivelab_core::target::PlacementHandles;
use drivelab_device::guard::Destroy;
use drivelab_engine::Options;
use drivelab_session::Start;
use drivelab_store::{DataDir, NewBundle, Recorder, write_label};

use crate::failure::{Failure, Result};
use crate::lab::Lab;
use crate::order::measurement::{Order, Part, Under};
use crate::order::show::Show;
use crate::output::pages::Wish;
use crate::plan::{check, data_sheet, dry_run, endurance, expand};
use crate::run::company::Company;
use crate::run::drive_state::Book;
use crate::run::execute::execute;
use crate::run::trace_file::TraceFile;
use crate::run::wiring::{Keep, Wiring};
use crate::run::{notes, sample};
use crate::set_up::files;
use crate::set_up::watching::{self, Watching};
use crate::target::opened::{Needs, OpenedIo, Wanted};
use crate::target::site::{self, Purpose, Site};
use crate::target::{consent, other_namespace, placing, unmounted};

/// A recorded run that may begin: its target is open, and nothing has been measured.
pub struct Prepared {
    wiring: Wiring,
    trace: Option<TraceFile>,
}

impl Prepared {
    /// Measures, and shows the result.
    ///
    /// # Errors
    /// The outcome as an exit code.
    pub fn carry_out(self, lab: &Lab<'_>) -> Result {
        let done = execute(lab, self.wiring);
        // The result of the load comes first.
        let traced = self.trace.map_or(Ok(()), |trace| trace.finish(lab.voice));
        done.and_then(|code| traced.map(|()| code))
    }
}

/// Inspects, plans, opens, records, measures, and shows the result.
///
/// # Errors
/// The reason why the run cannot be done; every refusal comes before anything is created.
pub fn carry_out(lab: &Lab<'_>, order: Order<'_>) -> Result {
    let stop = order.under.as_ref().map(|under| under.stop.clone()).unwrap_or_default();
    if order.under.is_none() {
        lab.front.watch(vec![stop.clone()]);
    }
    match prepare(lab, order, stop)? {
        Some(prepared) => prepared.carry_out(lab),
        None => Ok(ExitCode::Ok),
    }
}

/// Everything before the first step: inspects, plans, opens, records. `None` if the order only asks what would be
/// done.
///
/// # Errors
/// As for [`carry_out`].
pub fn prepare(lab: &Lab<'_>, order: Order<'_>, stop: StopToken) -> Result<Option<Prepared>> {
    if order.dry_run {
        return dry_run::one(lab, &order).map(|_| None);
    }
    let voice = lab.voice;
    let Surveyed { destroy, mut site, plan, page, placement } = surveyed(lab, &order)?;
    let known = order.under.as_ref().map(|under| under.run).or_else(|| order.part.as_ref().map(|part| part.run));
    let run = known.unwrap_or_else(|| lab.wall.run_id());
    // The plan knows the length of a scratch file that drivelab creates; an existing target has its own size.
    let size = if site.makes_scratch { Some(site.length) } else { order.size };
    let wanted = Wanted { run, needs: Needs::of_plan(&plan), destroy: &destroy, size, own: order.under.is_some() };
    let data = if order.save { Some(lab.data()?) } else { None };
    let opened = site.open(&wanted, voice)?;
    let other = other_namespace::open(&plan, &opened.facts)?;
    let mut made = files::make(&plan, site.place.folder(), order.source, run, voice)?;
    let environment = environment(lab, (&order, &plan), &opened, (data.as_ref(), made.source.take()))?;
    let reads_other = other_namespace::remark(&plan);
    site.remarks().iter().chain(&opened.remarks).chain(&reads_other).for_each(|remark| voice.say(remark));
    lab.front.found(&environment, &plan, order.show);
    if stop.is_stopped() {
        return Err(Failure::new(ExitCode::Interrupted, "stopped before anything was measured; nothing was stored"));
    }
    let watching = Watching::open(lab, order.telemetry, &environment.target.devices, plan.estimated_time())?;
    watching::check(&plan, Some(&watching))?;
    let trace = order.trace.map(TraceFile::make).transpose()?;
    let started = order.part.as_ref().map_or_else(|| lab.now(), |part| part.started.clone());
    let start = RunStarted { event_version: EVENT_VERSION, run, started, tool: lab.tool.clone(), plan, environment };
    let strange = order.under.is_some().then_some("it was set up for this run");
    let mut book = Book::open(&opened, data.as_ref(), run, strange);
    let keep = match data {
        None => Keep::Memory,
        Some(data) => {
            let recorder = Recorder::create(&data, &new_bundle(&start, &order.methodology.recorded_text()))?;
            lab.front.is_kept(run);
            note(&data, run, &opened, page.as_ref())?;
            write_label(&data, run, order.label)?;
            Keep::Bundle { data, recorder }
        }
    };
    opened.target.look_again()?;
    let unseen = watching.unseen(&start.environment.target.devices).then(findings::others_not_watched);
    let opening = site.smaller().into_iter().chain(book.as_mut().and_then(Book::found)).chain(unseen).collect();
    let engine = Options { trace: trace.as_ref().map(TraceFile::sink), placement, other, ..order.engine };
    let (clock, group, company) = match order.part {
        Some(Part { clock, group, company, .. }) => {
            (Some(Arc::new(clock) as Arc<dyn RunClock>), Some(group), Some(company))
        }
        // The CPU time that a condition costs is recorded, so that a comparison page can show it later.
        None => (None, None, order.under.is_some().then(|| Company::new(None))),
    };
    // A single load is too short to ask for confirmation.
    let asks = !order.yes && order.show != Show::Load;
    let wiring = Wiring {
        run,
        keep,
        start: Start::New(start),
        opened,
        made,
        engine,
        watching,
        clock,
        book,
        group,
        company,
        trace: trace.clone(),
        opening,
        page,
        show: order.show,
        stop,
        history: None,
        asks,
    };
    Ok(Some(Prepared { wiring, trace }))
}

/// The inspected target of an order and its plan, before anything is opened.
struct Surveyed {
    destroy: Destroy,
    site: Site,
    plan: Plan,
    page: Option<Wish>,
    placement: Option<PlacementHandles>,
}

/// Asks, inspects and plans: every refusal comes before anything is opened or created.
fn surveyed(lab: &Lab<'_>, order: &Order<'_>) -> Result<Surveyed> {
    unmounted::ask(lab, order, &*order.place()?)?;
    let destroy = consent::of(lab.front, order)?;
    let site = survey(order, &destroy)?;
    let how = (order.form, order.guess);
    let plan = expand::plan(order.methodology, how, &site, Some(order.telemetry), &order.words)?;
    let plan = under_data_state(plan, order, &site);
    files::check(order, &plan, &site)?;
    let page = check::check(order, &plan)?;
    let placement = placing::of(&plan, &*site.place, order.engine.backend)?;
    if order.part.is_none() && order.under.is_none() {
        endurance::ask((lab, order.facts), site.below(), plan.estimated_written(), order.yes)?;
    }
    Watching::look(lab, order.telemetry, &site.devices, Some(&plan))?;
    Ok(Surveyed { destroy, site, plan, page, placement })
}

/// Stores notes for `resume`, in case this process is killed: the created or named file, and the page.
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

/// The environment of the run.
///
/// # Errors
/// For a buyer's check: the user's own drive facts are wrong.
fn environment(
    lab: &Lab<'_>,
    (order, plan): (&Order<'_>, &Plan),
    opened: &OpenedIo,
    (data, source): (Option<&DataDir>, Option<Box<FileSource>>),
) -> Result<Environment> {
    let mut environment = opened.environment(data.map(DataDir::root));
    environment.ceilings = lab.ceilings_of(&environment.testbed);
    lab.name_testbed(&mut environment.testbed);
    environment.watching_cost = lab.watching_cost_of(&environment.target.devices);
    environment.condition = order.under.as_ref().map(|under| under.set_up.facts().clone());
    environment.source = source;
    if order.sample {
        environment.content = sample::sample(plan, &*opened.target, lab.voice).map(Box::new);
        environment.drive_facts = sample::facts(lab, environment.probe.as_deref())?.map(Box::new);
    }
    let sheet = data_sheet::of(lab, &environment.target.devices, order.facts);
    let unread = |error: &Failure| {
        lab.voice.warn(format!("the published figures of the drive are left out: {}", error.message));
    };
    environment.data_sheet = sheet.inspect_err(unread).ok().flatten().map(Box::new);
    Ok(environment)
}

/// The place where the order measures: the conditions that were set up, or the target that the user named.
fn survey(order: &Order<'_>, destroy: &Destroy) -> Result<Site> {
    let (methodology, form, size) = (order.methodology, order.form, order.size);
    let Some(Under { set_up, .. }) = order.under.as_ref().filter(|under| under.is_device()) else {
        let purpose = if order.under.is_some() { Purpose::OnOwn } else { Purpose::Measure { destroy } };
        return site::survey(order.place()?, methodology, form, size, purpose);
    };
    let target = set_up.target()?;
    // A span that the user named is tested completely.
    let size = set_up.facts().asked.span.map(|_| target.length()).or(size);
    site::survey_set_up(target, methodology, form, size)
}

/// On a device, the requested data state replaces the methodology's own preparation.
fn under_data_state(plan: Plan, order: &Order<'_>, site: &Site) -> Plan {
    let state = order.under.as_ref().map(|under| under.set_up.facts().asked.data_state).unwrap_or_default();
    if site.makes_scratch { plan } else { drivelab_conditions::with_data_state(plan, state, order.guess.throughput) }
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
