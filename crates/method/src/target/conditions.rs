//! What a file sets up around its tests, as types: conditions, and how several drives are measured.
//!
//! `[forms.F.conditions]` replaces keys of `[conditions]`, and likewise for `[drives]`; the conditions of the chosen
//! profile override both. Must not know: how conditions are set up, which flags replace them.

use drivelab_core::condition::MethodConditions;
use drivelab_core::group::MethodDrives;
use drivelab_core::plan::Form;

use crate::methodology::Methodology;
use crate::sources::profile;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::marks::sources_of;
use crate::tree::rate::AskedRate;
use crate::tree::value::{Located, Table, Value};

impl Methodology {
    /// What has to be set up around the target in a form, if the file asks for anything.
    #[must_use]
    pub fn conditions(&self, form: Form) -> Option<MethodConditions> {
        let tables = tables(self, form, "conditions");
        let of = |key: &str| strongest(&tables, key);
        let repeats = match of("repeats") {
            Some(Value::Whole(repeats)) => u32::try_from(*repeats).ok(),
            _ => None,
        };
        // The smoke form is a moment of each condition: more rounds would repeat the same moment.
        let repeats = if form == Form::Smoke { Some(1) } else { repeats };
        (!tables.is_empty()).then(|| MethodConditions {
            partition: read(of("partition")),
            span: read(of("span")),
            file_system: read(of("file_system")),
            arms: row(of("arms")),
            optional_arms: row(of("optional_arms")),
            data_state: read(of("data_state")),
            power_states: read(of("power_states")),
            optional_power_states: flag(of("optional_power_states")).unwrap_or(false),
            repeats,
            arm_order: read(of("arm_order")),
        })
    }

    /// How several drives are measured in a form, if the file states it.
    #[must_use]
    pub fn drives(&self, form: Form) -> Option<MethodDrives> {
        let tables = tables(self, form, "drives");
        let of = |key: &str| strongest(&tables, key);
        let usual = MethodDrives::default();
        (!tables.is_empty()).then(|| MethodDrives {
            each: flag(of("each")).unwrap_or(usual.each),
            together: flag(of("together")).unwrap_or(usual.together),
            feed_rate: bytes_a_second(of("feed_rate")),
            feed_link: bytes_a_second(of("feed_link")),
            per_doubling: flag(of("per_doubling")).unwrap_or(usual.per_doubling),
        })
    }
}

/// The tables with this name, stronger ones first: of the chosen profile, of the form, of the file.
pub(crate) fn tables<'m>(method: &'m Methodology, form: Form, name: &str) -> Vec<&'m Table> {
    let base = method.base_form(form).unwrap_or(form);
    let of_form = method.root().table("forms").and_then(|forms| forms.table(base.name())).and_then(|it| it.table(name));
    let of_profile = profile::chosen(method.root()).and_then(|profile| profile.table(name));
    of_profile.into_iter().chain(of_form).chain(method.root().table(name)).collect()
}

fn strongest<'m>(tables: &[&'m Table], key: &str) -> Option<&'m Value> {
    tables.iter().find_map(|table| table.get(key)).map(|found| &found.value)
}

/// A text that the checker has already parsed once.
fn read<T: std::str::FromStr>(value: Option<&Value>) -> Option<T> {
    match value? {
        Value::Text(text) => text.parse().ok(),
        Value::Word(word) => word.parse().ok(),
        _ => None,
    }
}

fn row<T: std::str::FromStr>(value: Option<&Value>) -> Vec<T> {
    match value {
        Some(Value::List(list)) => list.iter().filter_map(|one| read(Some(&one.value))).collect(),
        _ => Vec::new(),
    }
}

fn flag(value: Option<&Value>) -> Option<bool> {
    if let Value::Flag(flag) = value? { Some(*flag) } else { None }
}

/// Whole bytes per second.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a rate was checked to be above zero")]
fn bytes_a_second(value: Option<&Value>) -> Option<u64> {
    if let Value::Rate(AskedRate::Bytes(rate)) = value? { Some(rate.get() as u64) } else { None }
}

/// Adds the contradictions in these tables.
pub(crate) fn check(root: &Table, sources: &[&str], errors: &mut Errors) {
    for outer in std::iter::once(root).chain(root.form_tables()).chain(root.tables("profiles")) {
        if let Some(table) = outer.table("conditions") {
            one_conditions(table, errors);
            sources_of(table, sources, errors);
        }
        if let Some(table) = outer.table("drives") {
            one_drives(table, errors);
            sources_of(table, sources, errors);
        }
    }
}

fn one_conditions(table: &Table, errors: &mut Errors) {
    let both = |one: &str, other: &str| table.entry(one).and(table.entry(other));
    if let Some(entry) = both("span", "partition") {
        let label = "expected only one; `partition` is stated too";
        errors.push(Diagnostic::new(entry.key_at.clone(), "`partition` and `span` exclude each other", label));
    }
    if let Some(entry) = both("file_system", "span") {
        let label = "a file system is made on a partition or on the whole device";
        errors.push(Diagnostic::new(entry.key_at.clone(), "`span` and `file_system` exclude each other", label));
    }
    if let (Some(entry), false) = (table.entry("optional_power_states"), table.has("power_states")) {
        let label = "expected `power_states = \"all\"` beside it";
        errors.push(Diagnostic::new(entry.key_at.clone(), "`optional_power_states` without `power_states`", label));
    }
}

fn one_drives(table: &Table, errors: &mut Errors) {
    let off = |key: &str| matches!(table.get(key).map(|it| &it.value), Some(Value::Flag(false)));
    if let (true, true, Some(entry)) = (off("each"), off("together"), table.entry("together")) {
        let label = "expected one of `each` and `together` to be true";
        errors.push(Diagnostic::new(entry.key_at.clone(), "several drives would not be measured at all", label));
    }
    for key in ["feed_rate", "feed_link"] {
        if let Some(Located { value: Value::Rate(AskedRate::Operations(_)), at }) = table.get(key) {
            let label = "expected bytes per second, such as \"64 GB/s\"";
            errors.push(Diagnostic::new(at.clone(), format!("`{key}` is a rate of operations"), label));
        }
    }
}
