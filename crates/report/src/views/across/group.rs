//! The input for several drives at once: the runs of a group and their combined analysis.

use drivelab_analysis::together::{GroupDrive, Member, Together, stretches, together};
use drivelab_core::environment::Environment;
use drivelab_core::ids::RunId;

use crate::error::ReportError;
use crate::figure::input::ReportInput;
use crate::views::across::sides::{DriveWords, Sides};

/// A group of runs and its analysis.
#[derive(Debug, Clone)]
pub struct GroupInput<'a> {
    pub(crate) group: Together,
    pub(crate) members: Vec<ReportInput<'a>>,
    /// Title, start and end of each test in seconds on the shared clock.
    pub(crate) stretches: Vec<(String, f64, f64)>,
    /// Name and price of each drive.
    pub(crate) drives: Vec<DriveWords>,
}

impl<'a> GroupInput<'a> {
    /// From the runs of a group, in any order. The analysis reports missing runs.
    ///
    /// # Errors
    /// [`ReportError::NoGroup`] if none of them was measured together with others.
    pub fn new(members: &[ReportInput<'a>]) -> Result<Self, ReportError> {
        let pairs: Vec<Member<'a>> = members.iter().map(|input| (input.records, input.analysis)).collect();
        let group = together(&pairs).ok_or(ReportError::NoGroup)?;
        let drives = vec![DriveWords::default(); group.drives.len()];
        Ok(GroupInput { group, members: members.to_vec(), stretches: stretches(&pairs), drives })
    }

    /// With the names and prices that the user gave to the drives.
    #[must_use]
    pub fn with_drives(mut self, words: impl Fn(&Environment) -> DriveWords) -> Self {
        let of = |drive: usize| self.run_of(drive).map(|run| words(&run.records.environment)).unwrap_or_default();
        self.drives = (0..self.group.drives.len()).map(of).collect();
        self
    }

    /// The runs of the drives alone, and how they are set side by side; `None` for fewer than two.
    pub(crate) fn alone(&self) -> Option<(Vec<ReportInput<'a>>, Sides)> {
        let run_of = |id: RunId| self.members.iter().find(|member| member.records.run == id).copied();
        let mut runs: Vec<ReportInput<'a>> = Vec::new();
        // A drive without a run of its own keeps its letter.
        let mut side = |drive: &GroupDrive| -> Vec<usize> {
            let run = drive.alone.and_then(run_of);
            let place = runs.len();
            runs.extend(run);
            run.map(|_| place).into_iter().collect()
        };
        let places: Vec<Vec<usize>> = self.group.drives.iter().map(&mut side).collect();
        let sides = Sides { runs: places, drives: self.drives.clone(), ..Sides::alone(0) };
        (runs.len() > 1).then_some((runs, sides))
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
