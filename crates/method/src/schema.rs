//! The JSON Schema of the methodology language, made from the same tables as the checker.
//!
//! Editors use it for completion and checks while writing; what only the program can know (references, axes, what
//! fits a target) is not in it. The checked-in copy is docs/formats/method.schema.json; a test holds the two equal.

use serde_json::{Map, Value, json};

use crate::keys::{FILE, FORMAT, Key, Kind, REPEAT, STEP, Shape, Word};

/// JSON Schema, draft 2020-12, of a methodology file.
#[must_use]
pub fn json_schema() -> Value {
    let mut schema = shape(&FILE);
    if let Some(root) = schema.as_object_mut() {
        root.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        root.insert("title".to_owned(), json!("drivelab methodology"));
        root.insert("description".to_owned(), json!("The language is described in docs/methodology-language.md."));
    }
    schema
}

fn shape(shape: &Shape) -> Value {
    let keys = shape.all().filter(|key| key.not_yet.is_none());
    let properties: Map<String, Value> =
        keys.map(|key| (key.name.to_owned(), described(key, kind(&key.kind, shape)))).collect();
    let required: Vec<&str> = shape.all().filter(|key| key.required).map(|key| key.name).collect();
    json!({ "type": "object", "additionalProperties": false, "properties": properties, "required": required })
}

fn described(key: &Key, mut schema: Value) -> Value {
    if let Some(schema) = schema.as_object_mut() {
        schema.insert("description".to_owned(), json!(key.meaning));
    }
    schema
}

fn text(pattern: &str) -> Value {
    json!({ "type": "string", "pattern": pattern })
}

const SIZE: &str = r"\s*\d[\d_]*(\.[\d_]+)?\s*([bB]|bytes|[kKmMgGtTpP]([iI]?[bB]?)?)?\s*";

fn kind(of: &Kind, at: &Shape) -> Value {
    match of {
        Kind::Format => json!({ "const": FORMAT }),
        Kind::Text => text(r"\S"),
        Kind::Name => json!({ "type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 40 }),
        Kind::Version => text(r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$"),
        Kind::Size => text(&format!("^{SIZE}$")),
        Kind::Duration => text(r"^\s*(0|\d[\d_]*(\.[\d_]+)?\s*(ns|us|µs|ms|s|sec|m|min|h))\s*$"),
        Kind::Whole(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::OneOf(words) => one_of(words),
        Kind::Extent => {
            let amount = text(&format!(r"^(\s*\d{{1,3}}(\.\d{{1,2}})?\s*%\s*|{SIZE})$"));
            let ends = json!({ "offset": amount, "length": amount });
            let table = json!({
                "type": "object", "additionalProperties": false, "properties": ends, "required": ["length"],
            });
            json!({ "anyOf": [amount, table] })
        }
        Kind::Temperature => text(r"^\s*\d{1,3}\s*°?\s*C\s*$"),
        Kind::ListOf(one) => list(kind(one, at)),
        Kind::Axis(one) if at.lists => json!({ "anyOf": [kind(one, at), list(kind(one, at))] }),
        Kind::Axis(one) => kind(one, at),
        Kind::Table(inner) => shape(inner),
        Kind::Tables(inner) => json!({ "type": "array", "minItems": 1, "items": shape(inner) }),
        Kind::Marks => {
            let names = STEP.iter().chain(REPEAT).filter(|key| key.not_yet.is_none());
            let properties: Map<String, Value> = names.map(|key| (key.name.to_owned(), text(r"\S"))).collect();
            json!({ "type": "object", "additionalProperties": false, "properties": properties })
        }
        Kind::Anything => json!(true),
    }
}

fn list(one: Value) -> Value {
    json!({ "type": "array", "minItems": 1, "uniqueItems": true, "items": one })
}

/// Words as constants with their meaning; what is not supported yet is not offered.
fn one_of(words: &[Word]) -> Value {
    let words = words.iter().filter(|word| word.not_yet.is_none());
    let options: Vec<Value> = words.map(|word| json!({ "const": word.name, "description": word.meaning })).collect();
    json!({ "oneOf": options })
}
