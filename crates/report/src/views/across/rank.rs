//! Drives ranked by one figure: bars, and a table with places, ratios and verdicts.

use drivelab_analysis::digest::Digest;
use drivelab_analysis::price::{for_money, one_currency};
use drivelab_analysis::rank::Ranking;
use drivelab_analysis::ratios::{Basis, Limits, SideFigure};
use drivelab_core::drive_facts::Price;
use drivelab_core::metric::Better;

use crate::figure::format::ratio_text;
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{Figure, cells, format, signs};
use crate::views::across::against::{base_of, ratio_cell, touched_note, value_cell, verdict_word};
use crate::views::across::charts::{Mark, Ranked, range, ranking};
use crate::views::across::compare::method_title;
use crate::views::across::contrast::label;
use crate::views::across::published::{PublishedSide, Readings, measured_here, source_notes};

/// What is ranked.
#[derive(Debug, Clone)]
pub struct RankInput<'d> {
    /// The ranking.
    pub ranking: Ranking<'d>,
    /// Name of each side.
    pub names: Vec<String>,
    /// Drive of each side: an empty and a full drive are two sides.
    pub drives: Vec<String>,
    /// Sides whose bars have a colour of their own.
    pub marked: Vec<usize>,
    /// Price of each side's drive, if it is known; empty if none is.
    pub prices: Vec<Option<Price>>,
    /// A run of the methodology.
    pub method: &'d Digest,
    /// Published figures, shown beside them without a place.
    pub published: Vec<PublishedSide>,
    /// From which difference on one is worth a verdict.
    pub limits: Limits,
    /// Names of the differences that were allowed.
    pub touched: Vec<&'static str>,
    /// Without serial numbers and folder names.
    pub redact: bool,
}

/// With two decimals; empty without a value.
fn number(value: Option<f64>) -> Cell {
    value.map_or_else(Cell::default, |value| Cell::text(format!("{value:.2}")))
}

impl RankInput<'_> {
    /// `Quick 1.2.0, quick form: SEQ 1 MiB Q8T1 read (MB/s)`.
    pub(crate) fn title(&self) -> String {
        let unit = cells::unit_text(&self.ranking.figure.metric.unit);
        format!("{}: {} ({unit})", method_title(&self.method.run), self.what())
    }

    /// The step and the figure.
    pub(crate) fn what(&self) -> String {
        let figure = &self.ranking.figure;
        self.ranking.step.map_or_else(|| figure.title.to_owned(), |facts| label(facts, figure))
    }

    /// The currency of all prices; `None` if none is known, or they are in several.
    pub(crate) fn currency(&self) -> Option<&str> {
        one_currency(self.prices.iter().flatten())
    }

    /// Price of a side, if all prices are in one currency.
    pub(crate) fn price(&self, side: usize) -> Option<&Price> {
        self.currency().and(self.prices.get(side)?.as_ref())
    }

    /// The figure of a side per unit of currency; `None` if less of it is better.
    pub(crate) fn for_money(&self, side: usize) -> Option<f64> {
        let figure = &self.ranking.figure;
        let value = figure.cells[side].value.filter(|_| figure.better == Better::Higher)?;
        for_money(value, self.price(side)?)
    }

    /// The published drives that have this figure.
    pub(crate) fn beside(&self) -> impl Iterator<Item = (&PublishedSide, Readings<'_>)> {
        self.published.iter().filter_map(|side| Some((side, side.readings(self.ranking.figure.metric)?)))
    }

    /// Whether a side is shown to be better than every other.
    pub(crate) fn is_best(&self, side: usize) -> bool {
        self.ranking.figure.best == Some(side)
    }

    /// Whether there are places: a single drive has none.
    pub(crate) fn has_places(&self) -> bool {
        self.ranking.order.len() > 1
    }

    fn unit(&self) -> &str {
        cells::unit_text(&self.ranking.figure.metric.unit)
    }

    /// A row for each side with a value, the best first, and one for each published figure.
    pub(crate) fn table(&self) -> Table {
        let currency = self.currency().unwrap_or_default();
        let columns = vec![
            Column::figures("Place", ""),
            Column::words("Drive"),
            Column::figures("Value", self.unit()),
            Column::figures("Ratio", ""),
            Column::words(if self.has_places() { "To the first" } else { "" }),
            Column::figures("95 %", ""),
            Column::figures("Runs", ""),
            Column::figures("Price", currency),
            Column::figures("Value", &format!("{}/{currency}", self.unit())),
        ];
        let row = |placed: &drivelab_analysis::rank::Placed| {
            let cell = &self.ranking.figure.cells[placed.side];
            let against = cell.against;
            let ratio = against.map_or_else(Cell::default, |one| ratio_cell(&one, !self.touched.is_empty()));
            let ends = against.and_then(|one| one.interval);
            let interval =
                ends.map_or_else(String::new, |(low, high)| format!("{} – {}", ratio_text(low), ratio_text(high)));
            let first = if self.is_best(placed.side) { "best" } else { "first" };
            let verdict = match against {
                Some(one) => verdict_word(one.verdict),
                None if self.has_places() => first,
                None => "measured",
            };
            vec![
                Cell::text(placed.place.to_string()),
                Cell::text(&*self.names[placed.side]),
                value_cell(cell),
                ratio,
                Cell::text(verdict),
                Cell::text(interval),
                Cell::text(cell.metrics.len().to_string()),
                number(self.price(placed.side).map(|price| price.amount)),
                number(self.for_money(placed.side)),
            ]
        };
        let best = self.ranking.order.first().and_then(|first| base_of(&self.ranking.figure.cells[first.side]));
        let of_others = self.beside().map(|(side, readings)| {
            vec![
                Cell::default(),
                Cell::text(side.name()),
                readings.cell(),
                best.map_or_else(Cell::default, |best| readings.ratio(best)),
                Cell::text("published"),
                Cell::default(),
                Cell::default(),
                Cell::default(),
                Cell::default(),
            ]
        });
        let rows = self.ranking.order.iter().map(row).chain(of_others).collect();
        let mut table = Table { caption: self.title(), columns, rows }.without_empty_columns();
        if !self.has_places() {
            table.columns.remove(0);
            table.rows.iter_mut().for_each(|row| drop(row.remove(0)));
        }
        table
    }

    /// Ranking bars.
    pub(crate) fn figure(&self, id: &str) -> Option<Figure> {
        let unit = self.unit();
        let own = self.ranking.order.iter().map(|placed| {
            let cell = &self.ranking.figure.cells[placed.side];
            Ranked {
                name: match self.has_places() {
                    true => format!("{}. {}", placed.place, self.names[placed.side]),
                    false => self.names[placed.side].clone(),
                },
                value: cell.value,
                text: format!("{} {unit}", value_cell(cell).plain()),
                range: range(cell),
                published: false,
                mark: if self.marked.contains(&placed.side) { Mark::Reviewed } else { Mark::None },
                drive: self.drives[placed.side].clone(),
            }
        });
        let others = self.beside().map(|(side, readings)| Ranked {
            name: side.name(),
            value: Some(readings.drawn()),
            text: format!("{} {unit}", readings.cell().plain()),
            range: readings.ends(),
            published: true,
            ..Ranked::default()
        });
        let figure = ranking(&self.what(), unit, self.ranking.figure.better, own.chain(others).collect(), id)?;
        Some(Figure { table: self.table(), ..figure })
    }

    /// What the places rest on.
    pub(crate) fn notes(&self) -> Vec<String> {
        let figure = &self.ranking.figure;
        let direction = if figure.better == Better::Lower { "Lower is better." } else { "Higher is better." };
        let mut notes = vec![match self.has_places() {
            true => format!(
                "{direction} A new place begins with a drive that is shown to be worse than the first drive of the place \
                 before."
            ),
            false => direction.to_owned(),
        }];
        let against = figure.cells.iter().filter_map(|cell| cell.against);
        if against.clone().any(|one| one.basis != Some(Basis::Runs) && one.ratio.is_some()) {
            notes.push(format!(
                "With one run of each drive, run-to-run spread is unknown: differences within {} % do not separate places.",
                format::plain_number(self.limits.one_run * 100.0)
            ));
        }
        if figure.cells.iter().any(SideFigure::is_spoiled) {
            notes.push("A disturbed figure moves no other drive to a later place. ".to_owned() + signs::DISTURBED);
        }
        if figure.cells.iter().any(SideFigure::is_at_least) {
            notes.push(signs::LOWER_BOUND.to_owned());
        }
        let none: Vec<&str> = (0..self.names.len())
            .filter(|side| figure.cells[*side].value.is_none())
            .map(|side| self.names[side].as_str())
            .collect();
        if !none.is_empty() {
            notes.push(format!("No value, or a void one: {}.", none.join(", ")));
        }
        let beside: Vec<PublishedSide> = self.beside().map(|(side, _)| side.clone()).collect();
        notes.extend(source_notes(&beside, Some(&self.method.run)));
        if !beside.is_empty() {
            notes.push(match self.has_places() {
                true => "Published figures were measured by others and have no place.".to_owned(),
                false => "Without places: only one drive was measured here; published figures were measured by others."
                    .to_owned(),
            });
            notes.push(measured_here(&self.method.run, self.redact));
        }
        if !self.published.is_empty() && beside.is_empty() {
            notes.push("No published figure matches this one.".to_owned());
        }
        if self.prices.iter().flatten().count() > 0 {
            notes.push(match self.currency() {
                Some(_) => {
                    "Prices are as entered by the user or in a drive facts file; the value divided by the price has no \
                            interval and no verdict."
                        .to_owned()
                }
                None => {
                    "Prices are in several currencies and are not shown; set them in one with `drivelab drives price`."
                        .to_owned()
                }
            });
        }
        if !self.touched.is_empty() {
            notes.push(touched_note(&self.touched));
        }
        notes
    }
}
