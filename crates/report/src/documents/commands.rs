//! The schemas of what commands that make no report print as JSON: dry runs, `wipe`, `watch`.
//!
//! Must not know how anything is planned, emptied or watched.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::documents::dry_run::DryRun;
use crate::documents::watch::{WatchCost, WatchLine};
use crate::documents::wipe::WipeDocument;

/// The schemas: name of the file without its end, schema.
#[must_use]
pub fn command_schemas() -> [(&'static str, Value); 4] {
    [
        ("dry-run", schema::<DryRun>("drivelab, what a command would do", "drivelab.dry-run.v1")),
        ("watch", schema::<WatchLine>("drivelab watch, one line", "drivelab.watch.v1")),
        ("watch-cost", schema::<WatchCost>("drivelab watch --cost", "drivelab.watch-cost.v1")),
        ("wipe", schema::<WipeDocument>("drivelab wipe", "drivelab.wipe.v1")),
    ]
}

fn schema<T: JsonSchema>(title: &str, id: &str) -> Value {
    let mut schema = SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    schema.insert("$id".to_owned(), id.into());
    schema.to_value()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_schemas_of_commands_are_those_of_the_types() {
        for (name, schema) in command_schemas() {
            let path = format!("{}/../../docs/formats/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
            let text = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
            if std::env::var_os("UPDATE_SCHEMA").is_some() {
                std::fs::write(&path, &text).unwrap();
            }
            let published = std::fs::read_to_string(&path).unwrap_or_default();
            assert!(published == text, "UPDATE_SCHEMA=1 writes docs/formats/{name}.schema.json");
            jsonschema::validator_for(&schema).unwrap();
        }
    }
}
