//! The schemas of all documents of this crate, as published. Types that several documents use are in
//! `common.schema.json` only.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use crate::documents::{arms, check, commands, compare, io, probe, rank, results, together};

/// File name of the common types, without its extension.
const COMMON: &str = "common";
/// Where a schema keeps its types.
const TYPES: &str = "$defs";
/// How a schema refers to one of its types.
const OWN: &str = "#/$defs/";

/// Every schema in docs/formats of a document of this crate: file name without its extension, schema. The first holds
/// the types that two or more of the others use.
#[must_use]
pub fn published_schemas() -> Vec<(&'static str, Value)> {
    let mut all = vec![
        ("arms", arms::arms_schema()),
        ("check", check::check_schema()),
        ("compare", compare::compare_schema()),
        ("io", io::io_schema()),
        ("rank", rank::rank_schema()),
        ("results", results::results_schema()),
        ("together", together::together_schema()),
    ];
    all.extend(commands::command_schemas());
    all.extend(probe::probe_schemas());
    all.sort_by_key(|(name, _)| *name);
    let types = common(&all);
    for (_, schema) in &mut all {
        if let Some(own) = schema.get_mut(TYPES).and_then(Value::as_object_mut) {
            own.retain(|name, _| !types.contains_key(name));
        }
        refer(schema, &types);
    }
    let common = serde_json::json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "common.schema.json",
        "title": "drivelab, types that several documents use",
        TYPES: types,
    });
    all.insert(0, (COMMON, common));
    all
}

/// The types that two or more schemas define alike and that refer to no types outside this set.
fn common(schemas: &[(&str, Value)]) -> Map<String, Value> {
    let mut found: BTreeMap<&String, Vec<&Value>> = BTreeMap::new();
    for (name, known) in schemas.iter().filter_map(|(_, schema)| schema.get(TYPES)?.as_object()).flatten() {
        found.entry(name).or_default().push(known);
    }
    found.retain(|_, known| known.len() > 1 && known.windows(2).all(|two| two[0] == two[1]));
    loop {
        let names: BTreeSet<&String> = found.keys().copied().collect();
        let before = found.len();
        found.retain(|_, known| used(known[0]).iter().all(|name| names.contains(name)));
        if found.len() == before {
            break;
        }
    }
    found.into_iter().map(|(name, known)| (name.clone(), known[0].clone())).collect()
}

/// Names of the types that a schema refers to.
fn used(schema: &Value) -> Vec<String> {
    match schema {
        Value::Object(fields) => {
            let own = fields.get("$ref").and_then(Value::as_str).and_then(|to| to.strip_prefix(OWN));
            own.map(str::to_owned).into_iter().chain(fields.values().flat_map(used)).collect()
        }
        Value::Array(items) => items.iter().flat_map(used).collect(),
        _ => Vec::new(),
    }
}

/// Points references to common types to their file.
fn refer(schema: &mut Value, types: &Map<String, Value>) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::String(to)) = fields.get_mut("$ref")
                && to.strip_prefix(OWN).is_some_and(|name| types.contains_key(name))
            {
                *to = format!("{COMMON}.schema.json{to}");
            }
            fields.values_mut().for_each(|field| refer(field, types));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| refer(item, types)),
        _ => {}
    }
}
