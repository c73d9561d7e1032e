//! The state in which a drive was left: one file for each drive in the data folder, for the next run.

use std::path::{Path, PathBuf};

use drivelab_core::drive_state::KeptState;
use drivelab_core::target::DeviceIdentity;

use crate::error::StoreError;
use crate::layout::{DRIVE_STATES, DataDir};
use crate::{document, fsio};

/// Stores the current state of a drive and replaces the earlier one.
///
/// # Errors
/// [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Io`]; [`StoreError::Unstorable`] for a figure that
/// JSON cannot hold.
pub fn write_drive_state(data: &DataDir, state: &KeptState) -> Result<(), StoreError> {
    let folder = data.root().join(DRIVE_STATES);
    if !folder.is_dir() {
        fsio::create_dir(&folder)?;
    }
    document::keep(&file_of(data.root(), &state.device), "the state of the drive", state)
}

/// The state of a drive stored in the data folder at `root`; `None` if there is none, or none that this version can
/// read: the drive is then prepared again.
#[must_use]
pub fn read_drive_state(root: &Path, device: &DeviceIdentity) -> Option<KeptState> {
    let kept: KeptState = serde_json::from_slice(&crate::fsio::read(&file_of(root, device)).ok()?).ok()?;
    // The disk sequence number and the device number show that the device appeared again, not that it is another one.
    let now = DeviceIdentity { diskseq: kept.device.diskseq, ..device.clone() };
    now.changes_since(&kept.device).is_empty().then_some(kept)
}

/// The file of a device, named after its constant properties. A part of a disk is distinguished from the whole disk
/// by its length.
fn file_of(root: &Path, device: &DeviceIdentity) -> PathBuf {
    let DeviceIdentity { name, whole, model, serial, wwid, capacity, backing_file, .. } = device;
    let part = name.strip_prefix(whole.as_str()).unwrap_or_default();
    let who = match (wwid, serial, backing_file) {
        (Some(wwid), _, _) => wwid.clone(),
        (None, Some(serial), _) => format!("{} {serial}", model.as_deref().unwrap_or_default()),
        (None, None, Some(file)) => file.display().to_string(),
        (None, None, None) => whole.clone(),
    };
    let hash = blake3::hash(format!("{who}\n{part}\n{}", capacity.get()).as_bytes()).to_hex();
    root.join(DRIVE_STATES).join(format!("{}.json", &hash.as_str()[..16]))
}

#[cfg(test)]
mod tests {
    use drivelab_core::drive_state::DriveState;
    use drivelab_core::units::Bytes;

    use super::*;

    fn device(serial: Option<&str>, diskseq: u64) -> DeviceIdentity {
        DeviceIdentity {
            name: "nvme0n1".to_owned(),
            whole: "nvme0n1".to_owned(),
            number: "259:0".to_owned(),
            model: Some("X".to_owned()),
            serial: serial.map(str::to_owned),
            wwid: None,
            by_id: Vec::new(),
            capacity: Bytes::new(4096),
            diskseq: Some(diskseq),
            backing_file: None,
        }
    }

    #[test]
    fn a_state_is_found_again_after_a_restart_and_never_of_another_drive() {
        let folder = tempfile::tempdir().expect("a folder");
        let data = DataDir::open(folder.path()).expect("a data folder");
        let kept = KeptState {
            device: device(Some("A"), 1),
            run: "r".to_owned(),
            left_so_before: vec!["q".to_owned()],
            at: "2026-01-01T00:00:00Z".to_owned(),
            boot: None,
            running: None,
            state: DriveState::empty(Bytes::new(4096)),
        };
        write_drive_state(&data, &kept).expect("written");
        assert_eq!(read_drive_state(folder.path(), &device(Some("A"), 7)), Some(kept.clone()));
        assert_eq!(read_drive_state(folder.path(), &device(Some("B"), 1)), None);
        assert_eq!(read_drive_state(folder.path(), &device(None, 1)), None);
        // A file with the right name but the wrong drive.
        let swapped = DeviceIdentity { model: Some("Y".to_owned()), ..device(None, 1) };
        write_drive_state(&data, &KeptState { device: device(None, 1), ..kept }).expect("written");
        assert_eq!(read_drive_state(folder.path(), &swapped), None);
    }
}
