//! A methodology's text, checked in each of its forms, and the first lines of a new file.

use drivelab_core::plan::Form;
use drivelab_core::units::Bytes;
use drivelab_method::{Diagnostics, Methodology, SpeedGuess, TargetShape};

use crate::front::method;

/// The first lines of a new file, so that editors that know TOML schemas can help.
pub(super) const EDITOR_HELP: &str = "\
#:schema ./method.schema.json
# Editors that know TOML schemas complete and check with that file: drivelab methods schema > method.schema.json
";

/// Every form with the number of its executions.
pub(super) fn forms(
    file: &str,
    text: &str,
    set: &[String],
) -> std::result::Result<(Methodology, Vec<(Form, usize)>), Diagnostics> {
    let methodology = method::parsed(file, text)?.with_settings(set)?;
    let expanded = methodology.forms().into_iter().map(|form| {
        let size = methodology.nominal_size(form);
        let capacity = if form == Form::Smoke { size } else { size.max(Bytes::GIB) };
        let shape = TargetShape { capacity, offset_align: Bytes::new(512), guess: SpeedGuess::default() };
        Ok((form, drivelab_method::expand(&methodology, form, &shape)?.schedule().len()))
    });
    let forms = expanded.collect::<std::result::Result<Vec<_>, Diagnostics>>()?;
    Ok((methodology, forms))
}
