//! The last measured costs of watching, one entry for each drive: one file in the data folder.

use std::path::Path;

use drivelab_core::watching_cost::WatchingCost;

use crate::document;
use crate::error::StoreError;
use crate::layout::{DataDir, WATCHING_COSTS, WATCHING_COSTS_LOCK};
use crate::lock::Lock;

/// Most drives that are kept; the one with the oldest measurement is removed first.
const MOST: usize = 100;

/// Stores the measurement and replaces the earlier one of the same drive. Entries of other drives that other
/// processes store at the same time are kept.
///
/// # Errors
/// [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Io`]; [`StoreError::Unstorable`] for a figure that
/// JSON cannot hold.
pub fn write_watching_cost(data: &DataDir, cost: &WatchingCost) -> Result<(), StoreError> {
    let _lock = Lock::wait_for(&data.root().join(WATCHING_COSTS_LOCK))?;
    let mut all = read_watching_costs(data.root());
    all.retain(|kept| !kept.is_of(&cost.device));
    all.push(cost.clone());
    all.drain(..all.len().saturating_sub(MOST));
    document::keep(&data.root().join(WATCHING_COSTS), "what watching costs", &all)
}

/// The entries stored in the data folder at `root`, the newest last; empty if there are none, or none that this
/// version can read: a new measurement takes only a few seconds.
#[must_use]
pub fn read_watching_costs(root: &Path) -> Vec<WatchingCost> {
    let kept = crate::fsio::read(&root.join(WATCHING_COSTS)).ok();
    kept.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use drivelab_core::target::DeviceIdentity;
    use drivelab_core::units::{Bytes, Nanos};
    use drivelab_core::watching_cost::ReadLatency;

    use super::*;

    fn cost(serial: String) -> WatchingCost {
        let device = DeviceIdentity {
            name: "nvme0n1".to_owned(),
            whole: "nvme0n1".to_owned(),
            number: "259:0".to_owned(),
            model: Some("X".to_owned()),
            serial: Some(serial),
            wwid: None,
            by_id: Vec::new(),
            capacity: Bytes::new(4096),
            diskseq: Some(1),
            backing_file: None,
        };
        WatchingCost {
            measured: String::new(),
            version: String::new(),
            profile: String::new(),
            kernel: String::new(),
            device,
            sources: Vec::new(),
            pairs: 5,
            stretch: Nanos::from_secs(2),
            without: ReadLatency::default(),
            with: ReadLatency::default(),
        }
    }

    #[test]
    fn what_is_measured_on_several_drives_at_once_is_all_kept() {
        let folder = tempfile::tempdir().expect("a folder");
        let data = DataDir::open(folder.path()).expect("a data folder");
        let together = Barrier::new(8);
        std::thread::scope(|scope| {
            for drive in 0..8 {
                let (data, together) = (&data, &together);
                scope.spawn(move || {
                    together.wait();
                    write_watching_cost(data, &cost(format!("drive {drive}"))).expect("written");
                });
            }
        });
        let mut kept: Vec<_> = read_watching_costs(folder.path()).into_iter().map(|cost| cost.device.serial).collect();
        kept.sort();
        assert_eq!(kept, (0..8).map(|drive| Some(format!("drive {drive}"))).collect::<Vec<_>>());
        write_watching_cost(&data, &cost("drive 3".to_owned())).expect("written");
        assert_eq!(read_watching_costs(folder.path()).len(), 8, "in place of what was kept before");
    }
}
