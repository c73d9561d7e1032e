//! The published schemas of documents, and whether a document conforms to one.
#![allow(dead_code, unreachable_pub, reason = "shared by several test programs, each of which uses its part")]

use std::path::PathBuf;

use jsonschema::{Retrieve, Uri, Validator};
use serde_json::Value;

/// The folder of the schemas; schemas that one of them refers to are beside it.
struct Formats;

impl Retrieve for Formats {
    fn retrieve(&self, uri: &Uri<String>) -> Result<Value, Box<dyn std::error::Error + Send + Sync>> {
        let name = uri.path().as_str().rsplit('/').next().unwrap_or_default().to_owned();
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats").join(&name);
        Ok(serde_json::from_str(&std::fs::read_to_string(path).map_err(|error| format!("{name}: {error}"))?)?)
    }
}

/// The validator of `docs/formats/NAME.schema.json`.
pub fn validator(name: &str) -> Validator {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/formats/{name}.schema.json"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let schema: Value = serde_json::from_str(&text).expect("a schema is JSON");
    jsonschema::options().with_retriever(Formats).build(&schema).expect("a schema")
}

/// Demands that a document conforms to `docs/formats/NAME.schema.json`.
pub fn fits(name: &str, document: &Value) {
    let validator = validator(name);
    let errors: Vec<String> = validator.iter_errors(document).map(|error| error.to_string()).take(5).collect();
    assert_eq!(errors, Vec::<String>::new(), "{name}: {document:#}");
}
