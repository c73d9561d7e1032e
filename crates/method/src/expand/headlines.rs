//! `headlines`: the tests whose figures are shown at the top of a page.

use drivelab_core::plan::{MOST_HEADLINES, Plan};

use crate::methodology::Methodology;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::near::nearest;
use crate::tree::value::{Located, Table, Value};

/// The names as written.
fn written(root: &Table) -> &[Located<Value>] {
    root.list("headlines")
}

/// Those that a plan has: others belong to another profile or were left out.
pub(crate) fn of_plan(method: &Methodology, plan: &Plan) -> Vec<String> {
    let names = written(method.root()).iter().map(|one| one.value.to_string());
    names.filter(|name| plan.tests.iter().any(|test| test.name == *name)).collect()
}

/// An error for each name that is of no test of these plans, which have all tests of all profiles and forms, and for a
/// plan with too many.
pub(crate) fn wrong(method: &Methodology, plans: &[Plan]) -> Errors {
    let mut errors = Errors::default();
    for one in written(method.root()) {
        let name = one.value.to_string();
        let tests = || plans.iter().flat_map(|plan| &plan.tests).map(|test| test.name.as_str());
        if !plans.is_empty() && !tests().any(|test| test == name) {
            let error =
                Diagnostic::new(one.at.clone(), format!("there is no test '{name}'"), "expected the name of a test");
            errors.push(error.near(nearest(&name, tests())));
        }
    }
    let too_many = plans.iter().find(|plan| plan.headlines.len() > MOST_HEADLINES);
    if let (Some(plan), Some(one)) = (too_many, written(method.root()).last()) {
        let title = format!("'{}' has {} headlines", plan.title, plan.headlines.len());
        errors.push(Diagnostic::new(one.at.clone(), title, format!("expected at most {MOST_HEADLINES}")));
    }
    errors
}
