//! Which QEMU boots a scenario: the installed one, or a newer one in the cache.
//!
//! Debian's stable release has no QEMU with Flexible Data Placement; its backports have one. apt fetches the packages,
//! and they are unpacked under the target folder; nothing of the system is replaced or configured. Their source is the
//! machine's own entry for Debian's archive with the suite's name changed, in package lists of our own, so that
//! mirrors and proxies stay as the machine has them and no host is written down here.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, anyhow, ensure};

use super::lacking::unavailable;
use crate::shell::run as run_command;

/// The emulator that is installed.
pub(crate) const QEMU: &str = "qemu-system-x86_64";

/// What is unpacked from the backports: the program, its option ROMs and the firmware.
const PACKAGES: &[&str] = &["qemu-system-x86", "qemu-system-common", "qemu-system-data", "seabios"];

/// The component of Debian's archive that contains QEMU.
const MAIN: &str = "main";

/// The folder of the machine's own entries, and its one-line file.
const ENTRIES: &str = "/etc/apt/sources.list.d";
const ENTRY: &str = "/etc/apt/sources.list";

/// A QEMU: the program, and the folder of its data if that is not the default one.
#[derive(Debug, Clone)]
pub(crate) struct Emulator {
    program: PathBuf,
    data: Vec<PathBuf>,
}

impl Emulator {
    /// The installed one.
    pub(crate) fn installed() -> Emulator {
        Emulator { program: PathBuf::from(QEMU), data: Vec::new() }
    }

    /// The words that start it.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = vec![self.program.to_string_lossy().into_owned()];
        for folder in &self.data {
            words.extend(["-L".to_owned(), folder.to_string_lossy().into_owned()]);
        }
        words
    }
}

/// The QEMU of this Debian's backports: from `cache`, otherwise downloaded.
pub(crate) fn from_backports(cache: &Path) -> Result<Emulator> {
    let folder = cache.join("backports");
    if !folder.is_dir() {
        fetch(cache, &folder).map_err(|error| unavailable(format!("no QEMU from Debian's backports: {error:#}")))?;
    }
    let emulator = Emulator {
        program: folder.join("usr/bin").join(QEMU),
        data: vec![folder.join("usr/share/seabios"), folder.join("usr/share/qemu")],
    };
    let asked = Command::new(&emulator.program).arg("--version").stdin(Stdio::null()).output();
    match asked {
        Ok(output) if output.status.success() => {
            let said = String::from_utf8_lossy(&output.stdout).into_owned();
            println!("vm-test: {}, unpacked, not installed", said.lines().next().unwrap_or_default());
            Ok(emulator)
        }
        Ok(output) => Err(unavailable(format!(
            "the QEMU of Debian's backports does not start here: {}",
            String::from_utf8_lossy(&output.stderr).trim()
        ))),
        Err(error) => Err(unavailable(format!("the QEMU of Debian's backports does not start here: {error}"))),
    }
}

/// Downloads and unpacks; afterwards `folder` exists completely or not at all.
fn fetch(cache: &Path, folder: &Path) -> Result<()> {
    let partial = cache.join(format!("partial-{}", std::process::id()));
    let made = ["entries", "lists/partial", "packages", "root"];
    for name in made {
        let path = partial.join(name);
        std::fs::create_dir_all(&path).with_context(|| format!("cannot make {}", path.display()))?;
    }
    let done = unpack(&partial)
        .and_then(|()| std::fs::rename(partial.join("root"), folder).context("cannot name the unpacked QEMU"));
    // A leftover that cannot be removed does no harm.
    let _ = std::fs::remove_dir_all(&partial);
    done
}

fn unpack(partial: &Path) -> Result<()> {
    let suite = format!("{}-backports", code_name()?);
    let entries: Vec<(&str, String)> = own_entries()?
        .into_iter()
        .filter_map(|(ending, text)| Some((ending, with_suite(&text, ending, &suite)?)))
        .collect();
    // Another archive may call a suite as Debian does; the first entry that has the packages is used.
    let mut why = anyhow!("no entry of {ENTRIES} or {ENTRY} is Debian's own archive");
    for (ending, entry) in entries {
        match download(partial, &format!("entries/own.{ending}"), &entry, &suite) {
            Ok(()) => return extract(partial),
            Err(error) => why = error,
        }
    }
    Err(why)
}

/// Downloads the packages through one entry of apt's.
fn download(partial: &Path, name: &str, entry: &str, suite: &str) -> Result<()> {
    let path = partial.join(name);
    std::fs::write(&path, entry).with_context(|| format!("cannot write {}", path.display()))?;
    let done = run_command(apt(partial, &["update", "-q"])).and_then(|()| {
        let mut download = apt(partial, &[&["download", "-q", "-t", suite], PACKAGES].concat());
        download.current_dir(partial.join("packages"));
        run_command(download)
    });
    std::fs::remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
    done
}

/// Unpacks what was downloaded.
fn extract(partial: &Path) -> Result<()> {
    let packages = partial.join("packages");
    for entry in std::fs::read_dir(&packages).with_context(|| format!("cannot list {}", packages.display()))? {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "deb") {
            let mut command = Command::new("dpkg-deb");
            command.arg("-x").arg(path).arg(partial.join("root")).stdin(Stdio::null());
            run_command(command)?;
        }
    }
    Ok(())
}

/// apt-get with our own package lists and entries; keys, proxies and credentials are the machine's.
fn apt(partial: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new("apt-get");
    let at = |name: &str| partial.join(name).to_string_lossy().into_owned();
    for option in [
        format!("Dir::State::Lists={}", at("lists")),
        format!("Dir::Cache={}", at("packages")),
        format!("Dir::Etc::SourceParts={}", at("entries")),
        "Dir::Etc::SourceList=/dev/null".to_owned(),
    ] {
        command.args(["-o", &option]);
    }
    command.args(arguments).stdin(Stdio::null()).env("DEBIAN_FRONTEND", "noninteractive");
    command
}

/// `bookworm` and the like, from /etc/os-release.
fn code_name() -> Result<String> {
    let text = std::fs::read_to_string("/etc/os-release").context("cannot read /etc/os-release")?;
    let value = |key: &str| text.lines().find_map(|line| line.strip_prefix(key)).map(|value| value.trim_matches('"'));
    ensure!(value("ID=") == Some("debian"), "this is no Debian");
    Ok(value("VERSION_CODENAME=").context("this Debian has no code name, so no backports")?.to_owned())
}

/// The machine's entries, each with the extension of its file.
fn own_entries() -> Result<Vec<(&'static str, String)>> {
    let mut found = Vec::new();
    let mut read = |path: &Path| {
        let ending = match path.extension().and_then(|ending| ending.to_str()) {
            Some("sources") => "sources",
            Some("list") => "list",
            _ => return,
        };
        // A file that only root may read contains data that we must not copy.
        if let Ok(text) = std::fs::read_to_string(path) {
            found.push((ending, text));
        }
    };
    read(Path::new(ENTRY));
    if let Ok(entries) = std::fs::read_dir(ENTRIES) {
        entries.flatten().for_each(|entry| read(&entry.path()));
    }
    ensure!(!found.is_empty(), "apt has no entries here");
    Ok(found)
}

/// The parts of an entries file that are Debian's archive, with `suite` instead of their suite. Debian's own archive
/// is recognised by what it is asked for: the suite from which the backports suite is named, and `main`.
fn with_suite(text: &str, ending: &str, suite: &str) -> Option<String> {
    let base = suite.strip_suffix("-backports").unwrap_or(suite);
    let kept: Vec<String> = if ending == "list" {
        text.lines().filter_map(|line| one_line(line, base, suite)).collect()
    } else {
        text.split("\n\n").filter_map(|entry| stanza(entry, base, suite)).collect()
    };
    (!kept.is_empty()).then(|| kept.join("\n\n") + "\n")
}

/// `deb [options] URI suite component …`.
fn one_line(line: &str, base: &str, suite: &str) -> Option<String> {
    let mut words: Vec<&str> = line.split_whitespace().collect();
    let at = words.iter().position(|word| *word == base)?;
    if words.first() != Some(&"deb") || at < 2 || !words.contains(&MAIN) {
        return None;
    }
    words[at] = suite;
    Some(words.join(" "))
}

/// An entry of several lines `Key: value`.
fn stanza(entry: &str, base: &str, suite: &str) -> Option<String> {
    let names = |line: &str, key: &str, wanted: &str| {
        line.strip_prefix(key).map(|value| value.split_whitespace().any(|word| word == wanted))
    };
    let suites = |line: &str| names(line, "Suites:", base);
    let is_main = entry.lines().any(|line| names(line, "Components:", MAIN) == Some(true));
    let lines = entry.lines().filter(|line| !line.trim_start().starts_with('#'));
    let lines: Vec<String> = lines
        .map(|line| if suites(line).is_some() { format!("Suites: {suite}") } else { line.to_owned() })
        .filter(|line| !line.trim().is_empty())
        .collect();
    (is_main && entry.lines().any(|line| suites(line) == Some(true))).then(|| lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_archive_itself_gets_another_suite() {
        let text = "Types: deb\n# a note\nURIs: x:/archive\nSuites: stable stable-updates\nComponents: main\n\n\
            Types: deb\nURIs: x:/security\nSuites: stable-security\nComponents: main\n";
        let made = with_suite(text, "sources", "stable-backports").expect("one entry");
        assert_eq!(made, "Types: deb\nURIs: x:/archive\nSuites: stable-backports\nComponents: main\n");
        let text = "# deb x:/a stable main\ndeb [a=b] x:/archive stable main contrib\ndeb x:/s stable-security main\n";
        let made = with_suite(text, "list", "stable-backports").expect("one entry");
        assert_eq!(made, "deb [a=b] x:/archive stable-backports main contrib\n");
        assert_eq!(with_suite("deb x:/other stable edge\n", "list", "stable-backports"), None);
        assert_eq!(with_suite("deb x:/other nodistro main\n", "list", "stable-backports"), None);
    }

    #[test]
    fn the_installed_emulator_needs_no_more_words() {
        assert_eq!(Emulator::installed().words(), [QEMU]);
    }
}
