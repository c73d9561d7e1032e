//! The schemas in docs/formats match the types of the documents, and each type is defined once.

use std::collections::BTreeSet;
use std::path::PathBuf;

use drivelab_report::published_schemas;
use serde_json::Value;

#[test]
fn the_published_schemas_are_those_of_the_types() {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats");
    for (name, schema) in published_schemas() {
        let path = folder.join(format!("{name}.schema.json"));
        let text = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let published = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            published == text,
            "docs/formats/{name}.schema.json does not match the types; UPDATE_SCHEMA=1 writes it"
        );
    }
}

/// Every `$ref` in a schema.
fn references(schema: &Value) -> Vec<&str> {
    match schema {
        Value::Object(fields) => {
            let own = fields.get("$ref").and_then(Value::as_str);
            own.into_iter().chain(fields.values().flat_map(references)).collect()
        }
        Value::Array(items) => items.iter().flat_map(references).collect(),
        _ => Vec::new(),
    }
}

#[test]
fn every_reference_leads_to_a_type_and_no_common_type_stands_twice() {
    let all = published_schemas();
    let types = |name: &str| -> BTreeSet<&String> {
        let schema = all.iter().find(|(known, _)| *known == name).map(|(_, schema)| schema);
        schema.and_then(|schema| schema["$defs"].as_object()).into_iter().flat_map(|types| types.keys()).collect()
    };
    let common = types("common");
    assert!(common.len() > 50, "{common:?}");
    for (name, schema) in all.iter().filter(|(name, _)| *name != "common") {
        assert!(types(name).is_disjoint(&common), "{name}");
        for to in references(schema) {
            let (file, kind) = to.split_once("#/$defs/").expect("a type");
            let there = if file.is_empty() { types(name) } else { types(file.trim_end_matches(".schema.json")) };
            assert!(there.contains(&kind.to_owned()), "{name}: {to}");
        }
    }
}
