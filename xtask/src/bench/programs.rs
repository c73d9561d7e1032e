//! The programs that are compared, and how each one is called: pinned, with the same length, as a user would type it.
//!
//! Must not know: what the figures mean. Paths of this machine stay out of everything that is shown or kept: a program
//! is named by its file name.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::cpus::{listed, online_cpus};
use super::rows::{PIECES, Side};
use super::who::Who;
use crate::shell::{answers, is_installed};

/// In a line: the result is kept.
const BUNDLE: &str = "{bundle}";
/// In a line: every operation is written to a file. Writing takes time, so only the issuing thread is then pinned.
pub(crate) const TRACE: &str = "{trace}";
/// Where drivelab keeps results.
const RESULTS: &str = "DRIVELAB_DATA";

/// A session of its own gives the run a separate group for the scheduler (sched(7), autogroup). `nice` only counts
/// within that group, so the group gets the same priority.
const FAVOUR: &str = "echo -20 2>/dev/null >/proc/self/autogroup; exec \"$@\"";

/// The available programs.
#[derive(Debug)]
pub(crate) struct Programs {
    drivelab: PathBuf,
    t_io_uring: Option<PathBuf>,
    fio: bool,
    as_root: bool,
}

/// The values of a line's placeholders while a row is measured.
#[derive(Debug, Clone, Default)]
pub(crate) struct Places {
    /// The zram device, for `{zram}`.
    pub(crate) zram: Option<String>,
    /// A folder for results, for `{bundle}`.
    pub(crate) bundle: PathBuf,
    /// The file for `{trace}`.
    pub(crate) trace: PathBuf,
    /// A file that t/io_uring opens but does not touch.
    pub(crate) ring_file: PathBuf,
}

impl Programs {
    /// Looks at what this machine has.
    pub(crate) fn new(drivelab: PathBuf, t_io_uring: Option<PathBuf>) -> Self {
        Programs { drivelab, t_io_uring, fio: answers("fio", &["--version"]), as_root: super::devices::as_root() }
    }

    /// Why a side cannot run, if it cannot.
    pub(crate) fn lacks(&self, side: &Side) -> Option<String> {
        let missing = match side.who {
            _ if !is_installed("taskset") => "taskset is not installed (Debian package util-linux)",
            Who::Fio if !self.fio => "fio is not installed (Debian package fio)",
            Who::TIoUring if self.t_io_uring.is_none() => "no path given (--peer-t-io-uring)",
            _ => return None,
        };
        Some(missing.to_owned())
    }

    /// Whether runs get more than their share of a CPU that other programs use too (root only; both sides alike).
    pub(crate) const fn favoured(&self) -> bool {
        self.as_root
    }

    /// The drivelab that is measured.
    pub(crate) fn drivelab(&self) -> &Path {
        &self.drivelab
    }

    /// Whether t/io_uring was given.
    pub(crate) const fn has_t_io_uring(&self) -> bool {
        self.t_io_uring.is_some()
    }

    /// The program and arguments of a side, ready for `taskset`; `cpus` has one CPU per thread.
    fn words(&self, side: &Side, cpus: &str, seconds: u64, places: &Places) -> (PathBuf, Vec<String>) {
        let mut line = side.line.to_owned();
        for (piece, text) in PIECES {
            line = line.replace(piece, text);
        }
        line = line.replace(TRACE, &format!("--trace {}", places.trace.display()));
        line = line.replace("{zram}", places.zram.as_deref().unwrap_or("zram"));
        let split = |text: &str| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        match side.who {
            Who::Drivelab => {
                let mut words =
                    split(&format!("io {} --time {seconds}s --cpus {cpus} --json", line.replace(BUNDLE, "")));
                if !line.contains(BUNDLE) {
                    words.push("--no-save".to_owned());
                }
                (self.drivelab.clone(), words)
            }
            Who::Fio => {
                let common = format!("--name=a --bs=4k --size=2G --runtime={seconds} --time_based");
                (PathBuf::from("fio"), split(&format!("{common} --output-format=json {line}")))
            }
            Who::TIoUring => {
                // It prints one line per full second and none for the last second.
                let mut words = split(&format!("{line} -r {}", seconds + 1));
                words.push(places.ring_file.display().to_string());
                (self.t_io_uring.clone().unwrap_or_default(), words)
            }
        }
    }

    /// A side's command, pinned.
    pub(crate) fn command(&self, side: &Side, cpus: &str, seconds: u64, places: &Places, round: usize) -> Command {
        let (program, mut words) = self.words(side, cpus, seconds, places);
        if side.who == Who::Drivelab && side.line.contains("--rate") {
            // A different schedule in each round: five times the same would say nothing about chance.
            words.extend(["--seed".to_owned(), (round + 1).to_string()]);
        }
        let mut command = if self.as_root {
            let mut favoured = Command::new("setsid");
            favoured.args(["--wait", "nice", "-n", "-20", "sh", "-c", FAVOUR, "sh", "taskset"]);
            favoured
        } else {
            Command::new("taskset")
        };
        command.args(["-c", &allowed(side, cpus)]);
        if side.line.contains(BUNDLE) {
            command.env(RESULTS, &places.bundle);
        }
        command.arg(program).args(words).stdin(Stdio::null());
        command
    }

    /// The command as a person would type it, without paths of this machine.
    pub(crate) fn shown(&self, side: &Side, cpus: &str, seconds: u64) -> String {
        let places = Places {
            zram: Some("/dev/zramN".to_owned()),
            bundle: PathBuf::new(),
            trace: "FILE".into(),
            ring_file: "FILE".into(),
        };
        let (_, words) = self.words(side, cpus, seconds, &places);
        let name = match side.who {
            Who::Drivelab => "drivelab",
            Who::Fio => "fio",
            Who::TIoUring => "t/io_uring",
        };
        let kept = if side.line.contains(BUNDLE) { format!("{RESULTS}=FOLDER ") } else { String::new() };
        format!("{kept}taskset -c {} {name} {}", allowed(side, cpus), words.join(" "))
    }
}

/// The CPUs that the program may use: the pinned ones, or all if it writes a trace while it measures.
fn allowed(side: &Side, cpus: &str) -> String {
    if side.line.contains(TRACE) {
        return listed(&online_cpus());
    }
    cpus.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::rows::ROWS;

    fn programs() -> Programs {
        Programs { drivelab: "/some/where/drivelab".into(), t_io_uring: None, fio: true, as_root: false }
    }

    #[test]
    fn no_place_is_left_unfilled_and_no_path_is_shown() {
        for row in ROWS {
            for side in row.sides {
                let shown = programs().shown(side, "1", 3);
                assert!(!shown.contains(['{', '}']), "{shown}");
                assert!(!shown.contains("/some/where"), "{shown}");
            }
        }
    }

    #[test]
    fn a_result_is_kept_only_where_the_row_is_about_keeping() {
        let kept: Vec<&str> = ROWS
            .iter()
            .filter(|row| row.sides.iter().any(|side| programs().shown(side, "1", 3).contains("DRIVELAB_DATA=FOLDER")))
            .map(|row| row.id)
            .collect();
        assert_eq!(kept, ["13"]);
        for side in ROWS.iter().flat_map(|row| row.sides).filter(|side| side.who == Who::Drivelab) {
            let shown = programs().shown(side, "1", 3);
            assert!(shown.contains("--no-save") != shown.contains("DRIVELAB_DATA=FOLDER"), "{shown}");
        }
    }

    #[test]
    fn the_peer_that_was_not_given_is_named() {
        let side = ROWS.iter().flat_map(|row| row.sides).find(|side| side.who == Who::TIoUring).expect("a side");
        assert_eq!(programs().lacks(side).as_deref(), Some("no path given (--peer-t-io-uring)"));
    }
}
