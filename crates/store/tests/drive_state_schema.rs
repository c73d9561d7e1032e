//! The published schema of a drive's state matches the types, and the stored file conforms to it.

use std::path::Path;

use drivelab_core::drive_state::{DriveState, KeptState};
use drivelab_core::target::DeviceIdentity;
use drivelab_core::units::Bytes;
use drivelab_store::{DataDir, write_drive_state};
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// The schema of the file.
fn schema() -> Value {
    let mut schema = SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<KeptState>();
    schema.insert("title".to_owned(), "drivelab, the state in which a drive was left".into());
    schema.insert("$id".to_owned(), "drivelab.drive-state.v1".into());
    schema.to_value()
}

#[test]
fn the_published_schema_is_that_of_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/formats/drive-state.schema.json");
    let text = format!("{}\n", serde_json::to_string_pretty(&schema()).unwrap());
    if std::env::var_os("UPDATE_SCHEMA").is_some() {
        std::fs::write(&path, &text).unwrap();
    }
    let published = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(published == text, "UPDATE_SCHEMA=1 writes docs/formats/drive-state.schema.json");
}

#[test]
fn what_is_kept_of_a_drive_keeps_to_the_schema() {
    let folder = tempfile::tempdir().unwrap();
    let data = DataDir::open(folder.path()).unwrap();
    let device = DeviceIdentity {
        name: "nvme0n1".to_owned(),
        whole: "nvme0n1".to_owned(),
        number: "259:0".to_owned(),
        model: Some("Example".to_owned()),
        serial: Some("1".to_owned()),
        wwid: None,
        by_id: Vec::new(),
        capacity: Bytes::new(1 << 30),
        diskseq: Some(3),
        backing_file: None,
    };
    let kept = KeptState {
        device,
        run: "r".to_owned(),
        left_so_before: vec!["q".to_owned()],
        at: "2026-01-01T00:00:00Z".to_owned(),
        boot: Some("b".to_owned()),
        running: None,
        state: DriveState::empty(Bytes::new(1 << 30)),
    };
    write_drive_state(&data, &kept).unwrap();
    let file = std::fs::read_dir(folder.path().join("drive-states")).unwrap().next().unwrap().unwrap().path();
    let document: Value = serde_json::from_slice(&std::fs::read(file).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema()).unwrap();
    let errors: Vec<String> = validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert_eq!(errors, Vec::<String>::new());
    for (field, wrong) in [("state", Value::Null), ("device", Value::from("nvme0n1")), ("at", Value::from(5))] {
        let mut broken = document.clone();
        broken[field] = wrong;
        assert!(!validator.is_valid(&broken), "a wrong `{field}` passes");
    }
}
