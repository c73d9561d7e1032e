//! Charts of several sides, one series a side: sweeps, load curves, fills, long loads, headline figures, scores.
//!
//! Every chart shows the figures of [`Contrast`], so it can show nothing that the tables lack.

mod arms;
mod bars;
mod courses;
mod curves;
mod drawing;
mod price;
pub(crate) mod published;
mod ranking;
mod scaling;
mod sweeps;

use drivelab_analysis::ratios::TestRatios;

use crate::figure::{Figure, TestView};
use crate::views::across::contrast::Contrast;
use crate::views::across::published::PublishedSide;
use drawing::Drawing;

pub(crate) use drawing::range;
pub(crate) use ranking::{Mark, Ranked, ranking};

/// The charts of each test, the scores first. `id` begins the ids of their elements.
pub(crate) fn views(contrast: &Contrast<'_>, published: &[PublishedSide], id: &str) -> Vec<TestView> {
    let drawing = Drawing { contrast, published };
    let of_test = |(at, test): (usize, &TestRatios<'_>)| {
        let id = format!("{id}-test-{at}");
        let mut figures = curves::figures(drawing, test, &id);
        figures.extend(sweeps::figures(drawing, test, &id));
        if figures.is_empty() {
            figures = bars::headlines(drawing, test, &id);
        }
        figures.extend(bars::power(drawing, test, &id));
        figures.extend(courses::figures(drawing, test, &id));
        TestView { id, title: test.title.to_owned(), purpose: String::new(), figures }
    };
    let scores = TestView {
        id: format!("{id}-scores"),
        title: "Scores".to_owned(),
        purpose: String::new(),
        figures: ranking::scores(drawing, &format!("{id}-scores")),
    };
    let tests = contrast.ratios.tests.iter().enumerate().map(of_test);
    let drives = [arms::view(drawing, id), scaling::view(drawing, id), price::view(drawing, id)].into_iter().flatten();
    std::iter::once(scores).chain(tests).chain(drives).filter(|view| !view.figures.is_empty()).collect()
}

/// What a doubling of the capacity brings, and what the drives cost, as tables, where it is known.
pub(crate) fn of_drives(contrast: &Contrast<'_>) -> Vec<Figure> {
    [scaling::table(contrast), price::table(contrast)].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests;
