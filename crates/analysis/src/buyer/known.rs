//! What the answers are made of.

use drivelab_core::content::ContentSample;
use drivelab_core::drive_facts::DriveFacts;
use drivelab_core::environment::BlockDeviceFacts;
use drivelab_core::metric::Wrong;
use drivelab_core::plan::Combine;
use drivelab_core::probe::{NotKnown, TargetProbe};
use drivelab_core::units::Bytes;

use crate::topics::limits::LimitKind;

/// A place that was read sequentially.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Place {
    /// Where it begins.
    pub offset: Bytes,
    /// Its length; not all of it may have been read.
    pub length: Bytes,
    /// `read.throughput` of its step, in 10^6 bytes per second; of the undisturbed rounds, if there are any.
    pub mb_s: f64,
    /// Rounds that the rate rests on.
    pub rounds: usize,
    /// How they were combined into one figure.
    pub combine: Combine,
    /// Rounds left out because other programs used the disk.
    pub left_out: usize,
    /// In which direction it is wrong because other programs used the disk in every round; absent if they did not.
    pub wrong: Option<Wrong>,
    /// What limited it other than the target, so that it is a lower bound; absent if nothing did.
    pub held_back: Option<LimitKind>,
}

/// Small reads of one step, in microseconds: its `read.latency_mean`, `read.latency_p99` and `read.latency_max`.
#[derive(Debug, Clone, PartialEq)]
pub struct SmallReads {
    /// The label of the step.
    pub label: String,
    /// Mean.
    pub mean_us: f64,
    /// 99 % took no longer; absent if there were too few reads.
    pub p99_us: Option<f64>,
    /// The longest.
    pub longest_us: f64,
    /// In which direction they are wrong because other programs used the disk; `None` if none did.
    pub wrong: Option<Wrong>,
}

/// What the answers are made of.
#[derive(Debug, Clone, Copy)]
pub struct Known<'a> {
    /// The probe of the drive, if there is one below the target.
    pub probe: Option<&'a TargetProbe>,
    /// The known facts of its model.
    pub facts: Option<&'a DriveFacts>,
    /// What was read from it; absent if it may not be read.
    pub read: Option<&'a Read<'a>>,
    /// Why nothing was read; absent if something was.
    pub not_read: Option<&'a NotKnown>,
}

/// What a run that only read found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Read<'a> {
    /// Places that were read sequentially, by their addresses.
    pub places: Vec<Place>,
    /// Small reads across the whole target.
    pub small: Vec<SmallReads>,
    /// Operations that ended in errors.
    pub errors: u64,
    /// Samples of what the places hold; absent if none were taken.
    pub content: Option<&'a ContentSample>,
}

impl<'a> Known<'a> {
    /// The drive itself.
    pub(super) fn device(&self) -> Option<&'a BlockDeviceFacts> {
        self.probe.and_then(TargetProbe::device)
    }

    /// Samples of what the target holds.
    pub(super) fn content(&self) -> Option<&'a ContentSample> {
        self.read.and_then(|read| read.content)
    }

    /// Why the device is not a drive itself: it is a virtual disk, or a layer over another device.
    pub(super) fn layer(&self) -> Option<String> {
        let Some(device) = self.device() else { return Some("no drive was found below the target".to_owned()) };
        if let Some(why) = &device.virtual_because {
            return Some(format!("{} is not a drive but {why}", device.name));
        }
        let below = device.lies_on.join(", ");
        (!below.is_empty()).then(|| format!("{} is not a drive: it lies on {below}", device.name))
    }
}
