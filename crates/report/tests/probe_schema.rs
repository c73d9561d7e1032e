//! docs/formats/targets.schema.json and show.schema.json are what the types of those documents say.

use drivelab_report::probe_schemas;

#[test]
fn the_published_schemas_are_those_of_the_types() {
    for (name, schema) in probe_schemas() {
        let path = format!("{}/../../docs/formats/{name}.schema.json", env!("CARGO_MANIFEST_DIR"));
        let text = format!("{}\n", serde_json::to_string_pretty(&schema).unwrap());
        if std::env::var_os("UPDATE_SCHEMA").is_some() {
            std::fs::write(&path, &text).unwrap();
        }
        let published = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            published == text,
            "docs/formats/{name}.schema.json is not what the types say; UPDATE_SCHEMA=1 writes it"
        );
    }
}
