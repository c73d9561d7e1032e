//! Compares what methodologies and tests need of target, drive and host (`requires`) with what is known to exist.
//!
//! What is not known is assumed to exist: a need is unmet only if it is known to be unmet. Must not know: how the
//! facts are found out.

use std::ops::Range;

use drivelab_core::namespace::OtherNamespace;
use drivelab_core::units::{Bytes, Nanos};

use crate::methodology::Methodology;
use crate::tree::value::{Table, Value};

/// What the target is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ground {
    /// A file, existing or to be created.
    File,
    /// A whole drive or a partition.
    BlockDevice,
}

impl Ground {
    const fn name(self) -> &'static str {
        match self {
            Ground::File => "file",
            Ground::BlockDevice => "block_device",
        }
    }

    const fn words(self) -> &'static str {
        match self {
            Ground::File => "a file",
            Ground::BlockDevice => "a block device",
        }
    }
}

/// A capability of the drive or of its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capability {
    /// Discards.
    Discard,
    /// The drive's temperature can be read.
    Temperature,
    /// The drive's power can be measured.
    Power,
    /// An NVMe drive.
    Nvme,
    /// Health and bytes written.
    Smart,
    /// Several power states.
    PowerStates,
    /// The endurance group log.
    EnduranceLog,
    /// The extended health log of OCP.
    OcpLog,
    /// Flexible Data Placement, enabled.
    Fdp,
    /// Another readable namespace on the same NVMe drive.
    OtherNamespace,
}

impl Capability {
    /// Each one.
    pub const ALL: [Capability; 10] = [
        Capability::Discard,
        Capability::Temperature,
        Capability::Power,
        Capability::Nvme,
        Capability::Smart,
        Capability::PowerStates,
        Capability::EnduranceLog,
        Capability::OcpLog,
        Capability::Fdp,
        Capability::OtherNamespace,
    ];

    /// The word of the language.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Capability::Discard => "discard",
            Capability::Temperature => "temperature",
            Capability::Power => "power",
            Capability::Nvme => "nvme",
            Capability::Smart => "smart",
            Capability::PowerStates => "power_states",
            Capability::EnduranceLog => "endurance_log",
            Capability::OcpLog => "ocp_log",
            Capability::Fdp => "fdp",
            Capability::OtherNamespace => "other_namespace",
        }
    }
}

/// What is known of a target and its host when a plan is made. By default nothing is known, so nothing is left out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Means {
    /// What the target is.
    pub ground: Option<Ground>,
    /// Whether the target is a folder in which file sets can be created.
    pub folder: Option<bool>,
    /// Capabilities that are known to be missing, each with the reason as a part of a sentence: `no sensor was
    /// found`.
    pub lacks: Vec<(Capability, String)>,
    /// How many handles writes can be placed by, numbered from 0; or why there are none, as a part of a sentence.
    pub placement_handles: Option<Result<u16, String>>,
    /// Free space of the file system, or size of the device.
    pub free: Option<Bytes>,
    /// Whether this process runs as root.
    pub root: Option<bool>,
    /// Why nothing may be written; `None` if writing is allowed.
    pub read_only: Option<String>,
    /// Time for the whole plan: only what fits, by priority, stays in it.
    pub time: Option<Nanos>,
    /// The target's logical block; making a plan sets it from the target.
    pub logical_block: Option<Bytes>,
    /// The namespace of the same drive that groups on `other_namespace` read.
    pub other_namespace: Option<OtherNamespace>,
}

impl Methodology {
    /// Whether any part of it needs a capability of the drive or the host that has to be looked for.
    #[must_use]
    pub fn asks_for_capabilities(&self) -> bool {
        self.requires("capability")
    }

    /// Whether any part of it needs handles by which writes can be placed.
    #[must_use]
    pub fn asks_for_placement(&self) -> bool {
        self.requires("placement_handles")
    }

    /// Whether any part of it has this key in its needs.
    fn requires(&self, key: &str) -> bool {
        let asks = |table: &Table| table.table("requires").is_some_and(|requires| requires.has(key));
        let of = |one: &Methodology| asks(one.root()) || one.root().tables("tests").iter().any(asks);
        of(self) || self.entries().iter().any(|entry| asks(&entry.table) || of(&entry.method))
    }

    /// Whether any part of it reads a namespace of the drive other than the target, or needs one.
    #[must_use]
    pub fn asks_for_other_namespace(&self) -> bool {
        let word = Value::Word(Capability::OtherNamespace.name());
        let needs = |table: &Table| {
            let listed = table.table("requires").map_or(&[][..], |requires| requires.list("capability"));
            listed.iter().any(|one| one.value == word) || read_elsewhere(table)
        };
        let of = |one: &Methodology| needs(one.root()) || one.root().tables("tests").iter().any(needs);
        of(self) || self.entries().iter().any(|entry| needs(&entry.table) || of(&entry.method))
    }
}

/// The first need of a table `requires` that is known to be unmet: the reason, and where the need is stated.
pub(crate) fn unmet(requires: Option<&Table>, means: &Means) -> Option<(String, Range<usize>)> {
    let table = requires?;
    let at = |key: &str| table.get(key).map_or_else(|| table.at.clone(), |value| value.at.clone());
    if let Some(ground) = means.ground.filter(|ground| table.has("target") && table.text("target") != ground.name()) {
        let wanted = if ground == Ground::File { Ground::BlockDevice } else { Ground::File };
        return Some((format!("it needs {}, and the target is {}", wanted.words(), ground.words()), at("target")));
    }
    for one in table.list("capability") {
        let Value::Word(word) = one.value else { continue };
        if let Some(reason) = lacking(word, means) {
            return Some((reason, one.at.clone()));
        }
    }
    if let Some(why) = too_few_handles(table, means) {
        return Some((why, at("placement_handles")));
    }
    if let (Some(needed), Some(free)) = (table.size("free"), means.free)
        && free < needed
    {
        return Some((format!("it needs {} of free space, and {} are free", needed.about(), free.about()), at("free")));
    }
    if let Some(reason) = means.logical_block.and_then(|block| too_coarse(Some(table), block)) {
        return Some((reason, at("logical_block")));
    }
    if means.root == Some(false) && table.text("privilege") == "root" {
        return Some(("it needs administrator rights (root)".to_owned(), at("privilege")));
    }
    if let (Some(needed), Some(time)) = (table.time("time"), means.time)
        && time < needed
    {
        return Some((
            format!("it needs at least {} to be useful, and {} are available", about(needed), about(time)),
            at("time"),
        ));
    }
    None
}

/// Why writes cannot be placed by as many handles as are needed.
fn too_few_handles(table: &Table, means: &Means) -> Option<String> {
    let Value::Whole(needed) = table.get("placement_handles")?.value else { return None };
    let needs = format!("it needs {needed} placement handle{}", if needed == 1 { "" } else { "s" });
    match means.placement_handles.as_ref()? {
        Ok(count) if u64::from(*count) >= needed => None,
        Ok(count) => Some(format!("{needs}, and there {} {count}", if *count == 1 { "is" } else { "are" })),
        Err(why) => Some(format!("{needs}: {why}")),
    }
}

/// The first need of a test that is known to be unmet. A group that reads another namespace needs one even if the
/// test does not state it.
pub(crate) fn unmet_of_test(test: &Table, means: &Means) -> Option<String> {
    let stated = unmet(test.table("requires"), means).map(|(reason, _)| reason);
    let elsewhere = || lacking(Capability::OtherNamespace.name(), means).filter(|_| read_elsewhere(test));
    stated.or_else(elsewhere)
}

fn lacking(word: &str, means: &Means) -> Option<String> {
    let (_, why) = means.lacks.iter().find(|(capability, _)| capability.name() == word)?;
    Some(format!("it needs `{word}`: {why}"))
}

/// A time in words, rounded for people.
pub(crate) fn about(time: Nanos) -> String {
    let seconds = time.get() / 1_000_000_000;
    match seconds {
        0..=119 => format!("{seconds} s"),
        120..=7199 => format!("{} min", seconds / 60),
        _ => format!("{:.1} h", seconds as f64 / 3600.0),
    }
}

/// Why a target with this logical block cannot do what `requires` asks for.
pub(crate) fn too_coarse(requires: Option<&Table>, logical_block: Bytes) -> Option<String> {
    let most = requires?.size("logical_block")?;
    (logical_block > most)
        .then(|| format!("it needs a logical block of at most {most}, and the target's is {logical_block}"))
}

/// The word of `on` for a group on another namespace of the drive.
pub(crate) const OTHER_NAMESPACE: &str = "other_namespace";

pub(crate) fn is_elsewhere(group: &Table) -> bool {
    group.text("on") == OTHER_NAMESPACE
}

/// Whether a group of the test goes to a namespace other than the target.
fn read_elsewhere(test: &Table) -> bool {
    test.tables("groups").iter().any(is_elsewhere)
}
