//! A scenario: one shell script under tests/vm/ whose head states what it needs.
//!
//! A new scenario is one new file. The lines that begin with `#:` are read here; the rest runs inside the VM as root
//! under `sh -eu`, after tests/vm/support/functions.sh. A script that exits with 0 has passed, unless `checks` has a
//! stricter check of the files that it left in $RESULTS.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};

/// Where scenarios are, below the root of the checkout.
pub(crate) const FOLDER: &str = "tests/vm";

/// A VM is killed after this many times the time that its scenario takes on an idle host with two processors, because
/// a host may have much other work; a scenario that hangs is found anyway.
const LIMIT_TIMES: u64 = 10;

/// Longest time of a scenario that does not state one, in seconds.
const USUAL_S: u64 = 60;

/// The keys of a head.
const KEYS: &str = "about, modules, programs, qemu, kernel, disks, root, emulator, waiting, cpus, memory_mib, takes_s, limit_s, \
     by_hand";

/// One scenario.
#[derive(Debug)]
pub(crate) struct Scenario {
    /// The file's name without `.sh`.
    pub(crate) name: String,
    /// `#: about:` what it shows, in one line.
    pub(crate) about: String,
    /// `#: modules:` kernel modules that the script loads with modprobe; their dependencies are included.
    pub(crate) modules: Vec<String>,
    /// `#: programs:` programs of this machine that the script uses besides busybox and drivelab.
    pub(crate) programs: Vec<String>,
    /// `#: qemu:` further arguments for QEMU; `{folder}` is a folder of the scenario's own on the host.
    pub(crate) qemu: Vec<String>,
    /// `#: kernel:` further words on the kernel's command line.
    pub(crate) kernel: Vec<String>,
    /// `#: waiting: real`: waiting takes as long as on the host. For devices that QEMU emulates: they answer in the
    /// host's time, and if waiting took none, the machine's own time would run ahead meanwhile.
    pub(crate) waits_in_real_time: bool,
    /// `#: disks:` files on the host for QEMU's drives, as NAME=MIB; empty at the start. Each is a block node NAME.
    pub(crate) disks: Vec<Disk>,
    /// `#: root:` the script runs with its root file system on disks, in a way that root.sh in tests/vm/support
    /// defines.
    pub(crate) root: Option<String>,
    /// `#: emulator: backports`: QEMU comes from Debian's backports. If that is not available, the scenario is
    /// skipped.
    pub(crate) from_backports: bool,
    /// `#: cpus:` processors of the VM; with more than one, all its time is the host's, so waiting must be real.
    pub(crate) cpus: u32,
    /// `#: memory_mib:` memory of the VM.
    pub(crate) memory_mib: u32,
    /// `#: takes_s:` about this many seconds on a host with two processors; the longest ones are started first, so
    /// that no processor is idle while the last of them runs. Below a minute it need not be stated.
    pub(crate) takes_s: u64,
    /// `#: limit_s:` after this many seconds of the host the VM is killed; by default ten times `takes_s`.
    pub(crate) limit_s: u64,
    /// `#: by_hand: yes`: it runs only if it is named.
    pub(crate) by_hand: bool,
    /// The whole file.
    pub(crate) script: String,
}

/// A disk of a scenario.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Disk {
    /// Its name in QEMU's arguments.
    pub(crate) name: String,
    /// Its size.
    pub(crate) mib: u64,
}

/// All scenarios, by name.
pub(crate) fn all(root: &Path) -> Result<Vec<Scenario>> {
    let folder = root.join(FOLDER);
    let entries = std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?;
    let mut scenarios = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "sh") {
            continue;
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let script = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        scenarios.push(parse(&name, script).with_context(|| format!("{FOLDER}/{name}.sh"))?);
    }
    scenarios.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(scenarios)
}

fn parse(name: &str, script: String) -> Result<Scenario> {
    let mut scenario = Scenario {
        name: name.to_owned(),
        about: String::new(),
        modules: Vec::new(),
        programs: Vec::new(),
        qemu: Vec::new(),
        kernel: Vec::new(),
        waits_in_real_time: false,
        disks: Vec::new(),
        root: None,
        from_backports: false,
        cpus: 1,
        memory_mib: 512,
        takes_s: 0,
        limit_s: 0,
        by_hand: false,
        script: String::new(),
    };
    for line in script.lines().filter_map(|line| line.strip_prefix("#:")) {
        let (key, value) = line.split_once(':').with_context(|| format!("`#:{line}` is not `#: key: value`"))?;
        take(&mut scenario, key.trim(), value.trim())?;
    }
    ensure!(!scenario.about.is_empty(), "it does not say what it is for: `#: about: …`");
    ensure!(scenario.cpus == 1 || scenario.waits_in_real_time, "several cpus need `#: waiting: real`");
    let least_s = LIMIT_TIMES * scenario.takes_s.max(USUAL_S);
    if scenario.limit_s == 0 {
        scenario.limit_s = least_s;
    }
    ensure!(scenario.limit_s >= least_s, "limit_s is {} and must be {least_s} for takes_s", scenario.limit_s);
    scenario.script = script;
    Ok(scenario)
}

/// Takes one line of the head.
fn take(scenario: &mut Scenario, key: &str, value: &str) -> Result<()> {
    let number = || value.parse::<u32>().with_context(|| format!("`{value}` is no whole number"));
    match key {
        "about" => value.clone_into(&mut scenario.about),
        "modules" => scenario.modules.extend(words(value)),
        "programs" => scenario.programs.extend(words(value)),
        "qemu" => scenario.qemu.extend(words(value)),
        "kernel" => scenario.kernel.extend(words(value)),
        "disks" => {
            for word in value.split_whitespace() {
                scenario.disks.push(disk(word)?);
            }
        }
        "root" => scenario.root = Some(value.to_owned()),
        "emulator" => {
            ensure!(value == "backports", "emulator is `backports`, or not mentioned");
            scenario.from_backports = true;
        }
        "waiting" => {
            ensure!(value == "real", "waiting is `real`, or not mentioned");
            scenario.waits_in_real_time = true;
        }
        "cpus" => scenario.cpus = number()?,
        "memory_mib" => scenario.memory_mib = number()?,
        "takes_s" => scenario.takes_s = number()?.into(),
        "limit_s" => scenario.limit_s = number()?.into(),
        "by_hand" => {
            ensure!(value == "yes", "by_hand is `yes`, or not mentioned");
            scenario.by_hand = true;
        }
        other => bail!("unknown key `{other}`; there are: {KEYS}"),
    }
    Ok(())
}

/// A disk from `NAME=MIB`.
fn disk(word: &str) -> Result<Disk> {
    let (name, mib) = word.split_once('=').with_context(|| format!("`{word}` is not NAME=MIB"))?;
    let is_plain = !name.is_empty() && name.chars().all(|letter| letter.is_ascii_alphanumeric());
    ensure!(is_plain, "`{name}` is no name for a disk: letters and digits");
    let mib = mib.parse().with_context(|| format!("`{mib}` is no whole number of MiB"))?;
    Ok(Disk { name: name.to_owned(), mib })
}

fn words(text: &str) -> impl Iterator<Item = String> {
    text.split_whitespace().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(script: &str) -> Result<Scenario> {
        parse("a", script.to_owned())
    }

    #[test]
    fn a_head_says_what_the_scenario_needs() {
        let text =
            "#!/bin/sh\n#: about: it works\n#: modules: null_blk dm-mod\n#: modules: nvme\n#: limit_s: 900\ntrue\n";
        let scenario = read(text).expect("a scenario");
        assert_eq!(scenario.about, "it works");
        assert_eq!(scenario.modules, ["null_blk", "dm-mod", "nvme"]);
        assert_eq!((scenario.limit_s, scenario.memory_mib), (900, 512));
        assert_eq!(scenario.script, text);
    }

    #[test]
    fn a_limit_leaves_a_busy_host_ten_times_what_a_calm_one_takes() {
        let limit = |head: &str| read(&format!("#: about: x\n{head}")).map(|scenario| scenario.limit_s);
        assert_eq!(limit("").expect("usual"), 600);
        assert_eq!(limit("#: takes_s: 200\n").expect("long"), 2000);
        assert_eq!(limit("#: takes_s: 200\n#: limit_s: 2400\n").expect("more"), 2400);
        limit("#: takes_s: 200\n#: limit_s: 400\n").expect_err("twice");
    }

    #[test]
    fn disks_have_names_and_sizes() {
        let scenario = read("#: about: x\n#: disks: d0=64 d1=1\n#: root: plain\n#: cpus: 2\n#: waiting: real\n")
            .expect("a scenario");
        let disks: Vec<(&str, u64)> = scenario.disks.iter().map(|disk| (disk.name.as_str(), disk.mib)).collect();
        assert_eq!(disks, [("d0", 64), ("d1", 1)]);
        assert_eq!((scenario.root.as_deref(), scenario.cpus), (Some("plain"), 2));
    }

    #[test]
    fn a_head_with_a_slip_is_refused() {
        for (text, said) in [
            ("true\n", "does not say what it is for"),
            ("#: about: x\n#: modles: null_blk\n", "unknown key `modles`"),
            ("#: about: x\n#: limit_s: soon\n", "no whole number"),
            ("#: about: x\n#: limit_s: 90\n", "must be 600"),
            ("#: about: x\n#: waiting: long\n", "waiting is `real`"),
            ("#: about: x\n#: disks: d0\n", "not NAME=MIB"),
            ("#: about: x\n#: disks: ../d0=1\n", "no name for a disk"),
            ("#: about: x\n#: cpus: 2\n", "need `#: waiting: real`"),
            ("#: about: x\n#: emulator: mine\n", "emulator is `backports`"),
            ("#: about\n", "is not `#: key: value`"),
        ] {
            let error = read(text).expect_err(text);
            assert!(format!("{error:#}").contains(said), "{error:#}");
        }
    }

    #[test]
    fn the_scenarios_of_the_tree_can_be_read_and_each_check_has_one() {
        let all = all(&crate::root()).expect("scenarios");
        for name in super::super::checks::names() {
            assert!(all.iter().any(|scenario| scenario.name == name), "{name} has a check and no script");
        }
    }
}
