//! A ranking for a terminal, as Markdown, as a page, as CSV and as a document.

use askama::Template;

use crate::documents::rank::{RankDoc, document};
use crate::error::ReportError;
use crate::figure::prose::filters;
use crate::figure::{Figure, escape, wrap};
use crate::formats::asset;
use crate::formats::columns::{LEAST_WIDTH, plain};
use crate::formats::markdown::parts;
use crate::marker;
use crate::views::across::rank::RankInput;

#[derive(Template)]
#[template(path = "rank.html")]
struct Page {
    title: String,
    generator: &'static str,
    style: &'static str,
    script: &'static str,
    figure: Figure,
    notes: Vec<String>,
    charts: String,
}

impl RankInput<'_> {
    /// In at most `width` columns.
    #[must_use]
    pub fn text(&self, width: usize) -> String {
        let width = width.max(LEAST_WIDTH);
        let mut lines = plain(&self.table(), width);
        lines.push(String::new());
        lines.extend(self.notes().iter().flat_map(|note| wrap::lines(note, width)));
        lines.iter().map(|line| format!("{}\n", escape::terminal(line.trim_end()))).collect()
    }

    /// As Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let mut text = format!("{}\n", marker::MARKDOWN);
        parts::heading(&mut text, 1, &self.title());
        parts::table(&mut text, &self.table());
        parts::list(&mut text, &self.notes());
        text
    }

    /// As a page with bars, which opens offline.
    ///
    /// # Errors
    /// [`ReportError`] if no side has a value, or the page cannot be written.
    pub fn html(&self) -> Result<String, ReportError> {
        let figure = self.figure("ranking").ok_or(ReportError::NoRun)?;
        let charts = escape::script(&serde_json::to_string(&figure.chart.iter().collect::<Vec<_>>())?);
        let page = Page {
            title: self.title(),
            generator: marker::PAGE,
            style: asset::STYLE,
            script: asset::SCRIPT,
            figure,
            notes: self.notes(),
            charts,
        };
        Ok(page.render()?)
    }

    /// One row for each place, as CSV.
    ///
    /// # Errors
    /// The rows cannot be written.
    pub fn csv(&self) -> Result<String, ReportError> {
        Ok(self.document().csv()?)
    }

    /// As docs/formats/rank.schema.json describes it.
    #[must_use]
    pub fn document(&self) -> RankDoc {
        document(self)
    }
}

#[cfg(test)]
mod tests {
    use drivelab_analysis::analyse;
    use drivelab_analysis::digest::Digest;
    use drivelab_analysis::rank::rank;
    use drivelab_analysis::ratios::Limits;
    use drivelab_analysis::side_by_side::align;
    use drivelab_core::drive_facts::Price;
    use drivelab_samples::slowed;

    use super::*;

    fn price(amount: Option<f64>) -> Option<Price> {
        amount.map(|amount| Price { amount, currency: "EUR".to_owned(), date: "2026-11-20".to_owned() })
    }

    #[test]
    fn every_format_has_the_same_places_and_figures() {
        let digests = [4.0, 1.0, 1.02].map(|factor| {
            let records = slowed(factor);
            let mut digest = Digest::of(&records, &analyse(&records));
            let steps = digest.tests.iter_mut().flat_map(|test| &mut test.steps);
            steps.flat_map(|step| &mut step.metrics).for_each(|metric| metric.lower_bound = false);
            digest
        });
        let runs: Vec<&Digest> = digests.iter().collect();
        let aligned = align(&runs);
        let facts = aligned.steps().find(|step| step.facts.rate.is_some()).expect("a rate").facts;
        let address = format!("{}:{}", facts.id, facts.rate.as_deref().unwrap_or_default());
        let sides = [vec![0], vec![1], vec![2]];
        let input = RankInput {
            ranking: rank(&aligned, &sides, Limits::default(), &address).expect("a ranking"),
            names: ["slow", "fast", "near"].map(str::to_owned).into(),
            drives: ["slow", "fast", "near"].map(str::to_owned).into(),
            marked: vec![1],
            method: runs[0],
            prices: [Some(50.0), None, Some(200.0)].map(price).into(),
            published: Vec::new(),
            limits: Limits::default(),
            touched: vec!["firmware"],
            redact: false,
        };
        let text = input.text(80);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        let cells_of = |input: &RankInput<'_>, name: &str| -> Vec<String> {
            let table = input.table();
            let column = table.columns.iter().position(|column| column.title == name).expect(name);
            table.rows.iter().map(|row| row[column].plain()).collect()
        };
        let cells = |name: &str| cells_of(&input, name);
        assert_eq!(cells("Place"), ["1", "1", "3"]);
        assert_eq!(cells("Drive"), ["fast", "near", "slow"]);
        assert_eq!(cells("To the first"), ["first", "too close", "worse"]);
        let document = serde_json::to_value(input.document()).expect("JSON");
        let rows = document["rows"].as_array().expect("rows");
        assert_eq!(rows.iter().map(|row| row["place"].as_u64()).collect::<Vec<_>>(), [Some(1), Some(1), Some(3)]);
        assert!((rows[2]["ratio"].as_f64().expect("a ratio") - 0.25).abs() < 0.01);
        assert_eq!(cells("Price"), ["", "200.00", "50.00"]);
        assert_eq!((&rows[0].get("price"), &rows[1]["currency"]), (&None, &"EUR".into()));
        let value = |row: usize| rows[row]["value"].as_f64().expect("a value");
        let bought = |row: usize| rows[row]["value_per_currency"].as_f64().expect("a price");
        assert!((bought(1) - value(1) / 200.0).abs() < 1e-9 && (bought(2) - value(2) / 50.0).abs() < 1e-9);
        assert!(rows.iter().all(|row| row["best"] == false), "single runs do not tell the first two apart");
        let of_two = rank(&aligned, &sides[..2], Limits::default(), &address).expect("a ranking");
        let two = RankInput { ranking: of_two, names: input.names[..2].to_vec(), ..input.clone() };
        assert_eq!(cells_of(&two, "To the first"), ["best", "worse"]);
        assert_eq!(serde_json::to_value(two.document()).expect("JSON")["rows"][0]["best"], true);
        let csv = input.csv().expect("rows");
        assert_eq!(csv.lines().count(), 4);
        let (markdown, page) = (input.markdown(), input.html().expect("a page"));
        assert!(markdown.contains("| 3 | slow |") && markdown.contains("also differ in firmware (--allow)"));
        assert!(page.contains("id=\"ranking\"") && page.contains("\"kind\":\"rank\""));
        assert!([markdown, page, csv].iter().all(|text| crate::is_drivelab_output(text.as_bytes())));
    }
}
