//! The schemas of the JSON that commands without a report print: dry runs, `wipe`, `watch`.
//!
//! Must not know how anything is planned, wiped or watched.

use serde_json::Value;

use crate::documents::dry_run::DryRun;
use crate::documents::schema;
use crate::documents::watch::{WatchCost, WatchLine};
use crate::documents::wipe::WipeDocument;

/// The schemas: file name without its extension, schema.
pub(crate) fn command_schemas() -> [(&'static str, Value); 4] {
    [
        ("dry-run", schema::of::<DryRun>("drivelab, what a command would do", "drivelab.dry-run.v1")),
        ("watch", schema::of::<WatchLine>("drivelab watch, one line", "drivelab.watch.v1")),
        ("watch-cost", schema::of::<WatchCost>("drivelab watch --cost", "drivelab.watch-cost.v1")),
        ("wipe", schema::of::<WipeDocument>("drivelab wipe", "drivelab.wipe.v1")),
    ]
}
