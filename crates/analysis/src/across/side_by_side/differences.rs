//! What differs between runs that may be compared, and must be kept in mind when their figures are.

use drivelab_core::environment::{BlockDeviceFacts, TargetKind, ToolVersion};
use drivelab_core::event::RunState;
use drivelab_core::plan::Combine;
use drivelab_core::units::Bytes;

use crate::digest::{Digest, TestDigest};

/// Something in which runs differ.
#[derive(Debug, Clone, PartialEq)]
pub struct Difference {
    /// What.
    pub what: Differing,
    /// What it is of each run, in their order.
    pub values: Vec<Value>,
}

/// What runs that are compared may differ in, in the order in which it is listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Differing {
    /// The drives: models and serial numbers.
    Drive,
    /// The arm: encryption and power state.
    Arm,
    /// Profile of the methodology, such as an empty and a full drive.
    Profile,
    /// What the target held before the tests: whether it was filled, discarded or overwritten.
    DataState,
    /// File, device or nothing.
    TargetKind,
    /// The bytes that were tested.
    TestedSize,
    /// The bytes that were tested, where each run tested the same share of its drive, such as the whole.
    SameShare,
    /// Firmware, of drives of one model.
    Firmware,
    /// How the rounds of a test are combined: a mean differs from a best of nine.
    Statistic,
    /// Version of the methodology: other words, the same loads.
    MethodVersion,
    /// Release of drivelab.
    ToolVersion,
    /// The engine that issued the I/O.
    Backend,
    /// Release of the kernel.
    Kernel,
    /// What the user calls the testbed.
    Testbed,
    /// Model of the CPU.
    Cpu,
    /// Board of the testbed.
    Board,
    /// File system that the target lies on.
    FileSystem,
    /// Traces that are replayed, by the beginnings of their hashes.
    Traces,
    /// Where sets of files come from.
    Source,
    /// How often the run was interrupted.
    Interruptions,
    /// Alone, or while other drives were measured.
    Company,
    /// Whether it came to its end.
    State,
}

/// What a run has where others have something else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A name: of a kernel, of a file system.
    Name(String),
    /// It is not known.
    Unknown,
    /// There is none.
    None,
    /// A size.
    Size(Bytes),
    /// A count.
    Count(usize),
    /// So many drives at once; 1 is alone.
    Drives(u32),
    /// How the run stands.
    State(RunState),
    /// What the target is.
    Target(TargetKind),
}

/// A difference that a comparison refuses unless it is asked for or allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// The drive, where another axis was asked for.
    Drive,
    /// Encryption or power state.
    Arm,
    /// Profile of the methodology.
    Profile,
    /// What the target held before the tests.
    State,
    /// File, device or nothing.
    Target,
    /// Tested size.
    Size,
    /// Firmware, of drives of one model.
    Firmware,
    /// How the rounds of a test are combined.
    Statistic,
    /// The engine that issued the I/O.
    Engine,
    /// CPU or board.
    Testbed,
    /// File system.
    FileSystem,
    /// Replayed traces.
    Traces,
    /// Where sets of files come from.
    Source,
    /// Alone or with other drives.
    Company,
}

impl Kind {
    /// All.
    pub const ALL: [Kind; 14] = [
        Kind::Drive,
        Kind::Arm,
        Kind::Profile,
        Kind::State,
        Kind::Target,
        Kind::Size,
        Kind::Firmware,
        Kind::Statistic,
        Kind::Engine,
        Kind::Testbed,
        Kind::FileSystem,
        Kind::Traces,
        Kind::Source,
        Kind::Company,
    ];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Drive => "drive",
            Kind::Arm => "arm",
            Kind::Profile => "profile",
            Kind::State => "state",
            Kind::Target => "target",
            Kind::Size => "size",
            Kind::Firmware => "firmware",
            Kind::Statistic => "statistic",
            Kind::Engine => "engine",
            Kind::Testbed => "testbed",
            Kind::FileSystem => "file-system",
            Kind::Traces => "traces",
            Kind::Source => "source",
            Kind::Company => "company",
        }
    }
}

impl Value {
    /// Several names as one value.
    fn listed(names: &[String]) -> Value {
        if names.is_empty() { Value::None } else { Value::Name(names.join(" and ")) }
    }
}

impl Differing {
    /// All, in the order in which they are listed.
    pub const ALL: [Differing; 22] = [
        Differing::Drive,
        Differing::Arm,
        Differing::Profile,
        Differing::DataState,
        Differing::TargetKind,
        Differing::TestedSize,
        Differing::SameShare,
        Differing::Firmware,
        Differing::Statistic,
        Differing::MethodVersion,
        Differing::ToolVersion,
        Differing::Backend,
        Differing::Kernel,
        Differing::Testbed,
        Differing::Cpu,
        Differing::Board,
        Differing::FileSystem,
        Differing::Traces,
        Differing::Source,
        Differing::Interruptions,
        Differing::Company,
        Differing::State,
    ];

    /// What a comparison across this difference needs (`--allow`); `None` if the difference is only listed.
    #[must_use]
    pub const fn kind(self) -> Option<Kind> {
        match self {
            Differing::Drive => Some(Kind::Drive),
            Differing::Arm => Some(Kind::Arm),
            Differing::Profile => Some(Kind::Profile),
            Differing::DataState => Some(Kind::State),
            Differing::TargetKind => Some(Kind::Target),
            Differing::TestedSize => Some(Kind::Size),
            Differing::Firmware => Some(Kind::Firmware),
            Differing::Statistic => Some(Kind::Statistic),
            Differing::Backend => Some(Kind::Engine),
            Differing::Testbed | Differing::Cpu | Differing::Board => Some(Kind::Testbed),
            Differing::FileSystem => Some(Kind::FileSystem),
            Differing::Traces => Some(Kind::Traces),
            Differing::Source => Some(Kind::Source),
            Differing::Company => Some(Kind::Company),
            Differing::SameShare
            | Differing::MethodVersion
            | Differing::ToolVersion
            | Differing::Kernel
            | Differing::Interruptions
            | Differing::State => None,
        }
    }

    /// What it is of each of these runs.
    #[must_use]
    pub fn values(self, runs: &[&Digest]) -> Vec<Value> {
        let unlike = if self == Differing::Statistic { unlike_statistics(runs) } else { Vec::new() };
        runs.iter().map(|run| self.of(run, &unlike)).collect()
    }

    /// What it is of a run; `unlike` names the tests whose statistics are compared.
    fn of(self, digest: &Digest, unlike: &[&str]) -> Value {
        let run = &digest.run;
        let (target, testbed) = (&run.environment.target, &run.environment.testbed);
        let known = |name: Option<&String>| name.map_or(Value::Unknown, |name| Value::Name(name.trim().to_owned()));
        match self {
            Differing::Drive => Value::Name(run.environment.drives()),
            Differing::Arm => Value::Name(digest.condition().arm()),
            Differing::Profile if run.profile.is_empty() => Value::None,
            Differing::Profile => Value::Name(run.profile.clone()),
            Differing::DataState => Value::Name(digest.condition().data_state.to_string()),
            Differing::TargetKind => Value::Target(target.kind),
            Differing::TestedSize | Differing::SameShare => Value::Size(run.tested),
            Differing::Firmware => {
                let all: Vec<String> = models(digest).into_iter().filter_map(|(_, firmware)| firmware).collect();
                Value::listed(&all)
            }
            Differing::Statistic => {
                let tests = digest.tests.iter().filter(|test| unlike.contains(&test.name.as_str()));
                Value::listed(&distinct(tests.filter_map(statistic)))
            }
            Differing::MethodVersion => Value::Name(run.method.version.clone()),
            Differing::ToolVersion => {
                let later = run.resumed_with.iter().map(|(tool, _)| tool);
                Value::listed(&distinct([&run.tool].into_iter().chain(later).map(build)))
            }
            Differing::Backend => Value::listed(&run.backends),
            Differing::Kernel => {
                let later = run.resumed_with.iter().map(|(_, kernel)| kernel);
                Value::listed(&distinct([&testbed.kernel].into_iter().chain(later).cloned()))
            }
            Differing::Testbed => testbed.tag.as_ref().map_or(Value::None, |tag| Value::Name(tag.clone())),
            Differing::Cpu => known(testbed.cpu_model.as_ref()),
            Differing::Board => known(testbed.board.as_ref()),
            Differing::FileSystem => {
                target.file_system.as_ref().map_or(Value::None, |system| Value::Name(system.kind.clone()))
            }
            Differing::Traces => {
                // A made-up trace has no hash: the methodology says what it is.
                let hashes =
                    digest.steps().filter_map(|step| step.facts.trace.as_deref()).filter(|hash| !hash.is_empty());
                Value::listed(&distinct(hashes.map(|hash| hash.get(..8).unwrap_or(hash).to_owned())))
            }
            Differing::Source => {
                let source = run.environment.source.as_ref();
                source.map_or(Value::None, |source| Value::Name(source.file_system.source.clone()))
            }
            Differing::Interruptions => Value::Count(run.breaks),
            Differing::Company => Value::Drives(run.drives_at_once()),
            Differing::State => Value::State(run.state),
        }
    }
}

/// A drivelab: `0.1.0 (4f2a…, debug build)`.
fn build(tool: &ToolVersion) -> String {
    let ToolVersion { version, commit, profile } = tool;
    let build = if profile == "release" { "" } else { ", debug build" };
    format!("{version} ({}{build})", commit.get(..12).unwrap_or(commit))
}

/// How the rounds of a test are combined: `mean`, `best of 9`. `None` if it was not measured.
fn statistic(test: &TestDigest) -> Option<String> {
    let rounds = test.steps.iter().flat_map(|step| &step.metrics).map(|metric| metric.rounds.len()).max()?;
    Some(match test.combine {
        Combine::Mean => "mean".to_owned(),
        Combine::Median => "median".to_owned(),
        Combine::Best => format!("best of {rounds}"),
    })
}

/// The tests whose rounds are combined in unlike ways. An incomplete run has fewer rounds in the test that it was
/// stopped in; that it is incomplete is a difference of its own.
fn unlike_statistics<'d>(runs: &[&'d Digest]) -> Vec<&'d str> {
    let complete = || runs.iter().filter(|run| run.run.state == RunState::Complete);
    let tests = || complete().flat_map(|run| &run.tests);
    let is_unlike = |name: &str| distinct(tests().filter(|test| test.name == name).filter_map(statistic)).len() > 1;
    tests().map(|test| test.name.as_str()).filter(|name| is_unlike(name)).collect()
}

/// Each name once, in the order of their first place.
fn distinct(names: impl Iterator<Item = String>) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for name in names {
        if !all.contains(&name) {
            all.push(name);
        }
    }
    all
}

/// The drives below a target, each with its model and firmware, in the order of their names.
fn models(digest: &Digest) -> Vec<(String, Option<String>)> {
    let devices = digest.run.environment.target.devices.iter();
    let drive = |device: &BlockDeviceFacts| Some((device.model.clone()?, device.firmware.clone()));
    let mut models: Vec<_> = devices.filter_map(drive).collect();
    models.sort();
    models
}

/// Whether two of the runs are of the same models: then another firmware is worth a word.
fn share_models(runs: &[&Digest]) -> bool {
    let names = |run: &Digest| models(run).into_iter().map(|(model, _)| model).collect::<Vec<_>>();
    let all: Vec<Vec<String>> = runs.iter().map(|run| names(run)).collect();
    let again = |(at, one): (usize, &Vec<String>)| !one.is_empty() && all[at + 1..].contains(one);
    all.iter().enumerate().any(again)
}

/// By which part of a drive shares of it may differ and still be the same: a partition table and the header of an
/// encryption take a little.
const SAME_SHARE: f64 = 0.01;

/// The share of its drive that a run tested, 0 to 1; `None` if the target is no drive, partition or volume.
fn share(run: &Digest) -> Option<f64> {
    let environment = &run.run.environment;
    let capacity = environment.drive()?.capacity.as_f64();
    let is_device = environment.target.kind == TargetKind::BlockDevice && capacity > 0.0;
    is_device.then(|| run.run.tested.as_f64() / capacity)
}

/// Whether each run tested the same share of its drive.
fn same_share(runs: &[&Digest]) -> bool {
    let Some(shares) = runs.iter().map(|run| share(run)).collect::<Option<Vec<f64>>>() else { return false };
    let (least, most) =
        shares.iter().fold((f64::MAX, f64::MIN), |(least, most), share| (least.min(*share), most.max(*share)));
    most - least <= SAME_SHARE * most
}

/// All differences between runs.
pub(super) fn differences(runs: &[&Digest]) -> Vec<Difference> {
    let different = |what: Differing| {
        let values = what.values(runs);
        let unlike = values.windows(2).any(|two| two[0] != two[1]);
        let tells = match what {
            // Other drives have other firmware: that says nothing more.
            Differing::Firmware => share_models(runs),
            // Runs from before the testbed had a name are not of another one.
            Differing::Testbed => {
                distinct(runs.iter().filter_map(|run| run.run.environment.testbed.tag.clone())).len() > 1
            }
            Differing::TestedSize => !same_share(runs),
            Differing::SameShare => same_share(runs),
            _ => true,
        };
        (unlike && tells).then_some(Difference { what, values })
    };
    Differing::ALL.into_iter().filter_map(different).collect()
}
