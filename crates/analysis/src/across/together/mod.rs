//! Several drives at once.

mod feed;
mod findings;
mod group;
mod health;
mod scaling;
mod share;
mod signs;
#[doc(hidden)]
pub(crate) use feed::of_run as feed_of_run;
pub use feed::{Feed, FeedDrive, FeedStep, drives_needed};
pub use findings::SHARED_DEVICE;
pub use group::{GroupDrive, KeptRange, Together, stretches, together};
pub use health::{DriveHealth, StepHealth};
pub use scaling::{Doubling, Ratio, Scaling, SizedRate, capacity, per_doubling};
pub use share::{CoreShare, CpuShare, Member, Second, Share, StepTogether};
pub use signs::Signs;
