//! What the user calls this testbed: one file in the data folder, which every run on it copies.

use std::path::Path;

use drivelab_core::environment::TestbedFacts;
use serde::{Deserialize, Serialize};

use crate::document;
use crate::error::StoreError;
use crate::layout::{DataDir, TESTBED};

/// A testbed that has a name.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NamedTestbed {
    /// Its name: `Testbed-v1`.
    pub tag: String,
    /// A note: what no probe shows, such as cooling and power supply.
    #[serde(default)]
    pub note: String,
    /// The host when it was named.
    pub facts: TestbedFacts,
}

impl NamedTestbed {
    /// What is different now, as `what: then, now`; of the parts that change figures.
    #[must_use]
    pub fn changes(&self, now: &TestbedFacts) -> Vec<String> {
        let known = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".to_owned());
        let parts = |facts: &TestbedFacts| {
            [
                ("CPU", known(&facts.cpu_model)),
                ("CPUs", facts.cpus.to_string()),
                ("board", known(&facts.board)),
                ("board firmware", known(&facts.firmware)),
                ("kernel", facts.kernel.clone()),
                // The kernel's share of it differs a little from boot to boot.
                ("memory", format!("{} GiB", (facts.memory.get() + (1 << 29)) >> 30)),
            ]
        };
        let both = parts(&self.facts).into_iter().zip(parts(now));
        let changed = both.filter(|(then, now)| then.1 != now.1);
        changed.map(|((what, then), (_, now))| format!("{what}: {then}, now {now}")).collect()
    }
}

/// Stores the name of this testbed and replaces the earlier one.
///
/// # Errors
/// [`StoreError::Full`], [`StoreError::ReadOnly`], [`StoreError::Io`].
pub fn write_testbed(data: &DataDir, testbed: &NamedTestbed) -> Result<(), StoreError> {
    document::keep(&data.root().join(TESTBED), "the name of this testbed", testbed)
}

/// The named testbed in the data folder at `root`; `None` if it has no name.
///
/// # Errors
/// [`StoreError::Io`], [`StoreError::TestbedUnreadable`].
pub fn read_testbed(root: &Path) -> Result<Option<NamedTestbed>, StoreError> {
    let file = root.join(TESTBED);
    if !crate::fsio::exists(&file) {
        return Ok(None);
    }
    let read = serde_json::from_slice(&crate::fsio::read(&file)?);
    read.map(Some).map_err(|error| StoreError::TestbedUnreadable { file, why: error.to_string() })
}
