//! What is set side by side, and how its parts are called.

use std::collections::BTreeMap;

use drivelab_analysis::bridge::Bridge;
use drivelab_analysis::ratios::Limits;
use drivelab_analysis::side_by_side::Kind;
use drivelab_analysis::suitability::Suitability;
use drivelab_core::drive_facts::Price;
use drivelab_core::environment::Environment;
use drivelab_core::group::letter;
use schemars::JsonSchema;
use serde::Serialize;

use crate::views::across::published::PublishedSide;
use crate::words::facts;

/// What is set side by side.
#[derive(Debug, Clone, PartialEq)]
pub struct Sides {
    /// The runs of each side, by their places. Several runs of a side are of the same drive in the same state.
    pub runs: Vec<Vec<usize>>,
    /// Place of the side that the others are compared with.
    pub base: usize,
    /// From which difference on one is worth a verdict.
    pub limits: Limits,
    /// All figures, and not only the headline figures.
    pub all: bool,
    /// Differences that the user allowed.
    pub allowed: Vec<Kind>,
    /// Published figures, set beside them; without runs they are what is compared.
    pub published: Vec<PublishedSide>,
    /// Place of the published side that the others are compared with, where there are no runs.
    pub published_base: usize,
    /// What each published drive is good for, by the rules; empty beside runs.
    pub verdicts: Vec<DriveVerdict>,
    /// Name and price of the drive of each side; empty if none is known.
    pub drives: Vec<DriveWords>,
    /// What distinguishes a side from others of the same title, such as a testbed; empty where nothing has to.
    pub apart: Vec<String>,
    /// What the user states about each run; empty if nothing is known.
    pub stated: Vec<BTreeMap<String, String>>,
    /// Without serial numbers and folder names.
    pub redact: bool,
    /// The difference that was asked for; `None` if it is the drive, the run or the time.
    pub asked: Option<Kind>,
    /// Drives that were measured on the testbeds of the sides; `None` if nobody looked for them.
    pub bridges: Option<Vec<Bridge>>,
}

/// What a published drive is good for.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct DriveVerdict {
    /// The drive, as its publication calls it.
    pub drive: String,
    /// Facts and verdicts.
    pub suitability: Suitability,
}

/// Name and price of a drive.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DriveWords {
    /// The user's name for it, shown instead of the model; empty for none.
    pub name: String,
    /// Its price, from the user or else from a drive facts file.
    pub price: Option<Price>,
}

impl Sides {
    /// Every run by itself, against the first.
    #[must_use]
    pub fn alone(count: usize) -> Sides {
        let runs = (0..count).map(|run| vec![run]).collect();
        Sides {
            runs,
            base: 0,
            limits: Limits::default(),
            all: false,
            allowed: Vec::new(),
            published: Vec::new(),
            published_base: 0,
            verdicts: Vec::new(),
            drives: Vec::new(),
            apart: Vec::new(),
            stated: Vec::new(),
            redact: false,
            asked: None,
            bridges: None,
        }
    }

    /// The drive of a side.
    pub(crate) fn drive(&self, side: usize, environment: &Environment) -> String {
        let name = self.drives.get(side).map_or("", |drive| drive.name.as_str());
        if !name.is_empty() {
            return name.to_owned();
        }
        if !self.redact {
            return facts::title(environment);
        }
        let mut environment = environment.clone();
        environment.redact();
        facts::title(&environment)
    }

    /// The drive of a side, what was set up on it, and what tells it from others.
    pub(crate) fn title(&self, side: usize, environment: &Environment) -> String {
        let title = format!("{}{}", self.drive(side, environment), environment.asked_condition().behind());
        match self.apart.get(side).filter(|apart| !apart.is_empty()) {
            Some(apart) => format!("{title}, {apart}"),
            None => title,
        }
    }

    /// The side that holds a run.
    pub(crate) fn side_of(&self, run: usize) -> usize {
        self.runs.iter().position(|runs| runs.contains(&run)).unwrap_or(run)
    }

    /// What a run is called (`A`, `B2`), and its drive.
    pub(crate) fn run_title(&self, run: usize, environment: &Environment) -> String {
        let name = self.run_names().get(run).cloned().unwrap_or_default();
        format!("{name}: {}", self.title(self.side_of(run), environment))
    }

    /// What the drive of a side costs.
    pub(crate) fn price(&self, side: usize) -> Option<Price> {
        self.drives.get(side)?.price.clone()
    }

    /// The name of each run, by its place: the letter of its side, with a number if the side has several.
    pub(crate) fn run_names(&self) -> Vec<String> {
        let mut names = vec![String::new(); self.runs.iter().flatten().map(|run| run + 1).max().unwrap_or(0)];
        for (side, runs) in self.runs.iter().enumerate() {
            for (at, run) in runs.iter().enumerate() {
                names[*run] = if runs.len() == 1 { letter(side) } else { format!("{}{}", letter(side), at + 1) };
            }
        }
        names
    }
}
