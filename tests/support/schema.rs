//! The published schemas of documents, and whether a document keeps to one.
#![allow(dead_code, unreachable_pub, reason = "shared by several test programs, each of which uses its part")]

use std::path::Path;

use serde_json::Value;

/// Demands that a document keeps to `docs/formats/NAME.schema.json`.
pub fn fits(name: &str, document: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/formats/{name}.schema.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let schema: Value = serde_json::from_str(&text).expect("a schema is JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let errors: Vec<String> = validator.iter_errors(document).map(|error| error.to_string()).take(5).collect();
    assert_eq!(errors, Vec::<String>::new(), "{name}: {document:#}");
}
