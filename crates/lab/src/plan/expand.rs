//! Expands a methodology for a place into a plan, or reports what does not fit.

use drivelab_core::exit::ExitCode;
use drivelab_core::plan::{Form, Plan};
use drivelab_method::{Methodology, SpeedGuess, TargetShape};

use crate::failure::{Failure, Result};
use crate::order::measurement::Words;
use crate::order::telemetry::Telemetry;
use crate::target::means;
use crate::target::opened::Needs;
use crate::target::site::Site;

/// Expands a methodology for a place.
///
/// # Errors
/// What does not fit, with its position in what the user wrote; a methodology that needs direct I/O on a place
/// without it; or one that reads existing content, on a new scratch file.
pub fn plan(
    methodology: &Methodology,
    (form, guess): (Form, SpeedGuess),
    site: &Site,
    telemetry: Option<&Telemetry>,
    words: &Words<'_>,
) -> Result<Plan> {
    let offset_align = site.direct_io.offset_align;
    let shape = TargetShape { capacity: site.length, offset_align, guess };
    let means = means::of(site, methodology, telemetry);
    let plan =
        drivelab_method::expand_with(methodology, form, &shape, &means).map_err(|errors| (words.wrong)(&errors))?;
    let path = site.place.path().display();
    if methodology.reads_as_found() && site.makes_scratch && !plan.prepares() && Needs::of_plan(&plan).reads {
        return Err(Failure::usage(format!(
            "'{}' reads what its target holds (content = \"as_found\"), and a new scratch file in {path} holds nothing: \
             name an existing file or device",
            plan.methodology.name,
        )));
    }
    if plan.needs_direct() && !site.direct_io.supported {
        let buffered = format!("or go through the page cache ({})", words.buffered);
        let message = match &site.file_system {
            Some(file_system) => {
                let advice = drivelab_device::suggest_direct_folder().map_or_else(
                    || "name a folder on a file system that lies on a drive".to_owned(),
                    |folder| format!("a suitable folder: {}", folder.display()),
                );
                format!(
                    "'{}' measures with direct I/O, and {path} does not support it ({}): {}; results there would be \
                     those of memory, not of a drive; {advice}; {buffered}",
                    plan.methodology.name, file_system.kind, site.direct_io.reason,
                )
            }
            None => format!(
                "'{}' measures with direct I/O, and {path} does not support it: {}; {buffered}",
                plan.methodology.name, site.direct_io.reason
            ),
        };
        return Err(Failure::new(ExitCode::TargetUnusable, message));
    }
    Ok(plan)
}
