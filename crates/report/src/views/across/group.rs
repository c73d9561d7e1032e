//! The input for several drives at once: the runs of a group and their combined analysis.

use drivelab_analysis::together::{Member, Together, stretches, together};

use crate::error::ReportError;
use crate::figure::input::ReportInput;

/// A group of runs and its analysis.
#[derive(Debug, Clone)]
pub struct GroupInput<'a> {
    pub(crate) group: Together,
    pub(crate) members: Vec<ReportInput<'a>>,
    /// Title, start and end of each test in seconds on the shared clock.
    pub(crate) stretches: Vec<(String, f64, f64)>,
}

impl<'a> GroupInput<'a> {
    /// From the runs of a group, in any order. The analysis reports missing runs.
    ///
    /// # Errors
    /// [`ReportError::NoGroup`] if none of them was measured together with others.
    pub fn new(members: &[ReportInput<'a>]) -> Result<Self, ReportError> {
        let pairs: Vec<Member<'a>> = members.iter().map(|input| (input.records, input.analysis)).collect();
        let group = together(&pairs).ok_or(ReportError::NoGroup)?;
        Ok(GroupInput { group, members: members.to_vec(), stretches: stretches(&pairs) })
    }

    /// The analysis.
    #[must_use]
    pub const fn together(&self) -> &Together {
        &self.group
    }

    /// The run of a drive together with the others; if there is none, its run alone.
    pub(crate) fn run_of(&self, drive: usize) -> Option<&ReportInput<'a>> {
        let drive = self.group.drives.get(drive)?;
        let wanted = [drive.together, drive.alone];
        let find = |id| self.members.iter().find(|input| Some(input.records.run) == id && is_of(input, &drive.letter));
        wanted.into_iter().find_map(|id| id.and_then(|id| find(Some(id))))
    }
}

/// Whether a run is of the drive with this letter.
fn is_of(input: &ReportInput<'_>, letter: &str) -> bool {
    let group = input.records.group.as_ref();
    group.is_some_and(|group| drivelab_core::group::letter(group.drive as usize) == letter)
}
