//! `cargo xtask vm-test`: the shipped binary as root in a small Linux of its own, where a test may do anything.
//!
//! Owns: the sequence (kernel, binary, one VM for each scenario, verdicts) and what may be skipped. Must not know:
//! what a scenario measures; that is in its file under tests/vm/ and in `checks`.
//!
//! QEMU runs without KVM and in *virtual time* (`-icount`): each instruction of the guest takes 4 ns and waiting takes
//! no time at all. All clocks and timers inside agree with each other, and nothing else that the host does changes a
//! figure.

mod boot;
mod checks;
mod cpio;
mod emulator;
mod image;
mod kernel;
mod lacking;
mod qmp;
mod results;
mod scenario;

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;

use crate::setup;
use crate::shell::{cargo, command, is_installed, run as run_command, target_folder};
use boot::Ended;
use emulator::Emulator;
use kernel::Kernel;
use lacking::{Lacking, lacking};
use results::Results;
use scenario::Scenario;

/// Seconds that all scenarios together should take at most; downloading the kernel and building drivelab come before
/// that. On two processors they took 1,045 s (docs/how-it-is-tested.md).
const MOST_S: f64 = 1200.0;
/// The guest's kernel log, in the folder of a scenario.
const DMESG: &str = "results/dmesg";

/// What to run in virtual machines, and how.
#[derive(Debug, Args)]
pub(crate) struct VmTest {
    /// Scenarios by name; all of them if none is named
    #[arg(value_name = "NAME")]
    names: Vec<String>,
    /// Keep console, results and initramfs of scenarios that passed, too (target/vm-test/NAME)
    #[arg(long)]
    keep: bool,
    /// List the scenarios and their purposes, and do nothing
    #[arg(long)]
    list: bool,
    /// Boot this many machines concurrently [default: two for each processor of this one]
    #[arg(long, value_name = "COUNT")]
    jobs: Option<usize>,
    /// Use the build that the tests run, which exists after `cargo xtask check`, instead of the release build
    #[arg(long)]
    debug: bool,
}

/// How a scenario ended.
enum Verdict {
    Passed(Vec<String>),
    Skipped(String),
    Failed(anyhow::Error),
}

/// `cargo xtask vm-test`.
pub(crate) fn run(root: &Path, options: &VmTest) -> Result<()> {
    let all = scenario::all(root)?;
    if options.list {
        for scenario in &all {
            let by_hand = if scenario.by_hand { " (by hand: only where it is named)" } else { "" };
            println!("  {:<14} {}{by_hand}", scenario.name, scenario.about);
        }
        return Ok(());
    }
    let scenarios = chosen(all, &options.names)?;
    let begun = Instant::now();
    let lab = match Lab::prepare(root, options) {
        Ok(lab) => lab,
        Err(error) => {
            let why = skipped(error)?;
            println!("vm-test: skipped: {why}");
            return Ok(());
        }
    };
    let prepared = begun.elapsed().as_secs_f64();
    println!("vm-test: {} in QEMU without KVM, virtual time; ready after {prepared:.0} s", lab.kernel.version);
    let begun = Instant::now();
    let failed = lab.run_all(&scenarios, options);
    println!("{}", total(scenarios.len(), begun.elapsed().as_secs_f64()));
    ensure!(failed.is_empty(), "failed: {}. Repeat with: cargo xtask vm-test {}", failed.join(", "), failed.join(" "));
    Ok(())
}

/// How long it took; if it was above the limit, that too, which is not a failure: this machine may have had other
/// work.
fn total(scenarios: usize, seconds: f64) -> String {
    let told = format!("vm-test: {scenarios} scenarios, {seconds:.0} s");
    if seconds <= MOST_S {
        return told;
    }
    format!(
        "{told}\nvm-test: warning: that is more than the {MOST_S:.0} s that all scenarios are to take. If this machine \
         had no other work, one of them has grown: the times are above"
    )
}

/// The scenarios that were asked for; if none is named, all except those by hand.
fn chosen(all: Vec<Scenario>, names: &[String]) -> Result<Vec<Scenario>> {
    if let Some(unknown) = names.iter().find(|name| !all.iter().any(|scenario| scenario.name == **name)) {
        let known: Vec<&str> = all.iter().map(|scenario| scenario.name.as_str()).collect();
        bail!("no scenario is called {unknown}; there are: {}", known.join(", "));
    }
    let is_asked = |scenario: &Scenario| {
        if names.is_empty() { !scenario.by_hand } else { names.contains(&scenario.name) }
    };
    Ok(all.into_iter().filter(is_asked).collect())
}

/// In the order in which they are started; scenarios without a stated time, by name.
fn longest_first(scenarios: &[Scenario]) -> Vec<&Scenario> {
    let mut all: Vec<&Scenario> = scenarios.iter().collect();
    all.sort_by_key(|scenario| Reverse(scenario.takes_s));
    all
}

/// The reason for skipping, if the machine only lacks something that it may lack; otherwise the error.
fn skipped(error: anyhow::Error) -> Result<String> {
    match error.downcast_ref::<Lacking>() {
        Some(why) if why.optional || !setup::is_ci() => Ok(why.to_string()),
        _ => Err(error),
    }
}

/// What all scenarios share.
struct Lab<'a> {
    root: &'a Path,
    /// Where everything is kept: target/vm-test.
    folder: PathBuf,
    kernel: Kernel,
    /// The drivelab binary under test.
    binary: PathBuf,
}

impl<'a> Lab<'a> {
    /// Tools, kernel, binary.
    fn prepare(root: &'a Path, options: &VmTest) -> Result<Lab<'a>> {
        if !cfg!(target_arch = "x86_64") {
            return Err(lacking("the VM runs x86-64 programs, and this machine is another one"));
        }
        setup::prepare_for_vm(root)?;
        for program in [emulator::QEMU, kernel::SHELL] {
            if !is_installed(program) {
                return Err(lacking(format!("{program} is not installed: cargo xtask setup")));
            }
        }
        let target = target_folder(root);
        let folder = target.join("vm-test");
        let kernel = kernel::fetch(root, &folder.join("kernels"))?;
        let mut binary = build(root, &target, options.debug)?;
        if is_installed("strip") {
            binary = stripped(root, &binary, &folder.join("drivelab"))?;
        }
        Ok(Lab { root, folder, kernel, binary })
    }

    /// Runs all scenarios, some concurrently; returns the names of those that failed. A machine in virtual time uses
    /// one processor and does not depend on how much of it it gets; one with real waiting waits for about half of its
    /// time, and most are of this kind: so two for each processor.
    fn run_all<'s>(&self, scenarios: &'s [Scenario], options: &VmTest) -> Vec<&'s str> {
        let scenarios = longest_first(scenarios);
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        let next = AtomicUsize::new(0);
        let failed = Mutex::new(Vec::new());
        let work = || {
            while let Some(scenario) = scenarios.get(next.fetch_add(1, Ordering::Relaxed)) {
                let (passed, text) = self.report(scenario, options.keep);
                // One call for all of its lines, so that lines of others do not come between.
                println!("{text}");
                if let (false, Ok(mut failed)) = (passed, failed.lock()) {
                    failed.push(scenario.name.as_str());
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..options.jobs.unwrap_or(2 * processors).clamp(1, scenarios.len().max(1)) {
                scope.spawn(work);
            }
            work();
        });
        failed.into_inner().unwrap_or_default()
    }

    /// Runs one scenario: returns whether it did not fail, and what to print about it.
    fn report(&self, scenario: &Scenario, keep: bool) -> (bool, String) {
        let begun = Instant::now();
        let folder = self.folder.join(&scenario.name);
        let (outcome, again) = self.try_twice(scenario, &folder);
        let verdict = match outcome {
            Ok(figures) => Verdict::Passed(figures),
            Err(error) => match skipped(error) {
                Ok(why) => Verdict::Skipped(why),
                Err(error) => Verdict::Failed(error),
            },
        };
        let took = begun.elapsed().as_secs_f64();
        let told: Vec<String> = match &verdict {
            Verdict::Passed(figures) => {
                let head = format!("  ok      {:<14} {took:>6.1} s", scenario.name);
                std::iter::once(head).chain(figures.iter().map(|line| format!("          {line}"))).collect()
            }
            Verdict::Skipped(why) => vec![format!("  skipped: {}: {why}", scenario.name)],
            Verdict::Failed(error) => vec![
                format!("  FAILED  {:<14} {took:>6.1} s", scenario.name),
                indented(&format!("{error:#}")),
                indented(&kernel_log_end(&folder)),
                format!("  kept: {}", folder.display()),
            ],
        };
        let passed = !matches!(verdict, Verdict::Failed(_));
        if passed && !keep {
            // A leftover that cannot be removed does no harm: the next run overwrites it.
            let _ = std::fs::remove_dir_all(&folder);
        }
        (passed, again.into_iter().chain(told).collect::<Vec<_>>().join("\n"))
    }

    /// Runs a scenario, and once more if the emulated drive lost a command; returns what to print about the first time.
    fn try_twice(&self, scenario: &Scenario, folder: &Path) -> (Result<Vec<String>>, Option<String>) {
        let outcome = self.try_one(scenario, folder);
        let Err(first) = &outcome else { return (outcome, None) };
        let Some(line) = lost_command(&last_lines(&folder.join(DMESG), usize::MAX)) else { return (outcome, None) };
        let kept = self.folder.join(format!("{}.first", scenario.name));
        let _ = std::fs::remove_dir_all(&kept);
        let kept =
            if std::fs::rename(folder, &kept).is_ok() { kept.display().to_string() } else { "nothing".to_owned() };
        let again = format!(
            "  again:  {}: the emulated drive lost a command: {line}\n{}\n          kept: {kept}",
            scenario.name,
            indented(&format!("{first:#}"))
        );
        (self.try_one(scenario, folder), Some(again))
    }

    /// Boots, runs and checks one scenario; returns the figures that are worth printing.
    fn try_one(&self, scenario: &Scenario, folder: &Path) -> Result<Vec<String>> {
        if folder.exists() {
            std::fs::remove_dir_all(folder).with_context(|| format!("cannot empty {}", folder.display()))?;
        }
        let results = folder.join("results");
        std::fs::create_dir_all(&results).with_context(|| format!("cannot make {}", results.display()))?;
        let archive = image::build(self.root, &self.kernel, scenario, &self.binary)?;
        let initramfs = folder.join("initramfs.cpio");
        std::fs::write(&initramfs, archive).with_context(|| format!("cannot write {}", initramfs.display()))?;
        let emulator = if scenario.from_backports {
            emulator::from_backports(&self.folder.join("emulators"))?
        } else {
            Emulator::installed()
        };
        match boot::boot(&emulator, &self.kernel.image, &initramfs, folder, scenario)? {
            Ended::Status(0) => checks::check(&scenario.name, &Results::new(&results)),
            Ended::Status(code) => bail!("the script ended with {code}; the console's last lines:\n{}", tail(folder)),
            Ended::Killed => {
                bail!("killed after {} s; the console's last lines:\n{}", scenario.limit_s, tail(folder))
            }
            Ended::WithoutStatus => bail!("the VM went down by itself; the console's last lines:\n{}", tail(folder)),
        }
    }
}

/// Builds the binary under test: as it is shipped, or as the tests build it. Building the program by itself would
/// choose other features of its dependencies than the tests do, and build those again.
fn build(root: &Path, target: &Path, debug: bool) -> Result<PathBuf> {
    let (words, folder): (&[&str], _) = if debug {
        (&["test", "--workspace", "--no-run"], "debug")
    } else {
        (&["build", "--package", "drivelab", "--release"], "release")
    };
    run_command(cargo(root, &[words, &["--locked", "--quiet"]].concat()))?;
    Ok(target.join(folder).join("drivelab"))
}

/// The binary without the parts that only a debugger reads: they are most of it, and would fill the VM's memory and
/// disks.
fn stripped(root: &Path, binary: &Path, into: &Path) -> Result<PathBuf> {
    let (from, to) = (binary.to_string_lossy(), into.to_string_lossy());
    run_command(command(root, "strip", &["-o", &to, &from]))?;
    Ok(into.to_path_buf())
}

/// The last lines that the VM printed.
fn tail(folder: &Path) -> String {
    last_lines(&folder.join(boot::CONSOLE), 30)
}

/// The line of a guest's kernel log that says that an NVMe drive did not answer a command. QEMU's drives lose commands
/// now and then on a busy host, and the scenario is run once more. drivelab limits the time of its own NVMe commands,
/// so a fault there can look the same: what failed the first time is printed and kept.
fn lost_command(kernel_log: &str) -> Option<String> {
    let lost = |line: &&str| line.contains("nvme") && line.contains("QID") && line.contains("timeout");
    kernel_log.lines().find(lost).map(|line| line.trim().to_owned())
}

/// The last lines of the guest's kernel log, for readers who see only what is printed.
fn kernel_log_end(folder: &Path) -> String {
    format!("the end of the guest's kernel log:\n{}", last_lines(&folder.join(DMESG), 12))
}

fn last_lines(file: &Path, count: usize) -> String {
    let bytes = std::fs::read(file).unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}

fn indented(text: &str) -> String {
    text.lines().map(|line| format!("          {line}")).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_the_emulated_drive_lost_is_found_in_the_kernel_log() {
        let log = "[  600.1] ext4 mounted\n[  601.6] nvme nvme0: I/O 0 QID 1 timeout, disable controller\n[  602.0] I/O error";
        let found = lost_command(log).expect("found");
        assert!(found.ends_with("I/O 0 QID 1 timeout, disable controller"), "{found}");
        assert_eq!(lost_command("[ 1.0] nvme nvme0: 1/0/0 default/read/poll queues\n[ 2.0] watchdog timeout"), None);
    }

    #[test]
    fn what_takes_longest_is_begun_first_and_the_rest_by_name() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let all = scenario::all(&root).expect("scenarios");
        let order = longest_first(&all);
        assert!(order.is_sorted_by_key(|scenario| (Reverse(scenario.takes_s), &scenario.name)));
        assert!(order.len() == all.len() && order[0].takes_s > 0, "no scenario says how long it takes");
    }

    #[test]
    fn what_is_made_by_hand_runs_only_where_it_is_named() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let chosen = |names: &[String]| chosen(scenario::all(&root).expect("scenarios"), names).expect("known names");
        let (usual, golden) = (chosen(&[]), chosen(&["golden".to_owned()]));
        assert!(usual.len() > 20 && usual.iter().all(|scenario| !scenario.by_hand));
        assert_eq!(golden.iter().map(|scenario| scenario.name.as_str()).collect::<Vec<_>>(), ["golden"]);
    }

    #[test]
    fn the_whole_time_is_told_and_above_the_bound_a_warning() {
        assert_eq!(total(18, 1200.0), "vm-test: 18 scenarios, 1200 s");
        let late = total(18, 1201.0);
        assert!(late.starts_with("vm-test: 18 scenarios, 1201 s\n") && late.contains("warning: "), "{late}");
    }
}
