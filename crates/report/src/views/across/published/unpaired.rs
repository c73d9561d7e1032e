//! Published figures without a matching figure in the runs: a table of them, and charts where no run is compared.

use drivelab_analysis::digest::Digest;
use drivelab_core::plan::Form;
use drivelab_core::published::PublishedFigure;

use crate::figure::TestView;
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{cells, format};
use crate::views::across::published::choice::{self, Choice};
pub(crate) use crate::views::across::published::row::Row;
use crate::views::across::published::{PublishedSide, Readings, source_notes, verdicts};
use crate::views::across::sides::{DriveVerdict, Sides};

/// The figures.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Unpaired<'p> {
    /// The drives.
    pub(crate) sides: &'p [PublishedSide],
    /// The side that the others are compared with; `None` beside runs.
    pub(crate) base: Option<usize>,
    /// A row for each quantity of each test, in the order of the sources.
    pub(crate) rows: Vec<Row<'p>>,
}

impl<'p> Unpaired<'p> {
    /// The published figures without a matching figure in these runs; `None` if there are none.
    pub(crate) fn of(sides: &'p Sides, digests: &[&Digest]) -> Option<Unpaired<'p>> {
        let own = |side: &'p PublishedSide| -> Vec<&'p PublishedFigure> {
            let compared =
                digests.iter().filter(|one| one.run.form != Form::Smoke && side.measured_like(&one.run.method.name));
            let steps: Vec<_> = compared.flat_map(|digest| digest.steps()).collect();
            let is_beside = |figure: &&PublishedFigure| {
                let mut own = steps.iter().filter(|step| figure.steps.contains(&step.facts.id));
                own.any(|step| step.metrics.iter().any(|metric| metric.id == figure.metric))
            };
            side.figures.iter().filter(|figure| !is_beside(figure)).collect()
        };
        let figures: Vec<Vec<&PublishedFigure>> = sides.published.iter().map(own).collect();
        let mut rows: Vec<Row<'p>> = Vec::new();
        for figure in figures.iter().flatten() {
            if !rows.iter().any(|row| row.is_of(figure)) {
                // The rows of a test stand together.
                let last = rows.iter().rposition(|row| row.test == figure.test);
                rows.insert(last.map_or(rows.len(), |at| at + 1), Row::of(figure));
            }
        }
        for row in &mut rows {
            let of_side = |own: &Vec<&'p PublishedFigure>| {
                Readings::of(own.iter().copied().filter(|figure| row.is_of(figure)), row.unit)
            };
            row.cells = figures.iter().map(of_side).collect();
        }
        let base = digests.is_empty().then_some(sides.published_base);
        (!rows.is_empty()).then_some(Unpaired { sides: &sides.published, base, rows })
    }

    /// All figures.
    fn figures(&self) -> impl Iterator<Item = &'p PublishedFigure> {
        let readings = self.rows.iter().flat_map(|row| row.cells.iter().flatten());
        readings.flat_map(|readings| readings.figures.iter().copied())
    }

    /// What a row is of: the test, and what tells it from the other rows of the test: quantity, load, which figure.
    pub(crate) fn label(&self, row: &Row<'_>) -> String {
        let others = || self.rows.iter().filter(|other| other.test == row.test && !std::ptr::eq(*other, row));
        let title = others().any(|other| other.metric != row.metric).then(|| row.title.to_owned());
        let twins = || others().filter(|other| other.metric == row.metric && other.which == row.which);
        let unlike = |of: &dyn Fn(&PublishedFigure) -> Option<String>| {
            twins().any(|other| of(other.figure) != of(row.figure)).then(|| of(row.figure)).flatten()
        };
        let parts = [
            Some(row.test.to_owned()),
            title,
            unlike(&|one| one.block_size.clone()),
            unlike(&|one| one.queue_depth.map(|depth| format!("queue depth {depth}"))),
            unlike(&|one| one.threads.map(|threads| format!("{threads} threads"))),
            unlike(&|one| one.pattern.clone()),
            unlike(&|one| one.op.clone()),
            row.which.map(str::to_owned),
        ];
        parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
    }

    /// Which of two drives to choose in which case.
    pub(crate) fn choices(&self) -> Vec<Choice> {
        match self.base {
            Some(_) => choice::choices(self.sides, &self.rows, &|row| self.label(row)),
            None => Vec::new(),
        }
    }

    /// A row for each quantity of each test, with the ratios to the base where there is one.
    pub(crate) fn table(&self) -> Table {
        let mut columns = vec![Column::words("Test"), Column::units()];
        columns.extend(self.sides.iter().map(|side| Column::figures(&side.letter, "")));
        let others = |base: usize| (0..self.sides.len()).filter(move |side| *side != base);
        if let Some(base) = self.base {
            let title = |side: usize| format!("{}/{}", self.sides[side].letter, self.sides[base].letter);
            columns.extend(others(base).map(|side| Column::figures(&title(side), "")));
        }
        let row = |row: &Row<'p>| {
            let shown = |one: &Option<Readings<'p>>| one.as_ref().map_or_else(Cell::default, Readings::cell);
            let first = [Cell::text(self.label(row)), Cell::text(cells::unit_text(row.unit))];
            let mut all: Vec<Cell> = first.into_iter().chain(row.cells.iter().map(shown)).collect();
            if let Some(base) = self.base {
                let value = row.cells[base].as_ref().and_then(Readings::as_base);
                let ratio = |side: usize| Some(row.cells[side].as_ref()?.ratio(value?));
                all.extend(others(base).map(|side| ratio(side).unwrap_or_default()));
            }
            all
        };
        let caption = match self.base {
            Some(base) => format!("Published figures, against {}", self.sides[base].letter),
            None => "Published figures without a matching figure in these runs".to_owned(),
        };
        Table { caption, columns, rows: self.rows.iter().map(row).collect() }.without_empty_columns()
    }

    /// The view of them, with these charts, and with what the drives are good for if no run is compared.
    pub(crate) fn view(&self, charts: Vec<TestView>, verdicts: &[DriveVerdict]) -> UnpairedView {
        let shown = |(at, _): &(usize, &PublishedSide)| self.rows.iter().any(|row| row.cells[*at].is_some());
        let sides = self.sides.iter().enumerate().filter(shown).map(|(_, side)| side.name());
        let mut notes = Vec::new();
        if self.base.is_some() {
            notes.extend(source_notes(self.sides, None));
            notes.push(
                "These figures were measured by others, and each source measures in its own way. Their ratios have no \
                 interval and no verdict."
                    .to_owned(),
            );
        }
        notes.extend(verdicts::none_because(verdicts).map(|why| format!("No verdicts: {why}.")));
        let count = self.figures().count();
        let verb = if count == 1 { "has" } else { "have" };
        UnpairedView {
            sides: sides.collect(),
            table: self.table(),
            charts,
            summary: format!(
                "{} {verb} no matching figure in these runs; --all lists them.",
                format::counted(count, "published figure")
            ),
            without_runs: self.base.is_some(),
            choices: self.choices(),
            verdicts: verdicts::table(verdicts),
            reasons: verdicts::reasons(verdicts),
            notes,
        }
    }
}

/// Published figures as shown.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct UnpairedView {
    /// A line for each drive.
    pub(crate) sides: Vec<String>,
    /// The figures.
    pub(crate) table: Table,
    /// Charts of them; none beside runs.
    pub(crate) charts: Vec<TestView>,
    /// How many there are, where the table is left out.
    pub(crate) summary: String,
    /// No run is compared, only these.
    pub(crate) without_runs: bool,
    /// Which of two drives to choose, case by case; empty for other numbers of drives, and beside runs.
    pub(crate) choices: Vec<Choice>,
    /// What the drives are good for by the rules; no rows if no rule decides anything, or beside runs.
    pub(crate) verdicts: Table,
    /// Why, a sentence for each drive and use that is not simply recommended.
    pub(crate) reasons: Vec<String>,
    /// Where they come from.
    pub(crate) notes: Vec<String>,
}
