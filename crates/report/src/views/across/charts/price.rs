//! What drives cost: price, price per GB, and each headline figure per unit of currency.

use drivelab_analysis::price::{for_money, one_currency, per_gb};
use drivelab_analysis::ratios::FigureRatios;
use drivelab_analysis::together::capacity;
use drivelab_core::drive_facts::Price;
use drivelab_core::metric::Better;

use super::drawing::Drawing;
use super::ranking::{Mark, Ranked, ranking};
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{Figure, TestView, cells, format};
use crate::views::across::against::value_cell;
use crate::views::across::contrast::Contrast;

/// Most charts of figures per unit of currency; the table has all.
const MOST_CHARTS: usize = 6;

/// What the figures rest on.
const MEANING: &str = "Prices are as entered by the user or in a drive facts file. A figure per unit of currency is \
                       the value divided by the price; it has no interval and no verdict. 1 GB is 10^9 bytes of the \
                       drive's capacity.";

/// The sides whose price is known, in one currency.
struct Priced<'c, 'd> {
    contrast: &'c Contrast<'d>,
    currency: &'c str,
    /// Their places, each with the price.
    sides: Vec<(usize, &'c Price)>,
}

impl<'c, 'd> Priced<'c, 'd> {
    /// `None` if no price is known, or prices are in several currencies.
    fn of(contrast: &'c Contrast<'d>) -> Option<Priced<'c, 'd>> {
        let sides: Vec<(usize, &Price)> =
            contrast.prices.iter().enumerate().filter_map(|(side, price)| Some((side, price.as_ref()?))).collect();
        let currency = one_currency(sides.iter().map(|(_, price)| *price))?;
        Some(Priced { contrast, currency, sides })
    }

    /// The headline figures of which more is better, each with its name.
    fn figures(&self) -> Vec<(String, &'c FigureRatios<'d>)> {
        let all = self.contrast.headlines().into_iter();
        all.filter(|(_, figure)| figure.better == Better::Higher).collect()
    }

    /// The price of one GB of a side's drive.
    fn per_gb(&self, side: usize, price: &Price) -> Option<f64> {
        per_gb(price, capacity(&self.contrast.first[side].run.environment.target))
    }

    /// A figure per unit of currency.
    fn bought(figure: &FigureRatios<'_>, side: usize, price: &Price) -> Option<f64> {
        for_money(figure.cells[side].value?, price)
    }

    /// The same with the marks of the figure.
    fn bought_cell(figure: &FigureRatios<'_>, side: usize, price: &Price) -> Cell {
        let cell = value_cell(&figure.cells[side]);
        match Self::bought(figure, side, price) {
            Some(bought) => Cell { text: format!("{bought:.2}"), ..cell },
            None => cell,
        }
    }

    /// A row for the price, one for the price per GB, and one for each headline figure per unit of currency.
    fn table(&self) -> Table {
        let Priced { contrast, currency, sides } = self;
        let mut columns = vec![Column::words("Figure"), Column::units()];
        columns.extend(sides.iter().map(|(side, _)| Column::figures(&contrast.letters[*side], "")));
        let row = |title: &str, unit: &str, value: &dyn Fn(usize, &Price) -> Cell| {
            let cells = sides.iter().map(|(side, price)| value(*side, price));
            [title, unit].map(Cell::text).into_iter().chain(cells).collect::<Vec<_>>()
        };
        let size = |side: usize| format::short_bytes(capacity(&contrast.first[side].run.environment.target));
        let per_gb = |side: usize, price: &Price| {
            self.per_gb(side, price).map_or_else(Cell::default, |value| Cell::text(format!("{value:.3}")))
        };
        let mut rows = vec![
            row("Price", currency, &|_, price| Cell::text(format!("{:.2}", price.amount))),
            row("Date", "", &|_, price| Cell::text(price.date.as_str())),
            row("Capacity", "", &|side, _| Cell::text(size(side))),
            row("Price per GB", &format!("{currency}/GB"), &per_gb),
        ];
        for (title, figure) in self.figures() {
            rows.push(row(&title, &self.unit(figure), &|side, price| Self::bought_cell(figure, side, price)));
        }
        Table { caption: format!("Price and performance per {currency}"), columns, rows }
    }

    /// `MB/s/EUR`.
    fn unit(&self, figure: &FigureRatios<'_>) -> String {
        format!("{}/{}", cells::unit_text(&figure.metric.unit), self.currency).trim_start_matches('/').to_owned()
    }

    /// A bar for a side.
    fn bar(&self, side: usize, value: Option<f64>, text: String) -> Ranked {
        let name = self.contrast.names[side].clone();
        Ranked { name, value, text, mark: Mark::of_base(side == self.contrast.ratios.base), ..Ranked::default() }
    }

    /// Ranking bars of the price per GB, and of headline figures per unit of currency.
    fn charts(&self, id: &str) -> Vec<Figure> {
        let unit = format!("{}/GB", self.currency);
        let per_gb = self.sides.iter().map(|(side, price)| {
            let value = self.per_gb(*side, price);
            self.bar(*side, value, value.map_or_else(String::new, |value| format!("{value:.3} {unit}")))
        });
        let first = ranking("Price per GB", &unit, Better::Lower, per_gb.collect(), &format!("{id}-gb"));
        let of_figure = |(at, (title, figure)): (usize, (String, &FigureRatios<'_>))| {
            let unit = self.unit(figure);
            let bars = self.sides.iter().map(|(side, price)| {
                let text = Self::bought_cell(figure, *side, price).plain();
                self.bar(*side, Self::bought(figure, *side, price), format!("{text} {unit}"))
            });
            let title = format!("{title} per {}", self.currency);
            ranking(&title, &unit, Better::Higher, bars.collect(), &format!("{id}-{at}"))
        };
        first
            .into_iter()
            .chain(self.figures().into_iter().enumerate().filter_map(of_figure).take(MOST_CHARTS))
            .collect()
    }
}

/// The table; `None` if no price is known, or prices are in several currencies.
pub(super) fn table(contrast: &Contrast<'_>) -> Option<Figure> {
    let table = Priced::of(contrast)?.table();
    Some(Figure { title: String::new(), caption: MEANING.to_owned(), table, chart: None, long: false })
}

/// Charts, and the table.
pub(super) fn view(drawing: Drawing<'_, '_>, id: &str) -> Option<TestView> {
    let (priced, table, id) = (Priced::of(drawing.contrast)?, table(drawing.contrast)?, format!("{id}-price"));
    let mut figures = if priced.sides.len() > 1 { priced.charts(&id) } else { Vec::new() };
    figures.push(table);
    Some(TestView { id, title: "Price".to_owned(), purpose: String::new(), figures })
}
