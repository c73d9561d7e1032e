//! `drivelab replay`: plays a stored run through the same live view that showed it the first time.

use std::ops::ControlFlow;

use drivelab_core::clock::{MonotonicClock, RunClock, StopToken};
use drivelab_core::exit::ExitCode;
use drivelab_lab::{Failure, Result, Show, View};
use drivelab_report::{IoInput, ReportInput};
use drivelab_store::Bundle;

use crate::args::{PrintArgs, ReplayArgs};
use crate::context::Context;
use crate::front::terminal::{events_written, screens};
use crate::front::{outcome, signals};
use crate::say;

/// Runs the command.
///
/// # Errors
/// There is no such run, or it is damaged.
pub fn replay(context: &Context, arguments: &ReplayArgs) -> Result {
    if !(arguments.speed.is_finite() && arguments.speed >= 0.0) {
        return Err(Failure::usage("--speed takes a number of 0 or more; 0 does not wait"));
    }
    let row = context.find(&arguments.run)?;
    let bundle = Bundle::open(&context.data()?.bundle_path(row.id))?;
    // Nothing of a damaged run is shown.
    bundle.torn()?;
    let stop = StopToken::default();
    signals::watch(stop.clone());
    let print = PrintArgs { events: arguments.events, json: arguments.json, fail_if: Vec::new() };
    let (mut screens, unwritten) = screens(context, &print, &stop, View::Replay);
    let clock = MonotonicClock::starting_at(0);
    bundle.each_event(|event| {
        while arguments.speed > 0.0 && clock.now_ns() < due_ns(event.at_ns, arguments.speed) && !stop.is_stopped() {
            for screen in &mut screens {
                let _ = screen.listener.idle();
            }
            let redraw_ns = clock.now_ns() + 50_000_000;
            clock.sleep_until(redraw_ns.min(due_ns(event.at_ns, arguments.speed)), &stop);
        }
        if stop.is_stopped() || screens.is_empty() {
            return ControlFlow::Break(());
        }
        screens.retain_mut(|screen| screen.listener.event(&event).is_ok());
        ControlFlow::Continue(())
    })?;
    for screen in &mut screens {
        let _ = screen.listener.finish();
    }
    let whole = !stop.is_stopped() && arguments.events.is_none();
    if arguments.json || whole {
        let (records, analysis) = context.load(row.id)?;
        let input = ReportInput { records: &records, analysis: &analysis };
        match arguments.json {
            true => say::json(&drivelab_report::document(&[input])?)?,
            // As at the end of the run.
            false => outcome::text(context, &IoInput { run: input, saved: true }, Show::of(&records))?,
        }
    }
    events_written(&unwritten)?;
    Ok(if stop.is_stopped() { ExitCode::Interrupted } else { ExitCode::Ok })
}

/// When an event is shown, on the replay's clock.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a display time needs no better than microseconds"
)]
fn due_ns(at_ns: u64, speed: f64) -> u64 {
    (at_ns as f64 / speed) as u64
}
