//! From a text to a sound methodology: read, checked, and expanded once in every form.
//!
//! Every form is expanded for the target size that it wants, so errors that do not depend on the target are found
//! before a target exists.

use std::sync::Arc;

use drivelab_core::acceptance::FigureLimit;
use drivelab_core::plan::{Form, Plan};
use drivelab_core::units::Bytes;

use crate::expand::{headlines, limits};
use crate::methodology::Methodology;
use crate::parse::meaning;
use crate::plan::attempt;
use crate::scope::{SpeedGuess, TargetShape};
use crate::sources::include::Reader;
use crate::target::requires::Means;
use crate::tree::diagnose::Diagnostics;
use crate::tree::errors::Errors;

/// Reads a methodology. `file_name` is what messages call the file; included files are looked for beside it.
///
/// # Errors
/// [`Diagnostics`] with everything that is wrong: syntax, unknown keys, wrong values, contradictions, and what this
/// version does not support yet, each in its file.
pub fn parse(file_name: &str, text: &str) -> Result<Methodology, Diagnostics> {
    unexpanded(file_name, text)?.sound()
}

/// Like [`parse`], but without checking whether the forms can be expanded.
pub(crate) fn unexpanded(file_name: &str, text: &str) -> Result<Methodology, Diagnostics> {
    unexpanded_with(Reader::default(), file_name, text)
}

/// Likewise, with included texts from this reader.
pub(crate) fn unexpanded_with(mut reader: Reader, file_name: &str, text: &str) -> Result<Methodology, Diagnostics> {
    let read = reader.read(file_name, text);
    let Reader { texts, mut errors, .. } = reader;
    let texts = Arc::new(texts);
    if let Some(read) = &read {
        meaning::check(&read.root, &mut errors);
        read.suite.iter().for_each(|entry| meaning::check(&entry.read.root, &mut errors));
    }
    let Some(read) = read.filter(|_| errors.is_empty()) else { return Err(Diagnostics::new(&texts, errors)) };
    Ok(Methodology::understood(read, &texts))
}

impl Methodology {
    /// The methodology itself, if every form can be expanded for the target that it wants.
    pub(crate) fn sound(self) -> Result<Self, Diagnostics> {
        let mut errors = Errors::default();
        let others = self.other_profiles();
        for part in self.entries().iter().map(|entry| &entry.method) {
            part.nominal_plans(&mut errors);
        }
        let plans: Vec<Plan> =
            [&self].into_iter().chain(&others).flat_map(|one| one.nominal_plans(&mut errors)).collect();
        // Parameters that are set may change what steps are called.
        if errors.is_empty() && self.settings().is_empty() {
            errors.join(limits::unknown(&self, &plans));
            errors.join(headlines::wrong(&self, &plans));
        }
        if errors.is_empty() { Ok(self) } else { Err(self.diagnostics(errors)) }
    }

    /// The plans of all forms that have no errors.
    fn nominal_plans(&self, errors: &mut Errors) -> Vec<Plan> {
        let mut plans = Vec::new();
        for form in self.forms() {
            match self.nominal_plan(form) {
                Ok(plan) => plans.push(plan),
                Err(found) => errors.join(found),
            }
        }
        plans
    }

    /// The plan for a target of the size that the form wants, which has everything that is needed.
    fn nominal_plan(&self, form: Form) -> Result<Plan, Errors> {
        let capacity = self.nominal_size(form);
        let shape = TargetShape { capacity, offset_align: Bytes::new(1), guess: SpeedGuess::default() };
        attempt(self, form, &shape, &Means::default())
    }

    /// Why no run in this form can have the figure of a limit (`depths/rnd-4k-q1t1-read:read.iops < 100 k`); `None` if
    /// it can, or if the methodology cannot be expanded without its target.
    #[must_use]
    pub fn lacks(&self, form: Form, limit: &FigureLimit) -> Option<String> {
        limits::lacks_figure(&self.nominal_plan(form).ok()?, limit)
    }

    /// Its other profiles; none if parameters were set, because settings apply to the chosen profile.
    fn other_profiles(&self) -> Vec<Methodology> {
        let others = self.profile_names().into_iter();
        let others = others.filter(|name| *name != self.profile() && self.settings().is_empty());
        others.filter_map(|name| self.chosen(name)).collect()
    }
}
