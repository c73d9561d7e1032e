//! The condition around a target, as asked for and as set up: partition, file system, encryption arm, data state,
//! power state.
//!
//! Owns the types, their text on the command line and in records, and which parts of a condition must be equal for
//! two runs to be comparable. Must not know how anything is set up (crate `conditions`). Parameters of the encryption
//! arms: research notes, methods section 7, cryptsetup-luksFormat(8).

mod facts;
mod series;
mod words;

pub use facts::{
    ConditionFacts, EncryptionCheck, EncryptionFacts, FormatFacts, HardwareFacts, LockCheck, PartitionFacts,
    PowerStateFacts,
};
pub use series::{ArmOrder, MOST_REPEATS, MethodConditions, PowerStates, Series};
pub use words::{Arm, Condition, ConditionError, DataState, FileSystem, Luks2, Share};
