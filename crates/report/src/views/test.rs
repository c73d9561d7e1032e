//! One test of the plan as charts and tables, made from the same figures.
//!
//! Chooses the form: a sweep over one axis, pairs of read and write, or a single step over time. Knows no test by name:
//! the form follows from the plan alone.

pub(crate) mod curve;
pub(crate) mod files;
mod fill;
mod heat;
pub(crate) mod loads;
pub(crate) mod map;
mod percentiles;
mod steady;
pub(crate) mod steps;
pub(crate) mod sweep;

use drivelab_core::plan::{Step, TestPlan};

use crate::figure::input::ReportInput;
use crate::figure::pairs::{measured, measured_tests};
use crate::figure::{Figure, TestView};
use crate::views::time_line;

/// Every measured test with its figures. `prefix` keeps ids unique on a page of several runs; curves over time have at
/// most `most` points.
pub(crate) fn tests(input: &ReportInput<'_>, prefix: &str, most: usize) -> Vec<TestView> {
    let tests = measured_tests(&input.records.plan);
    tests.map(|test| view(input, test, prefix, most)).collect()
}

/// One test with its figures.
pub(crate) fn view(input: &ReportInput<'_>, test: &TestPlan, prefix: &str, most: usize) -> TestView {
    let id = format!("{prefix}{}", test.name);
    let steps: Vec<&Step> = measured(test).collect();
    let mut figures = Vec::new();
    if curve::is_one(test) {
        figures.extend(curve::figures(input, test, &id));
        return TestView { id, title: test.title.clone(), purpose: test.purpose.clone(), figures };
    }
    if let Some(sweep) = sweep::of_test(input, test) {
        figures.push(sweep::figure(input, test, &sweep, &id));
    } else {
        figures.push(steps::figure(input, test, &id));
    }
    figures.extend(steady::figures(input, test, &id));
    figures.extend(fill::of_test(input, test));
    figures.extend(fill::by_position(input, test));
    figures.extend(heat::of_test(input, test));
    figures.extend(map::figures(input, test, &id));
    figures.extend(loads::figures(input, test));
    for step in steps.iter().filter(|step| steps.len() <= 2 || is_overloaded(input, step)) {
        // Several courses of one test are told apart by their steps.
        let several = steps.len() > 1;
        figures.extend(time_line::of_step(input, step, &id, most).into_iter().map(|figure| Figure {
            title: if several { format!("{}: {}", figure.title, step.label) } else { figure.title },
            ..figure
        }));
    }
    figures.extend(percentiles::of_test(input, test, &id));
    TestView { id, title: test.title.clone(), purpose: test.purpose.clone(), figures }
}

/// Whether a step's response times are void because its backlog grew: the curve of the backlog is the result then.
fn is_overloaded(input: &ReportInput<'_>, step: &Step) -> bool {
    let code = "open_loop_overloaded";
    let metrics = input.analysis.metrics.iter().filter(|metric| metric.step.as_ref() == Some(&step.id));
    metrics.flat_map(|metric| &metric.voided_by).any(|voided| voided == code)
}
