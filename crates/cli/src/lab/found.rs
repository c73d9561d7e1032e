//! Says what was found before a run: target, device, testbed, and what may disturb the result.

use drivelab_core::environment::{BlockDeviceFacts, Environment};
use drivelab_core::finding::{Finding, Severity};
use drivelab_core::plan::Plan;
use drivelab_report::format;

use crate::commands::measure::GUESS;
use crate::say::Voice;

/// Prints the facts and the warnings.
pub fn say(voice: Voice, environment: &Environment, plan: &Plan, disturbances: &[Finding]) {
    let target = &environment.target;
    let fs = &target.file_system;
    let testbed = &environment.testbed;
    voice.say(format!("Target    {} ({})", target.path.display(), format::bytes(target.length)));
    voice.say(format!(
        "          {} on {}, mounted at {}, {} free; direct I/O: {}",
        fs.kind,
        fs.source,
        fs.mount_point.display(),
        format::bytes(fs.free),
        target.direct_io.reason
    ));
    for device in &target.devices {
        voice.say(format!("Device    {}", describe(device)));
    }
    voice.say(format!(
        "Testbed   {}, {} CPUs, governor {}, {} RAM, Linux {}",
        testbed.cpu_model.as_deref().unwrap_or("unknown CPU"),
        testbed.cpus,
        testbed.governor.as_deref().unwrap_or("not known"),
        format::bytes(testbed.memory),
        testbed.kernel
    ));
    voice.say(format!(
        "          board {}, {}",
        testbed.board.as_deref().unwrap_or("not known"),
        testbed.hypervisor.as_deref().map_or("bare metal as far as can be told".to_owned(), |h| format!("under {h}"))
    ));
    voice.say(format!(
        "Method    {} ({} {}), form {}: about {}, writes about {} ({GUESS})",
        plan.title,
        plan.methodology.name,
        plan.methodology.version,
        plan.form.name(),
        format::duration(plan.estimated_time()),
        format::bytes(plan.estimated_written())
    ));
    if !disturbances.is_empty() {
        voice.say("What may disturb the result:");
    }
    for finding in disturbances {
        let mark = if finding.severity == Severity::Note { "-" } else { "!" };
        voice.say(format!("  {mark} {}", finding.statement));
        if !finding.next_action.is_empty() {
            voice.detail(format!("    {}", finding.next_action));
        }
    }
}

/// One device in a line.
fn describe(device: &BlockDeviceFacts) -> String {
    let mut parts = vec![device.name.clone()];
    parts.push(device.model.clone().unwrap_or_else(|| "model not known".to_owned()));
    parts.push(format::bytes(device.capacity));
    parts.push(device.link.as_ref().map_or_else(|| device.transport.clone(), |link| link.negotiated.clone()));
    if let Some(firmware) = &device.firmware {
        parts.push(format!("firmware {firmware}"));
    }
    if let Some(scheduler) = &device.scheduler {
        parts.push(format!("scheduler {scheduler}"));
    }
    if let Some(why) = &device.virtual_because {
        parts.push(format!("virtual: {why}"));
    }
    parts.join(", ")
}
