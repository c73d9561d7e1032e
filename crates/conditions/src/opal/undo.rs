//! Giving a locking range back, by the same process or by a later one, at whatever point setting it up was
//! interrupted: a drive must never be left locked with a key that nobody has.

use std::path::Path;

use drivelab_device::guard::{self, Released};
use drivelab_device::{Named, classify};
use uuid::Uuid;

use super::key::AdminKey;
use super::{commands, drive};
use crate::controller::Controllers;
use crate::drive::{read, wipe_ends};
use crate::error::ConditionsError;
use crate::luks::{self, HEADER, Key};
use crate::tear_down::Undoing;

/// What is found at the place of the range's header.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Found {
    /// The run's own header.
    Own,
    /// Another header, or anything else that this run did not create: its name.
    Somebodys(String),
    /// Nothing: setting up was not begun, was interrupted, or was undone before.
    Nothing,
}

/// Ends the range, and wipes its header. `released` is called only if something is written; `held` means that no
/// other program could write to the drive since the range was begun.
///
/// # Errors
/// What failed; the range then still exists, and the text says how it can be given back.
pub(crate) fn give_back<'a>(
    controllers: &Controllers,
    (node, uuid, key_file): (&Path, &str, &Path),
    held: bool,
    released: impl FnOnce() -> Result<&'a Released, ConditionsError>,
) -> Result<Undoing, ConditionsError> {
    let shown = node.display();
    let Some(below) = node.to_str().filter(|_| node.exists()) else {
        return Err(ConditionsError::Target(format!(
            "{shown} does not exist, so its locking range cannot be given back: attach the drive again; the key is in {}, and \
             the PSID on the drive's label resets it in any case (`cryptsetup erase --hw-opal-factory-reset`)",
            key_file.display()
        )));
    };
    match found(node, luks::uuid_of(below)?.as_deref(), uuid)? {
        Found::Own => {}
        Found::Somebodys(what) => {
            let text = format!("{shown} holds {what}, which drivelab did not create: it was left alone");
            return Ok(Undoing::Somebodys(text));
        }
        Found::Nothing => {
            let Named::BlockDevice(block) = classify(node)? else {
                return Err(ConditionsError::Target(format!("{shown} is no longer a block device")));
            };
            if !drive::is_owned(controllers, &block)? {
                // A range needs an owner, so none was set up.
                return Ok(Undoing::NotThere);
            }
            let released = released()?;
            if !held {
                may_begin_again(released, node)?;
            }
            return begin_again(node, below, key_file);
        }
    }
    let released = released()?;
    commands::erase(below, &admin(key_file, node)?)?;
    wipe_ends(released, node, HEADER)?;
    Ok(Undoing::Undone(format!("erased and ended the locking range on {shown}")))
}

/// Setting a range up once more destroys the data in it. If the drive refuses to read there, the range is locked; if
/// it reads empty blocks only, nothing is lost. Anything else may be a volume without a header that was created
/// since, and only the user can know.
fn may_begin_again(released: &Released, node: &Path) -> Result<(), ConditionsError> {
    let is_locked = read(node, HEADER, 4096).is_err();
    let data: Vec<&str> = released
        .decision()
        .device
        .iter()
        .flat_map(|device| device.overridden.iter().map(String::as_str))
        .filter(|found| found.starts_with("data in "))
        .collect();
    if is_locked || data.is_empty() {
        return Ok(());
    }
    Err(ConditionsError::Target(format!(
        "{shown} has no header, can be read, and holds {}: it is unknown whether that is left of a locking range that \
         was half set up, or was written since, so it was left alone. If it is not needed, first run \
         `drivelab wipe {shown}`, then `drivelab resume --last` again; the PSID on the drive's label resets it in any case",
        data.join(" and "),
        shown = node.display(),
    )))
}

fn found(node: &Path, header: Option<&str>, own: &str) -> Result<Found, ConditionsError> {
    match header {
        Some(uuid) if uuid == own => return Ok(Found::Own),
        Some(uuid) => return Ok(Found::Somebodys(format!("the LUKS header {uuid}"))),
        None => {}
    }
    let Named::BlockDevice(block) = classify(node)? else { return Ok(Found::Nothing) };
    let known = guard::known_content(&block)?;
    Ok(if known.is_empty() { Found::Nothing } else { Found::Somebodys(known.join(" and ")) })
}

/// The administrator's key, or what to do if it is gone.
fn admin(key_file: &Path, node: &Path) -> Result<AdminKey, ConditionsError> {
    AdminKey::read(key_file).map_err(|error| {
        ConditionsError::Target(format!(
            "the locking range on {} cannot be given back without the key: {error}. Restore the key file and run `drivelab \
             resume --last`; the PSID on the drive's label resets it in any case",
            node.display()
        ))
    })
}

/// cryptsetup cannot address a range whose header was never written: the range is set up once more, which resets it,
/// and then erased. That needs the key of the drive's owner; if the drive refuses it and nothing is locked, the range
/// was never set up.
fn begin_again(node: &Path, below: &str, key_file: &Path) -> Result<Undoing, ConditionsError> {
    let admin = admin(key_file, node)?;
    let again = commands::format(below, &Uuid::now_v7().to_string(), &Key::random()?, &admin);
    match again.and_then(|()| commands::erase(below, &admin)) {
        Ok(()) => Ok(Undoing::Undone(format!("ended a locking range on {below} that was half set up"))),
        Err(error) if read(node, HEADER, 4096).is_ok() => Ok(Undoing::Somebodys(format!(
            "no locking range on {below} was ended ({error}), and none is locked: most likely the key is not the key of the \
             drive's owner, and no range was ever set up"
        ))),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    //! The parts that need no drive: the owner of a header, and the message for a drive that is gone.

    use std::fs;

    use super::*;

    #[test]
    fn a_header_of_somebody_else_is_no_range_of_ours() {
        let node = Path::new("/dev/none");
        assert_eq!(found(node, Some("a"), "a").expect("a look"), Found::Own);
        assert!(matches!(found(node, Some("b"), "a").expect("a look"), Found::Somebodys(what) if what.contains("b")));
    }

    #[test]
    fn a_drive_that_is_gone_stays_on_the_ledger_with_the_way_out() {
        let never = || -> Result<&Released, ConditionsError> { panic!("nothing is to be written") };
        let error =
            give_back(&Controllers::Kernel, (Path::new("/dev/drivelab-none"), "u", Path::new("/k")), false, never)
                .expect_err("it is gone");
        assert!(error.to_string().contains("PSID") && error.to_string().contains("/k"), "{error}");
    }

    #[test]
    fn a_key_that_is_gone_is_named_with_the_way_out() {
        let folder = tempfile::tempdir().expect("a folder");
        let Err(error) = admin(&folder.path().join("key"), Path::new("/dev/x")) else { panic!("there is none") };
        assert!(error.to_string().contains("Restore the key file") && error.to_string().contains("PSID"), "{error}");
        assert_eq!(fs::read_dir(folder.path()).expect("a folder").count(), 0, "and none is generated");
    }
}
