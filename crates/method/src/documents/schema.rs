//! The JSON Schema of the methodology language, generated from the checker's own tables.
//!
//! Editors use it for completion and checks while writing. It does not contain what only the program can check:
//! references, axes, what fits a target. The checked-in copy is docs/formats/method.schema.json; a test compares the
//! two.

use serde_json::{Map, Value, json};

use crate::vocabulary::file::FILE;
use crate::vocabulary::load::{LOCALITY, axis_names};
use crate::vocabulary::parameters::{RULES, parameters};
use crate::vocabulary::shape::{FORMAT, Key, Kind, Shape, Word};

/// JSON Schema, draft 2020-12, of a methodology file.
#[must_use]
pub fn json_schema() -> Value {
    let mut schema = shape(&FILE);
    if let Some(root) = schema.as_object_mut() {
        root.insert("$schema".to_owned(), json!("https://json-schema.org/draft/2020-12/schema"));
        let axes = parameters().filter(|key| matches!(key.kind, Kind::Axis(_)));
        let single = parameters().map(|key| (key.name.to_owned(), described(key, kind(&key.kind, false))));
        let listed = axes.map(|key| (list_name(key), described(key, kind(&key.kind, true))));
        let marks = ("marks".to_owned(), marks());
        let definitions: Map<String, Value> = single.chain(listed).chain([marks]).collect();
        root.insert("$defs".to_owned(), Value::Object(definitions));
        made_of_others(root);
        root.insert("title".to_owned(), json!("drivelab methodology"));
        root.insert("description".to_owned(), json!("The language is described in docs/methodology-language.md."));
    }
    schema
}

/// What a file must state depends on whether it includes another file.
fn made_of_others(root: &mut Map<String, Value>) {
    let mut all = root.remove("required").unwrap_or_default();
    if let Some(all) = all.as_array_mut() {
        all.retain(|key| key != "tests");
    }
    let of_test = root
        .get_mut("properties")
        .and_then(|properties| properties.pointer_mut("/tests/items"))
        .and_then(Value::as_object_mut)
        .and_then(|items| items.insert("required".to_owned(), json!(["name"])))
        .unwrap_or_default();
    root.insert("if".to_owned(), json!({ "required": ["include"] }));
    root.insert("then".to_owned(), json!({ "required": ["format", "name", "version"] }));
    let whole = json!({
        "required": all,
        "anyOf": [{ "required": ["tests"] }, { "required": ["suite"] }],
        "properties": { "tests": { "items": { "required": of_test } } },
    });
    root.insert("else".to_owned(), whole);
}

fn shape(shape: &Shape) -> Value {
    let keys = shape.all().filter(|key| key.is_offered());
    let properties: Map<String, Value> = keys.map(|key| (key.name.to_owned(), property(key, shape))).collect();
    let required: Vec<&str> = shape.all().filter(|key| key.required).map(|key| key.name).collect();
    json!({ "type": "object", "additionalProperties": false, "properties": properties, "required": required })
}

/// A parameter appears in many tables and is defined once.
fn property(key: &'static Key, at: &Shape) -> Value {
    let list = at.lists && matches!(key.kind, Kind::Axis(_));
    match parameters().any(|parameter| (parameter.name, parameter.meaning) == (key.name, key.meaning)) {
        true if list => json!({ "$ref": format!("#/$defs/{}", list_name(key)) }),
        true => json!({ "$ref": format!("#/$defs/{}", key.name) }),
        false => described(key, kind(&key.kind, at.lists)),
    }
}

fn list_name(key: &Key) -> String {
    format!("{}-or-list", key.name)
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

fn kind(of: &Kind, lists: bool) -> Value {
    match of {
        Kind::Format => json!({ "const": FORMAT }),
        Kind::Text => text(r"\S"),
        Kind::Name => json!({ "type": "string", "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$", "maxLength": 40 }),
        Kind::Version => text(r"^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)$"),
        Kind::Size => text(&format!("^{SIZE}$")),
        Kind::SizeOrShare => size_or_share(),
        Kind::Duration => text(r"^\s*(0|\d[\d_]*(\.[\d_]+)?\s*(ns|us|µs|ms|s|sec|m|min|h))\s*$"),
        Kind::Whole(least, most) => json!({ "type": "integer", "minimum": least, "maximum": most }),
        Kind::Flag => json!({ "type": "boolean" }),
        Kind::OneOf(words) => one_of(words),
        Kind::Extent => {
            let amount = size_or_share();
            let ends = json!({ "offset": amount, "length": amount });
            let table = json!({
                "type": "object", "additionalProperties": false, "properties": ends, "required": ["length"],
            });
            json!({ "anyOf": [amount, table] })
        }
        Kind::Temperature => text(r"^\s*\d{1,3}\s*°?\s*C\s*$"),
        Kind::ListOf(one) => list(kind(one, lists)),
        Kind::Axis(one) if lists => json!({ "anyOf": [kind(one, lists), list(kind(one, lists))] }),
        Kind::Axis(one) => kind(one, lists),
        Kind::Table(inner) => shape(inner),
        Kind::Tables(inner) => json!({ "type": "array", "minItems": 1, "items": shape(inner) }),
        Kind::Marks => json!({ "$ref": "#/$defs/marks" }),
        Kind::MarksHere => json!({ "type": "object", "additionalProperties": text(r"\S") }),
        Kind::Read(reading) => text(reading.pattern),
        Kind::RowOf(one) => json!({ "type": "array", "minItems": 1, "items": kind(one, lists) }),
        Kind::Share => text(r"^\s*([1-9]\d?|100)(\.0{1,2})?\s*%\s*$"),
        Kind::AxisName => json!({ "enum": axis_names().collect::<Vec<_>>() }),
        Kind::Rate => {
            let operations = text(r"^\s*\d[\d_]*(\.\d+)?\s*[kKMG]?\s*IOPS\s*$");
            json!({ "anyOf": [operations, text(&format!("^{SIZE}/s\\s*$"))] })
        }
        Kind::Decimal(least, most) => {
            json!({ "type": "number", "minimum": *least as f64 / 1000.0, "maximum": *most as f64 / 1000.0 })
        }
        Kind::Hex => text(r"^\s*([0-9a-fA-F][ _]*[0-9a-fA-F][ _]*)+\s*$"),
        Kind::Path => text(r"\S"),
        Kind::Locality => json!({ "anyOf": [{ "const": "uniform" }, shape(&LOCALITY)] }),
        Kind::Elsewhere(_) => json!(true),
    }
}

/// Bytes, or a share of the target.
fn size_or_share() -> Value {
    text(&format!(r"^(\s*\d{{1,3}}(\.\d{{1,2}})?\s*%\s*|{SIZE})$"))
}

fn marks() -> Value {
    // What a preparation step does can be marked like a parameter; in other tables the program refuses such a mark.
    let names = parameters().map(|key| key.name).chain(RULES).chain(["action"]);
    let properties: Map<String, Value> = names.map(|name| (name.to_owned(), text(r"\S"))).collect();
    json!({ "type": "object", "additionalProperties": false, "properties": properties })
}

fn list(one: Value) -> Value {
    json!({ "type": "array", "minItems": 1, "uniqueItems": true, "items": one })
}

/// Words as constants with their meaning; words that are not supported yet are left out.
fn one_of(words: &[Word]) -> Value {
    let words = words.iter().filter(|word| word.not_yet.is_none());
    let options: Vec<Value> = words.map(|word| json!({ "const": word.name, "description": word.meaning })).collect();
    json!({ "oneOf": options })
}
