//! What is watched beside a measurement: from flags and settings to sources, and from sources to a sampler.

use std::sync::Arc;

use drivelab_core::clock::{RunClock, StopToken};
use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::exit::ExitCode;
use drivelab_core::plan::Plan;
use drivelab_core::telemetry::Observer;
use drivelab_core::units::Nanos;
use drivelab_device::Roots;
use drivelab_telemetry::{Found, Rates, Sampler, SamplerOptions, Wanted, discover};

use crate::args::{TelemetryArgs, TelemetryChoice};
use crate::context::Context;
use crate::fail::{Failure, Result};
use crate::lab::inhibit::Inhibitor;

/// Runs that are shorter need no lock against suspends: they are over before a machine goes to sleep.
const INHIBIT_FROM: Nanos = Nanos::from_secs(10);

/// Sources, open and ready.
pub struct Watching {
    found: Found,
    always: bool,
    expected: Nanos,
}

/// What is watched, and what must last as long.
#[derive(Default)]
pub struct Watched {
    /// For the session.
    pub observer: Option<Box<dyn Observer>>,
    /// Keeps the machine awake.
    pub inhibitor: Option<Inhibitor>,
}

impl Watching {
    /// Opens what the user wants for the disks below a target. `expected` is how long the run will take.
    ///
    /// # Errors
    /// Exit 2 where the user's own meter cannot be used.
    pub fn open(
        context: &Context,
        arguments: &TelemetryArgs,
        devices: &[BlockDeviceFacts],
        expected: Nanos,
    ) -> Result<Option<Self>> {
        let Some(rates) = rates_for(context, arguments)? else { return Ok(None) };
        let disks = devices.iter().map(|device| device.name.clone()).collect();
        let found = discover(&Roots::default(), &wanted(arguments, disks, rates));
        let found = found.map_err(|error| Failure::usage(format!("the meter cannot be used: {error}")))?;
        check_power_log(arguments, &found)?;
        limit_can_be_held(arguments, &found)?;
        Ok(Some(Watching { found, always: arguments.telemetry_always, expected }))
    }

    /// Refuses what [`Watching::open`] and [`check`] would refuse of the drive, before anything is opened, measured or
    /// said. No meter of the user's is touched: a command would run twice, and what writes into a pipe would end.
    ///
    /// # Errors
    /// Exit 2 for flags that contradict each other; exit 6 for a power log, a limit, or a wait for a temperature that
    /// the drive cannot give.
    pub fn look(
        context: &Context,
        arguments: &TelemetryArgs,
        devices: &[BlockDeviceFacts],
        plan: Option<&Plan>,
    ) -> Result<()> {
        let waits = plan.is_some_and(|plan| plan.steps().any(|step| step.cool_downs().next().is_some()));
        let Some(rates) = rates_for(context, arguments)? else { return plan.map_or(Ok(()), |plan| check(plan, None)) };
        let TelemetryArgs { power_log, abort_above_c, .. } = *arguments;
        let needs_thermometer = arguments.temperature_file.is_none() && (waits || abort_above_c.is_some());
        if !power_log && !needs_thermometer {
            return Ok(());
        }
        let disks = devices.iter().map(|device| device.name.clone()).collect();
        let wanted = Wanted { disks, rates, power_log, abort_above_c, ..Wanted::default() };
        let found = discover(&Roots::default(), &wanted);
        let found = found.map_err(|error| Failure::usage(format!("the meter cannot be used: {error}")))?;
        check_power_log(arguments, &found)?;
        if !needs_thermometer {
            return Ok(());
        }
        limit_can_be_held(arguments, &found)?;
        let watching = Watching { found, always: false, expected: Nanos::new(0) };
        plan.map_or(Ok(()), |plan| check(plan, Some(&watching)))
    }

    /// Begins to sample on the run's clock.
    pub fn start(self, clock: Arc<dyn RunClock>, stop: StopToken) -> Watched {
        let Watching { found, always, expected } = self;
        let Found { sources, mut remarks, no_power_log: _, abort_above } = found;
        let inhibitor = (expected >= INHIBIT_FROM).then(|| Inhibitor::take("a drive is being measured"));
        let inhibitor = inhibitor.and_then(|taken| match taken {
            Ok(held) => Some(held),
            Err(error) => {
                remarks.push(format!("suspends of the machine are not inhibited: {error}"));
                None
            }
        });
        let options = SamplerOptions { always, abort_above, remarks };
        let observer: Box<dyn Observer> = Box::new(Sampler::start(sources, clock, stop, options));
        Watched { observer: Some(observer), inhibitor }
    }
}

/// Refuses to go on without the drive's own power measurement where it was asked for.
///
/// # Errors
/// Exit 6, with the reason and what to do.
pub fn check_power_log(arguments: &TelemetryArgs, found: &Found) -> Result<()> {
    if !arguments.power_log || found.has_power_log() {
        return Ok(());
    }
    let why = found.no_power_log.join("; ");
    Err(Failure::new(
        ExitCode::TargetUnusable,
        format!(
            "--power-log cannot be done: {why}; leave it out, or connect a meter with --power-command or --power-file \
             (docs/telemetry.md)"
        ),
    ))
}

/// Refuses a temperature limit where nothing tells a temperature.
///
/// # Errors
/// Exit 6, with what to do.
pub fn limit_can_be_held(arguments: &TelemetryArgs, found: &Found) -> Result<()> {
    let Some(limit) = arguments.abort_above_c.filter(|_| !found.has_thermometer()) else { return Ok(()) };
    Err(Failure::new(
        ExitCode::TargetUnusable,
        format!(
            "--abort-above-c {limit} cannot be held: nothing here tells the drive's temperature; load its sensor (SATA: \
             `modprobe drivetemp`), name a thermometer with --temperature-file, or leave the limit out"
        ),
    ))
}

/// Refuses a plan that waits for a temperature which nothing tells, before anything is made.
///
/// # Errors
/// Exit 6, with what to do.
pub fn check(plan: &Plan, watching: Option<&Watching>) -> Result<()> {
    let Some(step) = plan.steps().find(|step| step.cool_downs().next().is_some()) else { return Ok(()) };
    if watching.is_some_and(|watching| watching.found.has_thermometer()) {
        return Ok(());
    }
    Err(Failure::new(
        ExitCode::TargetUnusable,
        format!(
            "'{}' waits until the drive is cool, and nothing here tells its temperature; load the drive's sensor (SATA: \
             `modprobe drivetemp`), name a thermometer with --temperature-file, or do not switch telemetry off",
            step.label
        ),
    ))
}

/// The rates that are wanted; nothing where telemetry is off, and with it everything that needs it.
fn rates_for(context: &Context, arguments: &TelemetryArgs) -> Result<Option<Rates>> {
    let choice = arguments.telemetry.unwrap_or(context.settings.telemetry.value);
    match (rates(choice), refused_without(arguments)) {
        (None, Some(flag)) => {
            Err(Failure::usage(format!("{flag} has no effect with --telemetry off; leave one of them out")))
        }
        (rates, _) => Ok(rates),
    }
}

/// The rates of a choice; `None` for off.
pub fn rates(choice: TelemetryChoice) -> Option<Rates> {
    match choice {
        TelemetryChoice::Off => None,
        TelemetryChoice::Default => Some(Rates::default()),
        TelemetryChoice::Every(every) => Some(Rates::all(every)),
    }
}

/// What flags ask for.
pub fn wanted(arguments: &TelemetryArgs, disks: Vec<String>, rates: Rates) -> Wanted {
    Wanted {
        disks,
        rates,
        power_log: arguments.power_log,
        power_command: arguments.power_command.clone(),
        power_file: arguments.power_file.clone(),
        temperature_file: arguments.temperature_file.clone(),
        abort_above_c: arguments.abort_above_c,
    }
}

/// A flag that asks for something that is off.
fn refused_without(arguments: &TelemetryArgs) -> Option<&'static str> {
    let asked = [
        (arguments.power_log, "--power-log"),
        (arguments.power_command.is_some(), "--power-command"),
        (arguments.power_file.is_some(), "--power-file"),
        (arguments.temperature_file.is_some(), "--temperature-file"),
        (arguments.abort_above_c.is_some(), "--abort-above-c"),
        (arguments.telemetry_always, "--telemetry-always"),
    ];
    asked.into_iter().find_map(|(asked, flag)| asked.then_some(flag))
}
