//! Tables that are one value: a part of the target, a distribution of offsets.
//!
//! Must not know: which keys take them.

use std::ops::Range;

use drivelab_core::load::{Locality, Zone};
use drivelab_core::units::{Bytes, Percent};
use toml::de::DeTable;

use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::near::nearest;
use crate::tree::scalar::{amount, short};
use crate::tree::value::{Extent, Table, Value};

/// `{ offset = "10 %", length = "25 %" }`
pub(crate) fn extent_table(found: &DeTable<'_>, at: Range<usize>, errors: &mut Errors) -> Option<Extent> {
    let before = errors.len();
    let mut extent = Extent::WHOLE;
    let mut has_length = false;
    for (name, value) in found {
        let slot = match &**name.get_ref() {
            "offset" => &mut extent.offset,
            "length" => {
                has_length = true;
                &mut extent.length
            }
            other => {
                let title = format!("unknown key `{}` in a span", short(other));
                let error = Diagnostic::new(name.span(), title, "expected `offset` or `length`");
                errors.push(error.near(nearest(other, ["offset", "length"])));
                continue;
            }
        };
        match value.get_ref().as_str().map(amount) {
            Some(Ok(found)) => *slot = found,
            Some(Err(error)) => errors.push(Diagnostic::new(value.span(), error, "not a part of a target")),
            None => errors.push(Diagnostic::new(value.span(), "expected a text", "such as \"25 %\" or \"16 GiB\"")),
        }
    }
    if !has_length || extent.length.of(Bytes::new(1 << 40)) == 0 {
        let title = "the span has no length";
        errors.push(Diagnostic::new(at, title, "expected { offset = \"10 %\", length = \"25 %\" }"));
    }
    (errors.len() == before).then_some(extent)
}

/// The distributions, as keys of the table of `locality`.
const DISTRIBUTIONS: [&str; 5] = ["zipf", "pareto", "normal", "zones", "hot_band"];

/// A checked table of `locality` as one distribution.
pub(crate) fn locality(table: &Table, errors: &mut Errors) -> Option<Locality> {
    let stated: Vec<&str> = DISTRIBUTIONS.into_iter().filter(|name| table.has(name)).collect();
    let [name] = stated[..] else {
        // A wrong distribution that was stated has its own error.
        if !(stated.is_empty() && table.lacking) {
            let title = match stated.len() {
                0 => "`locality` names no distribution".to_owned(),
                _ => format!("`locality` names several distributions: {}", stated.join(", ")),
            };
            let label = format!("expected one of: {}", DISTRIBUTIONS.join(", "));
            errors.push(Diagnostic::new(table.at.clone(), title, label));
        }
        return None;
    };
    if let Some(entry) = table.entry("scattered").filter(|_| !matches!(name, "zipf" | "pareto")) {
        let title = format!("`scattered` does not apply to `{name}`");
        errors.push(Diagnostic::new(entry.key_at.clone(), title, "expected only beside `zipf` or `pareto`"));
        return None;
    }
    let scattered = !matches!(table.get("scattered").map(|value| &value.value), Some(Value::Flag(false)));
    let small = || table.decimal(name).and_then(|value| u32::try_from(value).ok());
    match name {
        "zipf" => Some(Locality::Zipf { theta_thousandths: small()?, scattered }),
        "pareto" => Some(Locality::Pareto { h_thousandths: small()?, scattered }),
        "normal" => Some(Locality::Normal { deviation_percent: percent(table, name)? }),
        "zones" => zones(table, errors),
        _ => hot_band(table.table(name)?, errors),
    }
}

fn percent(table: &Table, key: &str) -> Option<Percent> {
    Percent::new(table.whole(key)?).ok()
}

fn zones(table: &Table, errors: &mut Errors) -> Option<Locality> {
    let zone = |zone: &Table| Some(Zone { accesses: percent(zone, "accesses")?, span: percent(zone, "span")? });
    let tables = table.tables("zones");
    // A wrong zone has its own error, and would make the sums wrong.
    let zones: Vec<Zone> = tables.iter().map(zone).collect::<Option<_>>()?;
    let sum = |of: fn(&Zone) -> Percent| zones.iter().map(|zone| u64::from(of(zone).get())).sum::<u64>();
    for (what, sum) in [("accesses", sum(|zone| zone.accesses)), ("span", sum(|zone| zone.span))] {
        if sum != 100 {
            let title = format!("the shares of `{what}` of the zones sum to {sum}, not to 100");
            let at = table.get("zones").map_or_else(|| table.at.clone(), |value| value.at.clone());
            errors.push(Diagnostic::new(at, title, "zones follow each other and together are the whole span"));
            return None;
        }
    }
    Some(Locality::Zoned { zones })
}

fn hot_band(band: &Table, errors: &mut Errors) -> Option<Locality> {
    let (from_percent, to_percent) = (percent(band, "from")?, percent(band, "to")?);
    if from_percent >= to_percent {
        let title = format!("the hot band ends at {to_percent} % and begins at {from_percent} %");
        errors.push(Diagnostic::new(band.at.clone(), title, "expected `from` below `to`"));
        return None;
    }
    Some(Locality::HotBand { accesses: percent(band, "accesses")?, from_percent, to_percent })
}
