//! Telemetry of a measurement: from flags and settings to sources, and from sources to a sampler.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use drivelab_core::clock::{RunClock, StopToken};
use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::exit::ExitCode;
use drivelab_core::plan::Plan;
use drivelab_core::telemetry::Observer;
use drivelab_core::units::Nanos;
use drivelab_device::Roots;
use drivelab_telemetry::{AdapterError, Found, Rates, Sampler, SamplerOptions, Wanted, discover, suspended_s};

use crate::failure::{Failure, Result, input_code};
use crate::lab::Lab;
use crate::order::telemetry::{Telemetry, TelemetryChoice};
use crate::set_up::inhibit::Inhibitor;

/// Shorter runs need no lock against suspends: they end before a machine suspends.
const INHIBIT_FROM: Nanos = Nanos::from_secs(10);

/// Clock difference, in seconds, from which a suspend is reported. A suspend lasts for seconds; smaller differences
/// come from the time between two clock readings.
const SUSPENDED_S: f64 = 0.1;

/// Open sources; none without telemetry, but the machine is still kept awake.
pub struct Watching {
    /// `None` with `--telemetry off`.
    found: Option<Found>,
    always: bool,
    expected: Nanos,
}

/// What is watched, and what must last as long.
#[derive(Default)]
pub struct Watched {
    /// For the session.
    pub observer: Option<Box<dyn Observer>>,
    /// Remarks for the user that no record of the run will contain.
    pub remarks: Vec<String>,
    /// Keeps the machine awake.
    inhibitor: Option<Inhibitor>,
    /// Seconds for which the machine had been suspended when the run began, if no source watches this.
    suspended_before_s: Option<f64>,
}

impl Watched {
    /// Ends watching: the machine may suspend again. Returns a message if it was suspended during the run and no
    /// record shows it.
    pub fn end(self) -> Option<String> {
        drop(self.inhibitor);
        self.suspended_before_s.and_then(|before| slept(before, suspended_s()))
    }
}

/// The message for a machine that was suspended between two readings, in seconds since it booted.
fn slept(before_s: f64, after_s: f64) -> Option<String> {
    let seconds = after_s - before_s;
    (seconds > SUSPENDED_S).then(|| {
        format!(
            "the machine was suspended for {seconds:.1} s during this run: the drive lost power or slept, so results from that \
             time are not those of a continuously running drive; measure again. With --telemetry off no record shows this"
        )
    })
}

impl Watching {
    /// Opens the requested sources for the disks below a target. `expected` is the expected duration of the run. With
    /// `--telemetry off` nothing is read, but the machine is still kept awake.
    ///
    /// # Errors
    /// Exit 2 if the user's own meter cannot be used, exit 4 if its file does not exist.
    pub fn open(lab: &Lab<'_>, asked: &Telemetry, devices: &[BlockDeviceFacts], expected: Nanos) -> Result<Self> {
        let Some(rates) = rates_for(lab, asked)? else {
            return Ok(Watching { found: None, always: false, expected });
        };
        let disks = devices.iter().map(|device| device.name.clone()).collect();
        let found = discover(&Roots::default(), &wanted(asked, disks, rates));
        let found = found.map_err(|error| unusable_meter(asked, &error))?;
        check_power_log(asked, &found)?;
        limit_can_be_held(asked, &found)?;
        Ok(Watching { found: Some(found), always: asked.always, expected })
    }

    /// Refuses whatever [`Watching::open`] and [`check`] would refuse about the drive, before anything is opened,
    /// measured or printed. The user's own meter is not touched: a command would run twice, and a program that writes
    /// into a pipe would end.
    ///
    /// # Errors
    /// Exit 2 for flags that contradict each other; exit 6 for a power log, a temperature limit, or a wait for a
    /// temperature that the drive cannot provide.
    pub fn look(lab: &Lab<'_>, asked: &Telemetry, devices: &[BlockDeviceFacts], plan: Option<&Plan>) -> Result<()> {
        let waits = plan.is_some_and(|plan| plan.steps().any(|step| step.cool_downs().next().is_some()));
        let Some(rates) = rates_for(lab, asked)? else { return plan.map_or(Ok(()), |plan| check(plan, None)) };
        let Telemetry { power_log, abort_above_c, .. } = *asked;
        let needs_thermometer = asked.temperature_file.is_none() && (waits || abort_above_c.is_some());
        if !power_log && !needs_thermometer {
            return Ok(());
        }
        let disks = devices.iter().map(|device| device.name.clone()).collect();
        let wanted = Wanted { disks, rates, power_log, abort_above_c, ..Wanted::default() };
        let found = discover(&Roots::default(), &wanted);
        let found = found.map_err(|error| unusable_meter(asked, &error))?;
        check_power_log(asked, &found)?;
        if !needs_thermometer {
            return Ok(());
        }
        limit_can_be_held(asked, &found)?;
        let watching = Watching { found: Some(found), always: false, expected: Nanos::new(0) };
        plan.map_or(Ok(()), |plan| check(plan, Some(&watching)))
    }

    /// Begins to sample on the run's clock, and keeps the machine awake.
    pub fn start(self, clock: Arc<dyn RunClock>, stop: StopToken) -> Watched {
        let Watching { found, always, expected } = self;
        // Virtual time does not need the machine to stay awake.
        let lasts = expected >= INHIBIT_FROM && !clock.is_virtual();
        let inhibitor = lasts.then(|| Inhibitor::take("a drive is being measured"));
        let mut not_held = None;
        let inhibitor = inhibitor.and_then(|taken| {
            taken.map_err(|error| not_held = Some(format!("suspends of the machine are not inhibited: {error}"))).ok()
        });
        let Some(Found { sources, mut remarks, no_power_log: _, abort_above }) = found else {
            let remarks = not_held.into_iter().collect();
            return Watched { observer: None, remarks, inhibitor, suspended_before_s: Some(suspended_s()) };
        };
        remarks.extend(not_held);
        let options = SamplerOptions { always, abort_above, remarks };
        let observer: Box<dyn Observer> = Box::new(Sampler::start(sources, clock, stop, options));
        Watched { observer: Some(observer), inhibitor, ..Watched::default() }
    }

    /// Whether anything is sampled during the run: not with `--telemetry off`.
    #[must_use]
    pub const fn reads_anything(&self) -> bool {
        self.found.is_some()
    }

    /// Whether I/O of other programs on these devices would go unnoticed. A target that stores nothing has no
    /// devices.
    #[must_use]
    pub const fn unseen(&self, devices: &[BlockDeviceFacts]) -> bool {
        !self.reads_anything() && !devices.is_empty()
    }

    fn has_thermometer(&self) -> bool {
        self.found.as_ref().is_some_and(Found::has_thermometer)
    }
}

/// Refuses to continue without the drive's own power measurement if it was requested.
///
/// # Errors
/// Exit 6, with the reason and what to do.
pub fn check_power_log(asked: &Telemetry, found: &Found) -> Result<()> {
    if !asked.power_log || found.has_power_log() {
        return Ok(());
    }
    let why = found.no_power_log.join("; ");
    Err(Failure::new(
        ExitCode::TargetUnusable,
        format!(
            "--power-log is not available: {why}; leave it out, or connect a meter with --power-command or --power-file \
             (docs/telemetry.md)"
        ),
    ))
}

/// Refuses a temperature limit if no source reports a temperature.
///
/// # Errors
/// Exit 6, with what to do.
pub fn limit_can_be_held(asked: &Telemetry, found: &Found) -> Result<()> {
    let Some(limit) = asked.abort_above_c.filter(|_| !found.has_thermometer()) else { return Ok(()) };
    Err(Failure::new(
        ExitCode::TargetUnusable,
        format!(
            "--abort-above-c {limit} cannot be enforced: nothing here reports the drive's temperature; load its sensor (SATA: \
             `modprobe drivetemp`), name a thermometer with --temperature-file, or leave the limit out"
        ),
    ))
}

/// Refuses a plan that waits for a temperature which no source reports, before anything is created.
///
/// # Errors
/// Exit 6, with what to do.
pub fn check(plan: &Plan, watching: Option<&Watching>) -> Result<()> {
    let Some(step) = plan.steps().find(|step| step.cool_downs().next().is_some()) else { return Ok(()) };
    if watching.is_some_and(Watching::has_thermometer) {
        return Ok(());
    }
    Err(Failure::new(
        ExitCode::TargetUnusable,
        format!(
            "'{}' waits until the drive is cool, and nothing here reports its temperature; load the drive's sensor (SATA: \
             `modprobe drivetemp`), name a thermometer with --temperature-file, or do not switch telemetry off",
            step.label
        ),
    ))
}

/// The requested rates; `None` if telemetry is off. Flags that need telemetry are then refused.
fn rates_for(lab: &Lab<'_>, asked: &Telemetry) -> Result<Option<Rates>> {
    let choice = asked.choice.unwrap_or(lab.defaults.telemetry);
    match (rates(choice), refused_without(asked)) {
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

/// The failure for the user's own meter: a missing file, or any other error.
#[must_use]
pub fn unusable_meter(asked: &Telemetry, error: &AdapterError) -> Failure {
    let named = [&asked.power_file, &asked.temperature_file].into_iter().flatten();
    let missing =
        |path: &Path| std::fs::metadata(path).is_err_and(|error| input_code(&error) == ExitCode::NothingSelected);
    let code = if named.map(PathBuf::as_path).any(missing) { ExitCode::NothingSelected } else { ExitCode::Usage };
    Failure::new(code, format!("the meter cannot be used: {error}"))
}

/// The telemetry that the flags ask for.
pub fn wanted(asked: &Telemetry, disks: Vec<String>, rates: Rates) -> Wanted {
    Wanted {
        disks,
        rates,
        power_log: asked.power_log,
        power_command: asked.power_command.clone(),
        power_file: asked.power_file.clone(),
        temperature_file: asked.temperature_file.clone(),
        abort_above_c: asked.abort_above_c,
    }
}

/// A flag that needs telemetry although telemetry is off.
fn refused_without(asked: &Telemetry) -> Option<&'static str> {
    let flags = [
        (asked.power_log, "--power-log"),
        (asked.power_command.is_some(), "--power-command"),
        (asked.power_file.is_some(), "--power-file"),
        (asked.temperature_file.is_some(), "--temperature-file"),
        (asked.abort_above_c.is_some(), "--abort-above-c"),
        (asked.always, "--telemetry-always"),
    ];
    flags.into_iter().find_map(|(is_given, flag)| is_given.then_some(flag))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_that_slept_is_said_and_the_distance_of_two_readings_is_not() {
        assert_eq!((slept(7.0, 7.0), slept(7.0, 7.001), slept(7.001, 7.0)), (None, None, None));
        let said = slept(7.0, 39.5).expect("half a minute asleep");
        assert!(said.contains("suspended for 32.5 s") && said.contains("--telemetry off"), "{said}");
    }

    #[test]
    fn without_telemetry_the_clocks_are_held_against_each_other_and_nothing_else_is_read() {
        let off = Watching { found: None, always: false, expected: Nanos::from_secs(1) };
        assert!(!off.has_thermometer() && !off.reads_anything());
        let clock = Arc::new(drivelab_core::clock::MonotonicClock::starting_at(0));
        let watched = off.start(clock, StopToken::default());
        assert!(watched.observer.is_none() && watched.inhibitor.is_none(), "a run of a second needs no lock");
        let suspended = watched.suspended_before_s.expect("read before the run");
        let asleep = Watched { suspended_before_s: Some(suspended - 60.0), ..Watched::default() };
        assert!(asleep.end().is_some_and(|said| said.contains("suspended for")));
        assert_eq!(watched.end(), None);
    }
}
