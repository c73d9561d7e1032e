//! Published figures in the document of a comparison: those beside a figure of a run, and all others.

use drivelab_core::published::{Bound, End, PublishedFigure};
use schemars::JsonSchema;
use serde::Serialize;

use crate::views::across::published::choice::Choice;
use crate::views::across::published::unpaired::{Row, Unpaired};
use crate::views::across::published::{Base, PublishedSide, Readings};
use crate::views::across::sides::{DriveVerdict, Sides};

/// A drive of a publication.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct PublishedSideDoc {
    /// Its name: `P1`.
    pub(crate) name: String,
    /// The drive, its capacity, and the condition that it was measured under.
    pub(crate) title: String,
    /// The publication, with who wrote it.
    pub(crate) source: String,
    /// How its figures were measured.
    pub(crate) method: String,
}

/// A published figure.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct PublishedCellDoc {
    /// Name of the published drive: `P1`.
    pub(crate) side: String,
    /// The value in the unit of the metric.
    pub(crate) value: f64,
    /// The value in the unit of the source.
    pub(crate) published_value: f64,
    /// The unit of the source.
    pub(crate) published_unit: String,
    /// Which of several figures of one drive and test it is: `cold`, `throttled, second level`; absent if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) which: Option<String>,
    /// Which end of a range it is: `low` or `high`; absent if the source gives no range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) end: Option<&'static str>,
    /// The source gives a bound: `at_least` or `at_most`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bound: Option<&'static str>,
    /// The source gives a round figure.
    pub(crate) about: bool,
    /// Why it is doubtful; absent if it is not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) doubtful: Option<String>,
    /// Where it stands in the source.
    pub(crate) place: String,
    /// Ratio to the base; `null` for a published base, if the base has no value, and if something disturbed it. A bound
    /// on either side makes it one.
    pub(crate) ratio: Option<f64>,
}

/// Published figures without a matching figure in the runs: all of them in a comparison without runs.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct PublishedDoc {
    /// The drives.
    pub(crate) sides: Vec<PublishedSideDoc>,
    /// Name of the drive that the others are compared with; absent beside runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) base: Option<String>,
    /// Which of two drives to choose, case by case; absent for other numbers of drives, and beside runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) choices: Vec<ChoiceDoc>,
    /// What each drive is good for by the rules; absent beside runs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) verdicts: Vec<DriveVerdict>,
    /// Their figures, test by test.
    pub(crate) rows: Vec<PublishedRowDoc>,
}

/// Which of two drives to choose in a case.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct ChoiceDoc {
    /// The case, such as an arm of encryption.
    pub(crate) case: String,
    /// The drive to choose, under what it was measured; `null` if neither is ahead more often.
    pub(crate) choose: Option<String>,
    /// The other one, or both.
    pub(crate) other: String,
    /// Figures in which the chosen one is ahead.
    pub(crate) ahead: usize,
    /// Figures in which the other one is.
    pub(crate) behind: usize,
    /// Figures that differ by less than 3 %.
    pub(crate) close: usize,
    /// Smallest lead of the chosen one, as a ratio.
    pub(crate) low: Option<f64>,
    /// Largest lead.
    pub(crate) high: Option<f64>,
}

/// One quantity of a published test.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub(crate) struct PublishedRowDoc {
    /// What was measured.
    pub(crate) test: String,
    /// Id of the metric (docs/metrics.md).
    pub(crate) metric: String,
    /// Unit of the values.
    pub(crate) unit: String,
    /// The figures of each drive that has any.
    pub(crate) figures: Vec<PublishedCellDoc>,
}

impl PublishedDoc {
    /// All figures with their rows.
    pub(super) fn figures(&self) -> impl Iterator<Item = (&PublishedRowDoc, &PublishedCellDoc)> {
        self.rows.iter().flat_map(|row| row.figures.iter().map(move |figure| (row, figure)))
    }
}

pub(super) fn side(side: &PublishedSide) -> PublishedSideDoc {
    PublishedSideDoc {
        name: side.letter.clone(),
        title: side.title.clone(),
        source: side.source.clone(),
        method: side.method.clone(),
    }
}

/// A figure of a side in this unit, with its ratio to a base; `None` if it is of another quantity.
pub(super) fn cell(
    side: &PublishedSide,
    found: &PublishedFigure,
    unit: &str,
    base: Option<Base>,
) -> Option<PublishedCellDoc> {
    let value = found.value_in(unit)?;
    Some(PublishedCellDoc {
        side: side.letter.clone(),
        value,
        published_value: found.value,
        published_unit: found.unit.clone(),
        which: found.which.clone(),
        end: found.end.map(|end| match end {
            End::Low => "low",
            End::High => "high",
        }),
        bound: found.bound.map(|bound| match bound {
            Bound::AtLeast => "at_least",
            Bound::AtMost => "at_most",
        }),
        about: found.about,
        doubtful: found.doubtful.clone(),
        place: found.place.clone(),
        ratio: base.map(|base| value / base.value),
    })
}

/// All figures without a matching figure in the runs.
pub(super) fn document(unpaired: &Unpaired<'_>, sides: &Sides) -> PublishedDoc {
    let published = &sides.published;
    let row = |row: &Row<'_>| {
        let base = unpaired.base.and_then(|base| row.cells[base].as_ref()?.as_base());
        let of_side = |(at, (side, readings)): (usize, (&PublishedSide, &Option<_>))| -> Vec<PublishedCellDoc> {
            // Like a measured one, the base has no ratio.
            let base = base.filter(|_| unpaired.base != Some(at));
            let figures = readings.iter().flat_map(|one: &Readings<'_>| &one.figures);
            figures.filter_map(|figure| cell(side, figure, row.unit, base)).collect()
        };
        PublishedRowDoc {
            test: row.test.to_owned(),
            metric: row.metric.to_owned(),
            unit: row.unit.to_owned(),
            figures: published.iter().zip(&row.cells).enumerate().flat_map(of_side).collect(),
        }
    };
    PublishedDoc {
        sides: published.iter().map(side).collect(),
        base: unpaired.base.map(|base| published[base].letter.clone()),
        choices: unpaired.choices().into_iter().map(choice).collect(),
        verdicts: sides.verdicts.clone(),
        rows: unpaired.rows.iter().map(row).collect(),
    }
}

fn choice(of: Choice) -> ChoiceDoc {
    let Choice { case, choose, other, counts: [ahead, behind, close], lead, sentence: _ } = of;
    ChoiceDoc { case, choose, other, ahead, behind, close, low: lead.map(|ends| ends.0), high: lead.map(|ends| ends.1) }
}
