//! What a load writes: its data pattern, and how much of it compresses or repeats.
//!
//! Must not know: what operations there are.

use std::path::Path;

use drivelab_core::load::Content;
use drivelab_core::units::Percent;
use drivelab_core::workload::DataPattern;

use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::value::Value;
use crate::values::Values;

/// The data that are written.
pub(crate) fn data(values: &Values<'_, '_>) -> DataPattern {
    match values.word("data") {
        "zero" => DataPattern::Zero,
        "one_block" => DataPattern::OneBlock,
        "pattern" => DataPattern::Pattern,
        "file" => DataPattern::File,
        _ => DataPattern::Incompressible,
    }
}

/// Details of the data that are written.
pub(crate) fn content(
    values: &Values<'_, '_>,
    data: DataPattern,
    folder: Option<&Path>,
    errors: &mut Errors,
) -> Content {
    let mut share = |key: &str| {
        let percent = values.percent(key);
        let misfit = (data != DataPattern::Incompressible).then_some("only data = \"incompressible\" has such a share");
        let holds = !percent.is_zero() && values.holds(key, misfit, errors);
        if holds { percent } else { Percent::ZERO }
    };
    let (compress_percent, dedup_percent) = (share("compress_percent"), share("dedup_percent"));
    let misfit = (data != DataPattern::Incompressible).then_some("only random data has one");
    let has_window = values.get("data_window").is_some() && values.holds("data_window", misfit, errors);
    let mut of = |key: &'static str, kind: DataPattern, why: &str| {
        if data == kind && values.get(key).is_none() {
            let title = format!("data = \"{}\" needs `{key}`", kind.name());
            errors.push(Diagnostic::new(values.at("data"), title, format!("expected `{key}` too")).about(key));
        }
        values.holds(key, (data != kind).then_some(why), errors)
    };
    let patterned = of("data_pattern", DataPattern::Pattern, "only data = \"pattern\" repeats bytes");
    let from_file = of("data_file", DataPattern::File, "only data = \"file\" comes from a file");
    Content {
        compress_percent,
        dedup_percent,
        pattern: match values.get("data_pattern") {
            Some(Value::Bytes(bytes)) if patterned => bytes.clone(),
            _ => Vec::new(),
        },
        file: match values.get("data_file") {
            Some(Value::Text(path)) if from_file => {
                Some(folder.map_or_else(|| path.into(), |folder| folder.join(path)))
            }
            _ => None,
        },
        window: values.size("data_window").filter(|_| has_window),
    }
}
