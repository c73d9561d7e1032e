//! Names and prices that the user set for drives. One file in the data folder, apart from the runs, so that a new
//! catalog keeps it.

use std::path::Path;

use drivelab_core::drive_facts::{Price, Value};
use serde::{Deserialize, Serialize};

use crate::catalog::RunRow;
use crate::document;
use crate::error::StoreError;
use crate::layout::{DRIVES, DRIVES_LOCK, DataDir};
use crate::lock::Lock;

/// Name and price of a drive, or of all drives of a model.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct KeptDrive {
    /// The model that the drive reports; the target of a drive that reports none.
    pub model: String,
    /// Its serial number; absent for all drives of the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub serial: Option<String>,
    /// Its name in comparisons and rankings; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Its price with currency and day, as in a drive facts file; empty for none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub price: String,
}

impl KeptDrive {
    /// Name and price of a drive: what was given to the drive itself goes before what was given to its model.
    #[must_use]
    pub fn of(drives: &[KeptDrive], model: &str, serial: Option<&str>) -> KeptDrive {
        let own = drives.iter().filter(|kept| kept.is_of(model, serial) && serial.is_some());
        let of_model = drives.iter().filter(|kept| kept.is_of(model, None));
        let given: Vec<&KeptDrive> = own.chain(of_model).collect();
        let first = |text: &dyn Fn(&KeptDrive) -> &String| {
            given.iter().map(|kept| text(kept)).find(|text| !text.is_empty()).cloned().unwrap_or_default()
        };
        KeptDrive {
            model: model.to_owned(),
            serial: serial.map(str::to_owned),
            name: first(&|kept| &kept.name),
            price: first(&|kept| &kept.price),
        }
    }

    /// What the user calls the drive of a run; empty for no name. A drive without a model is called by its place.
    #[must_use]
    pub fn name_of(drives: &[KeptDrive], row: &RunRow) -> String {
        let serial = row.drive.as_ref().and(row.serial.as_deref());
        KeptDrive::of(drives, row.drive_or_place(), serial).name
    }

    fn is_of(&self, model: &str, serial: Option<&str>) -> bool {
        self.model == model && self.serial.as_deref() == serial
    }
}

/// Changes name or price of a drive, or of all drives of a model if `serial` is `None`. What other processes change at
/// the same time is kept. Returns what holds for the drive afterwards.
///
/// # Errors
/// [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Io`], [`StoreError::DrivesUnreadable`].
pub fn change_drive(
    data: &DataDir,
    model: &str,
    serial: Option<&str>,
    change: impl FnOnce(&mut KeptDrive),
) -> Result<KeptDrive, StoreError> {
    let _lock = Lock::wait_for(&data.root().join(DRIVES_LOCK))?;
    let mut drives = read_drives(data.root())?;
    let place = drives.iter().position(|kept| kept.is_of(model, serial)).unwrap_or_else(|| {
        let (model, serial) = (model.to_owned(), serial.map(str::to_owned));
        drives.push(KeptDrive { model, serial, ..KeptDrive::default() });
        drives.len() - 1
    });
    change(&mut drives[place]);
    drives.retain(|kept| !kept.name.is_empty() || !kept.price.is_empty());
    document::keep(&data.root().join(DRIVES), "names and prices of drives", &drives)?;
    Ok(KeptDrive::of(&drives, model, serial))
}

/// Names and prices from the data folder at `root`; none if there is no such file.
///
/// # Errors
/// [`StoreError::Io`], [`StoreError::DrivesUnreadable`].
pub fn read_drives(root: &Path) -> Result<Vec<KeptDrive>, StoreError> {
    let file = root.join(DRIVES);
    if !crate::fsio::exists(&file) {
        return Ok(Vec::new());
    }
    let unreadable = |why: String| StoreError::DrivesUnreadable { file: file.clone(), why };
    let drives: Vec<KeptDrive> =
        serde_json::from_slice(&crate::fsio::read(&file)?).map_err(|error| unreadable(error.to_string()))?;
    match drives.iter().find(|kept| !kept.price.is_empty() && Price::read(&kept.price).is_none()) {
        Some(kept) => Err(unreadable(format!("'{}' is not {}", kept.price, Price::EXPECTED))),
        None => Ok(drives),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    const PRICE: &str = "50 EUR on 2026-11-20";

    fn folder() -> (tempfile::TempDir, DataDir) {
        let folder = tempfile::tempdir().expect("a folder");
        let data = DataDir::open(folder.path()).expect("a data folder");
        (folder, data)
    }

    #[test]
    fn a_drive_goes_before_its_model_and_each_fact_is_looked_up_by_itself() {
        let (_folder, data) = folder();
        assert_eq!(read_drives(data.root()).expect("nothing"), []);
        change_drive(&data, "SSD 500GB", None, |kept| PRICE.clone_into(&mut kept.price)).expect("stored");
        let own = change_drive(&data, "SSD 500GB", Some("S1"), |kept| "Old".clone_into(&mut kept.name));
        let own = own.expect("stored");
        assert_eq!((own.name.as_str(), own.price.as_str()), ("Old", PRICE));
        let drives = read_drives(data.root()).expect("stored");
        let other = KeptDrive::of(&drives, "SSD 500GB", Some("S2"));
        assert_eq!((other.name.as_str(), other.price.as_str()), ("", PRICE));
        let without_serial = KeptDrive::of(&drives, "SSD 500GB", None);
        assert_eq!((without_serial.name.as_str(), without_serial.price.as_str()), ("", PRICE));
        assert_eq!(KeptDrive::of(&drives, "SSD 1TB", Some("S1")).price, "");
        change_drive(&data, "SSD 500GB", Some("S1"), |kept| kept.name.clear()).expect("stored");
        assert_eq!(read_drives(data.root()).expect("stored").len(), 1, "nothing is left of the drive itself");
    }

    #[test]
    fn what_is_set_by_several_processes_at_once_is_all_kept() {
        let (_folder, data) = folder();
        let together = Barrier::new(8);
        std::thread::scope(|scope| {
            for drive in 0..8 {
                let (data, together) = (&data, &together);
                scope.spawn(move || {
                    together.wait();
                    let set = |kept: &mut KeptDrive| kept.name = format!("drive {drive}");
                    change_drive(data, &format!("model {drive}"), None, set).expect("stored");
                });
            }
        });
        assert_eq!(read_drives(data.root()).expect("stored").len(), 8);
    }

    #[test]
    fn a_file_that_cannot_be_read_is_named_and_not_replaced() {
        let (_folder, data) = folder();
        for broken in ["{", r#"[{"model": "X", "price": "50 EUR"}]"#] {
            std::fs::write(data.root().join(DRIVES), broken).expect("room");
            let error = change_drive(&data, "X", None, |kept| kept.name.push('x')).expect_err("broken").to_string();
            assert!(error.contains("drives.json") && error.contains("drives price"), "{error}");
            assert_eq!(std::fs::read_to_string(data.root().join(DRIVES)).expect("the file"), broken);
        }
    }
}
