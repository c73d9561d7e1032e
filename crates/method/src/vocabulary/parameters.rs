//! Every parameter that marks can be about, over all tables of the vocabulary.

use crate::vocabulary::ending::ENDING;
use crate::vocabulary::files;
use crate::vocabulary::load::LOAD;
use crate::vocabulary::shape::Key;
use crate::vocabulary::test::{REPEAT, SETS};

/// The keys that say what and how often a test repeats; only one of them may be stated.
pub(crate) const REPEATS: [&str; 3] = ["rounds", "steady", "find_rate"];

/// Those of them that are tables of a rule; marks can be about them as about parameters.
pub(crate) const RULES: [&str; 2] = ["steady", "find_rate"];

/// Every parameter that marks can be about.
pub(crate) fn parameters() -> impl Iterator<Item = &'static Key> {
    LOAD.iter().chain(ENDING).chain(REPEAT).chain(SETS).chain(files::own_parameters())
}
