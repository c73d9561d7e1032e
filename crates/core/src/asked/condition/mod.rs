//! What is set up around a target before a run, as asked for and as made: partition, file system, encryption arm, data
//! state, power state.
//!
//! Owns the words, their text on the command line and in records, and which of them two runs must share to be compared.
//! Must not know how anything is set up (crate `conditions`). Parameters of the encryption arms: research notes,
//! methods section 7, cryptsetup-luksFormat(8).

mod facts;
mod series;
mod words;

pub use facts::{
    ConditionFacts, EncryptionCheck, EncryptionFacts, FormatFacts, HardwareFacts, LockCheck, PartitionFacts,
    PowerStateFacts,
};
pub use series::{ArmOrder, MOST_REPEATS, MethodConditions, PowerStates, Series};
pub use words::{Arm, Condition, ConditionError, DataState, FileSystem, Luks2, Share};
