//! The published schema of files of rules for verdicts matches the types, and the built-in file conforms to it.

use std::path::Path;

use drivelab_core::verdict_rules::VerdictRules;
use schemars::generate::SchemaSettings;
use serde_json::Value;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// The schema of such a file.
fn schema() -> Value {
    let mut schema = SchemaSettings::default().into_generator().into_root_schema_for::<VerdictRules>();
    schema.insert("title".to_owned(), "drivelab, rules for verdicts".into());
    schema.insert("$id".to_owned(), "drivelab.verdicts.v1".into());
    schema.to_value()
}

#[test]
fn the_published_schema_is_that_of_the_types_and_the_built_in_rules_keep_to_it() {
    let path = root().join("docs/formats/verdicts.schema.json");
    let text = format!("{}\n", serde_json::to_string_pretty(&schema()).expect("JSON"));
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, &text).expect("room");
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(published == text, "UPDATE_SCHEMA=1 writes docs/formats/verdicts.schema.json");
    let validator = jsonschema::validator_for(&schema()).expect("a schema");
    let rules = std::fs::read_to_string(root().join("reference/verdicts.toml")).expect("the rules");
    let document = serde_json::to_value(toml::from_str::<toml::Table>(&rules).expect("TOML")).expect("JSON");
    let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
}

/// Every example of rules in the guide can be used as it stands.
#[test]
fn the_rules_in_the_guide_are_sound() {
    let guide = std::fs::read_to_string(root().join("docs/guide/verdicts.md")).expect("the guide");
    let examples: Vec<&str> = guide.split("```toml\n").skip(1).filter_map(|rest| rest.split("```").next()).collect();
    assert_eq!(examples.len(), 1);
    let rules: VerdictRules = toml::from_str(examples[0]).expect("rules");
    assert_eq!(rules.check(), Ok(()));
}
