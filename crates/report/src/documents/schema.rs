//! Makes the schema of a document from its type.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

/// JSON Schema of a document as it is written (not as it could be read): a field that is left out when empty is not
/// required.
pub(crate) fn of<T: JsonSchema>(title: &str, id: &str) -> Value {
    let mut schema = SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<T>();
    schema.insert("title".to_owned(), title.into());
    schema.insert("$id".to_owned(), id.into());
    schema.to_value()
}
