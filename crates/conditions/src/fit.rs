//! Every reason to refuse a condition, before anything is changed: contradicting options, sizes, missing programs and
//! features.

use std::path::Path;

use drivelab_core::condition::{Arm, Condition, DataState, Share};
use drivelab_core::units::Bytes;
use drivelab_device::BlockNode;

use crate::controller::Controllers;
use crate::error::ConditionsError;
use crate::gpt::Layout;
use crate::programs::{ADDPART, CRYPTSETUP, DELPART};
use crate::{file_system, kernel, luks, opal, power};

/// Bytes that a LUKS2 header takes up (cryptsetup's default).
const LUKS_TAKES: Bytes = Bytes::new(luks::HEADER);
/// Least size to measure on, after everything that is set up.
const LEAST: Bytes = Bytes::new(16 << 20);

/// Checks whether a condition can be set up on a device of this machine. `admin_key` is the file with the key of the
/// drive's administrator, which only the arm opal needs.
///
/// # Errors
/// What is wrong, missing or too small; nothing was touched.
pub fn check(node: &BlockNode, condition: &Condition, admin_key: Option<&Path>) -> Result<(), ConditionsError> {
    contradictions(condition)?;
    let Condition { partition, span, file_system, encryption, data_state: _, power_state } = *condition;
    let mut length = Bytes::new(kernel::bytes(&node.name).unwrap_or_default());
    if let Some(share) = partition {
        if node.is_partition() {
            return Err(ConditionsError::Wish(format!(
                "{} is a partition already: name the whole disk {}, or leave --partition out",
                node.name, node.whole
            )));
        }
        ADDPART.check()?;
        DELPART.check()?;
        let block = kernel::logical_block(&node.whole);
        let of = |share: Share| Bytes::new(Layout::new(length, block, share).map_or(0, |layout| layout.length));
        fits(node, "--partition", share, of(Share::Bytes(length)))?;
        length = of(share);
    }
    match encryption {
        Arm::None => {}
        Arm::Luks2(_) => {
            CRYPTSETUP.check()?;
            luks::check_kernel("luks2")?;
            length = Bytes::new(length.get().saturating_sub(LUKS_TAKES.get()));
        }
        Arm::Opal => {
            whole_for_opal(node)?;
            opal::check(opal::says_of_opal(node), opal::key::answer(admin_key))?;
            luks::check_kernel("opal")?;
            length = Bytes::new(length.get().saturating_sub(LUKS_TAKES.get()));
        }
    }
    if length < LEAST {
        return Err(ConditionsError::Target(format!(
            "under this condition only {} would be left on {} to measure, and at least {} are needed: use a larger \
             share, or a larger drive. Nothing was touched",
            length.about(),
            node.path.display(),
            LEAST.about()
        )));
    }
    if let Some(share) = span {
        fits(node, "--span", share, length.align_down(Bytes::MIB))?;
    }
    if let Some(kind) = file_system {
        file_system::check(kind, length)?;
    }
    if let Some(state) = power_state {
        power::plan(&Controllers::Kernel, node, state)?;
    }
    Ok(())
}

/// Refuses a size in bytes that is larger than what is available: the requested size labels the run, so it must be
/// the measured size. `most` is the largest available size, in whole MiB.
fn fits(node: &BlockNode, flag: &str, share: Share, most: Bytes) -> Result<(), ConditionsError> {
    match share {
        // If nothing at all is available, another message reports that.
        Share::Bytes(asked) if asked > most && most.get() > 0 => Err(ConditionsError::Wish(format!(
            "{flag} {asked} is more than {} can provide under this condition: at most {most}; use no more than that, or a \
             share such as 100%. Nothing was touched",
            node.path.display()
        ))),
        Share::Bytes(_) | Share::Percent(_) => Ok(()),
    }
}

/// cryptsetup numbers locking ranges by partition and resets the range with that number, wherever it lies. This is
/// safe only on a drive that was released as a whole.
fn whole_for_opal(node: &BlockNode) -> Result<(), ConditionsError> {
    if !node.is_partition() {
        return Ok(());
    }
    Err(ConditionsError::Wish(format!(
        "{} is a partition, and the arm opal resets a locking range of the drive that may reach beyond it: name the whole \
         disk {}, with --partition to use a part of it. Nothing was touched",
        node.name, node.whole
    )))
}

/// Options that contradict each other.
fn contradictions(condition: &Condition) -> Result<(), ConditionsError> {
    let Condition { partition: _, span, file_system, encryption, data_state, power_state: _ } = *condition;
    let wrong = |text: &str| Err(ConditionsError::Wish(text.to_owned()));
    match (file_system, data_state) {
        (Some(_), _) if span.is_some() => {
            wrong("--span is for devices; on a file system, set the size of the test file with --size")
        }
        (Some(_), DataState::Discarded | DataState::OverwrittenRandom) => wrong(
            "on a file system the methodology prepares its own file, so the data states discarded and overwritten-random \
             are for devices: leave --file-system out",
        ),
        (_, DataState::Discarded) if matches!(encryption, Arm::Luks2(_)) => wrong(
            "dm-crypt does not pass discards on by default, because they reveal which blocks are empty: leave out the arm \
             luks2 or the data state discarded",
        ),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use drivelab_core::condition::FileSystem;

    use super::*;

    #[test]
    fn wishes_that_contradict_each_other_are_refused_in_words() {
        let base = Condition::default();
        let refused = |condition: Condition, word: &str| {
            let text = contradictions(&condition).expect_err("refused").to_string();
            assert!(text.contains(word), "{text}");
        };
        let on_files = Condition { file_system: Some(FileSystem::Ext4), ..base };
        refused(Condition { span: "25%".parse().ok(), ..on_files }, "--size");
        refused(Condition { data_state: DataState::Discarded, ..on_files }, "--file-system");
        refused(Condition { data_state: DataState::OverwrittenRandom, ..on_files }, "--file-system");
        let coded = Condition { encryption: "luks2".parse().expect("an arm"), ..base };
        refused(Condition { data_state: DataState::Discarded, ..coded }, "dm-crypt");
        contradictions(&Condition { data_state: DataState::Fresh, ..on_files }).expect("fits");
        contradictions(&Condition { data_state: DataState::OverwrittenRandom, ..coded }).expect("fits");
    }
}
