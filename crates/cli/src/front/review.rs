//! Messages about a suite, such as a review with a time: why nothing of it can run.

use drivelab_core::exit::ExitCode;
use drivelab_device::guard;
use drivelab_device::{BlockNode, identity_of};
use drivelab_lab::Failure;
use drivelab_method::{Diagnostics, nothing_left};

use super::method::{self, nothing};

/// Why a review cannot be done; `unnamed` is the block device that `--destroy` does not name, so that nothing may be
/// written to it.
#[must_use]
pub fn wrong(errors: &Diagnostics, unnamed: Option<&BlockNode>) -> Failure {
    let Some(error) = nothing_left(errors) else { return method::wrong(errors) };
    match unnamed {
        Some(node) => {
            let flag = guard::flag_of(&identity_of(node));
            let what_to_do = format!(
                ". Nothing was touched. To overwrite what is on {}, add `{flag}`; a folder on a mounted drive needs no \
                 such flag",
                node.path.display()
            );
            Failure::new(ExitCode::GuardRefused, nothing(error, &what_to_do))
        }
        None => Failure::usage(nothing(error, "; --time gives more time, PATH names another target")),
    }
}
