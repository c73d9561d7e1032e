//! The published schema of files of published figures matches the types, and the built-in files conform to it.

use std::path::Path;

use drivelab_core::published::Published;
use schemars::generate::SchemaSettings;
use serde_json::Value;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The schema of such a file.
fn schema() -> Value {
    let mut schema = SchemaSettings::default().into_generator().into_root_schema_for::<Published>();
    schema.insert("title".to_owned(), "drivelab, figures that others published".into());
    schema.insert("$id".to_owned(), "drivelab.published.v1".into());
    schema.to_value()
}

#[test]
fn the_published_schema_is_that_of_the_types() {
    let path = root().join("docs/formats/published.schema.json");
    let text = format!("{}\n", serde_json::to_string_pretty(&schema()).expect("JSON"));
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, &text).expect("room");
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(published == text, "UPDATE_SCHEMA=1 writes docs/formats/published.schema.json");
}

#[test]
fn the_built_in_files_keep_to_the_schema() {
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    let files = std::fs::read_dir(root().join("reference/results")).expect("the folder");
    for file in files.map(|entry| entry.expect("an entry").path()) {
        let text = std::fs::read_to_string(&file).expect("a text");
        let table: toml::Table = toml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
        let document = serde_json::to_value(table).expect("JSON");
        let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
        assert_eq!(errors, Vec::<String>::new(), "{}", file.display());
    }
}
