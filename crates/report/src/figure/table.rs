//! A table for every format: columns, rows, and cells that may have signs (void, approximation).

use drivelab_core::metric::Wrong;

/// The sign of a cell.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Sign {
    /// An ordinary cell.
    #[default]
    None,
    /// The figure is void, for this reason.
    Void(String),
    /// The figure is a lower bound.
    AtLeast,
}

/// The level of a heading among the rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Heading {
    /// Of a test, or of the whole run.
    Test,
    /// Of a step of the test above it.
    Step,
}

/// One cell.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Cell {
    /// What is shown.
    pub(crate) text: String,
    /// A second, smaller line; empty for none.
    pub(crate) detail: String,
    /// Void, a lower bound, or neither.
    pub(crate) sign: Sign,
    /// In which direction it is wrong because something outside the test disturbed it; `None` if nothing did.
    pub(crate) wrong: Option<Wrong>,
    /// Why the parameters of the row are approximations; empty if they are not.
    pub(crate) approximation: String,
    /// The level, if the row is a heading and this its first cell.
    pub(crate) heading: Option<Heading>,
}

impl Cell {
    /// Plain text.
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Cell { text: text.into(), ..Cell::default() }
    }

    /// A void figure.
    pub(crate) fn void(reason: impl Into<String>) -> Self {
        Cell { text: "void".to_owned(), sign: Sign::Void(reason.into()), ..Cell::default() }
    }

    /// A figure that is a lower bound.
    pub(crate) fn at_least(text: impl Into<String>) -> Self {
        Cell { text: text.into(), sign: Sign::AtLeast, ..Cell::default() }
    }

    /// Whether it is a void figure.
    pub(crate) fn is_void(&self) -> bool {
        matches!(self.sign, Sign::Void(_))
    }

    /// Whether it is a lower bound.
    pub(crate) fn is_at_least(&self) -> bool {
        self.sign == Sign::AtLeast
    }

    /// The sign before a lower bound.
    pub(crate) fn before(&self) -> &'static str {
        if self.is_at_least() { "≥ " } else { "" }
    }

    /// With the mark of a disturbed figure, if `wrong` is set; a cell without a figure never has a mark.
    pub(crate) fn wrong(self, wrong: Option<Wrong>) -> Self {
        let wrong = wrong.filter(|_| !self.text.is_empty() && !self.is_void());
        Cell { wrong, ..self }
    }

    /// The mark after a disturbed figure; empty if it is not disturbed.
    pub(crate) fn after(&self) -> &'static str {
        self.wrong.map_or("", Wrong::sign)
    }

    /// What the mark means, for a tooltip.
    pub(crate) fn says(&self) -> &'static str {
        match self.wrong {
            None => "",
            Some(Wrong::TooLow) => "Disturbed: other programs used the disk. Undisturbed it would be higher",
            Some(Wrong::TooHigh) => "Disturbed: other programs used the disk. Undisturbed it would be lower",
            Some(Wrong::EitherWay) => "Disturbed: other programs used the disk. Undisturbed it would be different",
        }
    }

    /// Why it is void; empty if it is not.
    pub(crate) fn void_reason(&self) -> &str {
        match &self.sign {
            Sign::None | Sign::AtLeast => "",
            Sign::Void(reason) => reason,
        }
    }

    /// The cell as plain text: sign of a lower bound, text, mark of a disturbed figure, sign of an approximation,
    /// detail.
    pub(crate) fn plain(&self) -> String {
        let sign = if self.approximation.is_empty() { "" } else { " ≈" };
        let apart = if self.wrong.is_some() { " " } else { "" };
        let figure = format!("{}{}{apart}{}{sign}", self.before(), self.text, self.after());
        if self.detail.is_empty() { figure } else { format!("{figure} ({})", self.detail) }
    }
}

/// Heading of a column.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Column {
    /// Title.
    pub(crate) title: String,
    /// Unit; empty for none.
    pub(crate) unit: String,
    /// Whether it holds figures, which are aligned to the right.
    pub(crate) figures: bool,
    /// Id of the metric's definition; empty if the column is not a metric.
    pub(crate) metric: String,
    /// Whether it stands behind the first column in every part of a table that is too wide.
    pub(crate) in_every_part: bool,
}

impl Column {
    /// A column of words.
    pub(crate) fn words(title: &str) -> Self {
        Column {
            title: title.to_owned(),
            unit: String::new(),
            figures: false,
            metric: String::new(),
            in_every_part: false,
        }
    }

    /// The units of figures whose columns are the sides: every part of a wide table needs it.
    pub(crate) fn units() -> Self {
        Column { in_every_part: true, ..Column::words("Unit") }
    }

    /// A column of figures that are not a metric.
    pub(crate) fn figures(title: &str, unit: &str) -> Self {
        Column { unit: unit.to_owned(), figures: true, ..Column::words(title) }
    }

    /// Title with unit.
    pub(crate) fn plain(&self) -> String {
        if self.unit.is_empty() { self.title.clone() } else { format!("{} ({})", self.title, self.unit) }
    }
}

/// A table. The first cell of each row is its heading.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Table {
    /// What it holds.
    pub(crate) caption: String,
    /// Columns.
    pub(crate) columns: Vec<Column>,
    /// Rows, each as long as `columns`.
    pub(crate) rows: Vec<Vec<Cell>>,
}

impl Table {
    /// Drops columns, except the first, that are empty in every row.
    pub(crate) fn without_empty_columns(mut self) -> Self {
        let kept: Vec<bool> = (0..self.columns.len())
            .map(|at| at == 0 || self.rows.iter().any(|row| row.get(at).is_some_and(|cell| !cell.text.is_empty())))
            .collect();
        let keep = |index: usize| kept.get(index).copied().unwrap_or(true);
        let mut index = 0..;
        self.columns.retain(|_| index.next().is_some_and(keep));
        for row in &mut self.rows {
            let mut index = 0..;
            row.retain(|_| index.next().is_some_and(keep));
        }
        self
    }

    /// Whether every column but the first holds figures: a page then aligns all cells with one rule.
    pub(crate) fn holds_figures(&self) -> bool {
        self.columns.iter().skip(1).all(|column| column.figures)
    }

    /// Shows missing figures as dashes.
    pub(crate) fn with_dashes(mut self) -> Self {
        let figures: Vec<bool> = self.columns.iter().map(|column| column.figures).collect();
        for row in &mut self.rows {
            for (cell, _) in row.iter_mut().zip(&figures).filter(|(cell, figures)| **figures && cell.text.is_empty()) {
                "–".clone_into(&mut cell.text);
            }
        }
        self
    }

    /// Removes the columns, except the first, that have the same value in every row, and returns them as title and
    /// value. A table of one row keeps its columns.
    pub(crate) fn hoist(mut self) -> (Self, Vec<(String, String)>) {
        let mut hoisted = Vec::new();
        if self.rows.len() < 2 {
            return (self, hoisted);
        }
        for at in (1..self.columns.len()).rev() {
            let Some(value) = self.rows.first().and_then(|row| row.get(at)).map(|cell| cell.text.clone()) else {
                continue;
            };
            if self.rows.iter().all(|row| row.get(at).is_some_and(|cell| cell.text == value && !cell.is_void())) {
                let column = self.columns.remove(at);
                self.rows.iter_mut().for_each(|row| drop(row.remove(at)));
                hoisted.push((column.plain(), value));
            }
        }
        hoisted.reverse();
        (self, hoisted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_figure_has_the_mark_of_a_disturbed_one() {
        let after = |cell: Cell| cell.wrong(Some(Wrong::EitherWay)).after();
        assert_eq!(
            [Cell::default(), Cell::void("why"), Cell::text("1"), Cell::at_least("1")].map(after),
            ["", "", "◆", "◆"]
        );
    }
}
