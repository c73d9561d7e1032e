//! Which runs may stand side by side.
//!
//! Unlike runs (another content of the methodology, another form, the smoke form, other conditions than arm, power
//! state and data state) are never put in one table; the reason is said.

use drivelab_core::condition::Condition;
use drivelab_core::plan::{Form, MethodIdentity, OWN_LOAD};

use super::align::{Aligned, align};
use super::differences::{Difference, differences};
use crate::digest::Digest;

/// Several runs, as far as they may be compared. Runs are named by their place, from 0.
#[derive(Debug, Clone)]
pub struct SideBySide<'d> {
    /// Groups of two runs or more that may be compared, each with the places of its runs.
    pub groups: Vec<Alike<'d>>,
    /// Why the rest may not.
    pub refused: Vec<Refused>,
}

/// Runs that may be compared.
#[derive(Debug, Clone)]
pub struct Alike<'d> {
    /// Their places.
    pub places: Vec<usize>,
    /// Their steps.
    pub aligned: Aligned<'d>,
    /// What differs besides the drive.
    pub differences: Vec<Difference>,
}

/// Runs that are not compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// The smoke form is for tests only.
    Smoke(usize),
    /// These differ from those in what decides.
    Unlike {
        /// Places of the runs.
        runs: Vec<usize>,
        /// Places of the runs that they are held against: those like the first.
        than: Vec<usize>,
        /// In what they differ.
        because: Vec<Refusal>,
    },
}

/// What keeps runs from being compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The content of the methodology: of these runs, and of the others.
    Method(Box<[Methodology; 2]>),
    /// The form: of these runs, and of the others.
    Form(Form, Form),
    /// What was set up around the target: of these runs, and of the others.
    Conditions([Ground; 2]),
    /// These are simulated and the others measured, or the other way round.
    Simulated(bool),
}

/// A methodology, as far as it tells why its content is another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Methodology {
    /// Name and version.
    pub identity: MethodIdentity,
    /// Title.
    pub title: String,
    /// The variant; empty where there is none.
    pub profile: String,
    /// Parameters that were set on the command line.
    pub set: Vec<String>,
}

/// What was set up around a target, without what is compared: arm, power state and data state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ground {
    /// The condition without these.
    pub condition: Condition,
    /// On a loop device on a file.
    pub on_file: bool,
}

/// What must be equal for two runs to stand in one table, besides the methodology.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Key {
    form: Form,
    ground: Ground,
    simulated: bool,
}

impl Key {
    fn of(digest: &Digest) -> Key {
        let facts = digest.run.environment.condition.as_ref();
        let on_file = facts.and_then(|facts| facts.series.as_ref()).is_some_and(|series| series.loop_on_file);
        let compared = Condition::default();
        let condition = Condition {
            encryption: compared.encryption,
            power_state: compared.power_state,
            data_state: compared.data_state,
            ..digest.condition()
        };
        Key { form: digest.run.form, ground: Ground { condition, on_file }, simulated: digest.run.simulated }
    }
}

/// Whether two runs are of one methodology: its content is the same, or they are profiles of one version of it.
#[must_use]
pub fn are_one_method(one: &Digest, other: &Digest) -> bool {
    let (one, other) = (&one.run, &other.run);
    let of_one =
        (&one.method.name, &one.method.version, &one.set) == (&other.method.name, &other.method.version, &other.set);
    one.method.compared_by() == other.method.compared_by()
        || of_one && one.method.name != OWN_LOAD && one.profile != other.profile
}

fn methodology(digest: &Digest) -> Methodology {
    let run = &digest.run;
    let (identity, title) = (run.method.clone(), run.title.clone());
    Methodology { identity, title, profile: run.profile.clone(), set: run.set.clone() }
}

/// In what a run differs from another that it may not be compared with.
fn refusals(own: &Digest, other: &Digest) -> Vec<Refusal> {
    let (key, its) = (Key::of(own), Key::of(other));
    let mut refusals = Vec::new();
    if !are_one_method(own, other) {
        refusals.push(Refusal::Method(Box::new([methodology(own), methodology(other)])));
    } else if key.form != its.form {
        refusals.push(Refusal::Form(key.form, its.form));
    }
    if key.ground != its.ground {
        refusals.push(Refusal::Conditions([key.ground, its.ground]));
    }
    if key.simulated != its.simulated {
        refusals.push(Refusal::Simulated(key.simulated));
    }
    refusals
}

/// Sorts runs into groups that may be compared.
#[must_use]
pub fn side_by_side<'d>(digests: &[&'d Digest]) -> SideBySide<'d> {
    let mut groups: Vec<(Key, Vec<usize>)> = Vec::new();
    let known = |places: &[usize]| places.iter().map(|place| digests[*place]).collect::<Vec<_>>();
    let mut refused = Vec::new();
    for (place, digest) in digests.iter().enumerate() {
        let key = Key::of(digest);
        if key.form == Form::Smoke {
            refused.push(Refused::Smoke(place));
            continue;
        }
        let fits = |(its, places): &&mut (Key, Vec<usize>)| {
            *its == key && known(places).iter().all(|other| are_one_method(digest, other))
        };
        match groups.iter_mut().find(fits) {
            Some((_, places)) => places.push(place),
            None => groups.push((key, vec![place])),
        }
    }
    let first = |places: &[usize]| places.first().and_then(|place| digests.get(*place));
    if let Some(((_, than), others)) = groups.split_first() {
        let unlike = |(_, runs): &(Key, Vec<usize>)| {
            // A profile may be like the first of a group and unlike another of it.
            let own = first(runs)?;
            let mut reasons = than.iter().filter_map(|other| Some(refusals(own, digests.get(*other)?)));
            let because = reasons.find(|because| !because.is_empty())?;
            Some(Refused::Unlike { runs: runs.clone(), than: than.clone(), because })
        };
        refused.extend(others.iter().filter_map(unlike));
    }
    let several = groups.into_iter().map(|(_, places)| places).filter(|places| places.len() > 1);
    let alike = several.map(|places| {
        let members: Vec<&'d Digest> = places.iter().filter_map(|place| digests.get(*place).copied()).collect();
        Alike { aligned: align(&members), differences: differences(&members), places }
    });
    SideBySide { groups: alike.collect(), refused }
}
