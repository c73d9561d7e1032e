//! `drivelab doctor`: what load this host can generate, and what limits it.
//!
//! Owns the sequence and how it is printed. `ceilings` measures, `kept` decides what is stored, `analysis::host` words
//! the findings, and `device` provides the facts.

mod ceilings;
mod kept;

use std::fmt::Write;

use drivelab_analysis::host::host_findings;
use drivelab_core::ceilings::Ceiling;
use drivelab_core::environment::{BlockDeviceFacts, TestbedFacts};
use drivelab_core::exit::ExitCode;
use drivelab_core::finding::{Finding, Severity};
use drivelab_engine::BackendChoice;
use drivelab_lab::target::naming::place_of;
use drivelab_lab::{Failure, Result};
use serde::Serialize;

use crate::args::DoctorArgs;
use crate::context::Context;
use crate::say;

/// Name and version of the JSON document.
const SCHEMA: &str = "drivelab.doctor";
const SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct Document<'a> {
    schema: &'static str,
    schema_version: u32,
    testbed: &'a TestbedFacts,
    devices: &'a [BlockDeviceFacts],
    ceilings: &'a [Ceiling],
    findings: &'a [Finding],
}

/// Runs the command.
///
/// # Errors
/// The target does not exist, or nothing can be issued on this host.
pub fn doctor(context: &Context, arguments: &DoctorArgs) -> Result {
    let voice = &context.settings.voice;
    let devices = devices(arguments)?;
    let mut testbed = drivelab_device::testbed_facts_with_a_look();
    if let Some(host) = &mut testbed.host {
        host.io_uring_refused = drivelab_engine::check(BackendChoice::Uring).err().map(|error| error.to_string());
    }
    let ceilings =
        if arguments.no_measure { Vec::new() } else { ceilings::measure(arguments.time, testbed.cpus, voice) };
    let findings = host_findings(&testbed, &devices);
    if arguments.json {
        let (ceilings, findings) = (&ceilings, &findings);
        say::json(&Document {
            schema: SCHEMA,
            schema_version: SCHEMA_VERSION,
            testbed: &testbed,
            devices: &devices,
            ceilings,
            findings,
        })?;
    } else {
        say::data(&text(&testbed, &devices, &ceilings, &findings))?;
    }
    let is_fit = ceilings.iter().any(|ceiling| ceiling.iops.is_some());
    if is_fit && !arguments.no_save {
        kept::keep(context, &testbed, ceilings);
    } else if !is_fit && !arguments.no_measure {
        let why = ceilings.first().and_then(|ceiling| ceiling.error.clone()).unwrap_or_default();
        return Err(Failure::new(ExitCode::HostNotFit, format!("this host issued no operation at all: {why}")));
    }
    Ok(ExitCode::Ok)
}

/// The block devices below the target.
fn devices(arguments: &DoctorArgs) -> Result<Vec<BlockDeviceFacts>> {
    let Some(target) = &arguments.target else { return Ok(Vec::new()) };
    place_of(target)?.devices()
}

fn text(testbed: &TestbedFacts, devices: &[BlockDeviceFacts], ceilings: &[Ceiling], findings: &[Finding]) -> String {
    let mut text = String::new();
    facts(&mut text, testbed);
    for device in devices {
        let of = |value: &Option<String>| value.clone().unwrap_or_else(|| "unknown".to_owned());
        let requests = device.nr_requests.map_or_else(|| "unknown".to_owned(), |requests| requests.to_string());
        let scheduler = of(&device.scheduler);
        row(&mut text, &device.name, &format!("{}, scheduler {scheduler}, nr_requests {requests}", of(&device.model)));
    }
    table(&mut text, ceilings);
    if findings.is_empty() {
        text.push_str("\nNothing was found that would keep this host from measuring.\n");
    }
    for finding in findings {
        let mark = if finding.severity == Severity::Note { "note" } else { "warning" };
        let _ = write!(text, "\n{mark}: {}\n", finding.statement);
        if !finding.likely_cause.is_empty() {
            let _ = writeln!(text, "  why:  {}", finding.likely_cause);
        }
        let _ = writeln!(text, "  fix:  {}", finding.next_action);
    }
    text
}

fn row(text: &mut String, name: &str, value: &str) {
    let _ = writeln!(text, "{name:<14} {value}");
}

fn facts(text: &mut String, testbed: &TestbedFacts) {
    let or_unknown = |value: &Option<String>| value.clone().unwrap_or_else(|| "unknown".to_owned());
    row(text, "CPU", &format!("{}, {} CPUs", or_unknown(&testbed.cpu_model), testbed.cpus));
    row(text, "kernel", &testbed.kernel);
    row(text, "governor", &or_unknown(&testbed.governor));
    row(text, "runs under", testbed.hypervisor.as_deref().unwrap_or("nothing: bare metal, as far as can be seen"));
    let Some(host) = &testbed.host else { return };
    let counter = if host.constant_tsc { "constant" } else { "not guaranteed constant" };
    row(text, "clock", &format!("{} (time-stamp counter {counter})", or_unknown(&host.clock_source)));
    let limit = match host.memlock {
        _ if host.may_lock_all => "unlimited for this user".to_owned(),
        None => "unlimited".to_owned(),
        Some(limit) => limit.about(),
    };
    row(text, "io_uring", host.io_uring_refused.as_deref().unwrap_or("allowed"));
    row(text, "memlock", &limit);
    let reserved = host.huge_pages_free.unwrap_or(0);
    let pages = or_unknown(&host.transparent_huge_pages);
    row(text, "huge pages", &format!("transparent: {pages}; reserved and free: {reserved}"));
    if let Some(interrupts) = host.interrupts_per_second {
        row(text, "interrupts", &format!("{interrupts:.0} per second"));
    }
    let busy = testbed.cpu_busy.map_or_else(|| "unknown".to_owned(), |busy| format!("{:.0} %", 100.0 * busy));
    let stolen = testbed.cpu_stolen.map_or_else(String::new, |stolen| format!(", {:.0} % stolen", 100.0 * stolen));
    row(text, "CPUs busy", &format!("{busy} with other work{stolen}; load {:.2}", testbed.load_average_1m));
}

fn table(text: &mut String, ceilings: &[Ceiling]) {
    if ceilings.is_empty() {
        return;
    }
    let _ = writeln!(
        text,
        "\n{:<44} {:>12} {:>9} {:>9} {:>9} {:>8}",
        "What this host can generate (4 KiB)", "kIOPS", "user ns", "kernel ns", "per call", "spread"
    );
    for ceiling in ceilings {
        let Some(iops) = ceiling.iops else {
            let _ = writeln!(text, "{:<44} {}", ceiling.name, ceiling.error.as_deref().unwrap_or("not measured"));
            continue;
        };
        let spread = 100.0 * ceiling.spread;
        let _ = writeln!(
            text,
            "{:<44} {:>12.0} {:>9.1} {:>9.1} {:>9.1} {spread:>6.0} %",
            ceiling.name,
            iops / 1e3,
            ceiling.user_ns_per_io,
            ceiling.system_ns_per_io,
            ceiling.operations_per_syscall
        );
    }
    if let Some(iops) = ceilings.iter().find(|ceiling| ceiling.is_bound).and_then(|ceiling| ceiling.iops) {
        let _ = writeln!(
            text,
            "A drive that does more than {:.0} kIOPS at 4 KiB needs more than one thread on this host, or is limited by the host.",
            iops / 1e3
        );
    }
    if !kept::calm(ceilings) {
        text.push_str("The rounds differ by more than 20 %: the host was busy, and these are lower bounds.\n");
    }
}
