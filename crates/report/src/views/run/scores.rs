//! The scores of a run as a table: value, unit, and the formula with its figures.

use drivelab_analysis::scores::{ScoreFigure, ScoreTerm, scores};
use drivelab_core::score::ScoreRule;

use crate::figure::cells::{self, unit_text};
use crate::figure::format;
use crate::figure::input::ReportInput;
use crate::figure::table::{Cell, Column, Table};

/// Most terms that are written out; if there are more, only their number is shown.
const MOST_TERMS: usize = 6;

/// The scores from the formulas of the methodology; empty if it has none.
pub(crate) fn of_run(input: &ReportInput<'_>) -> Vec<ScoreFigure> {
    scores(&input.records.plan, &input.analysis.metrics)
}

/// Their table.
pub(crate) fn table(input: &ReportInput<'_>) -> Table {
    let columns =
        vec![Column::words("Score"), Column::figures("Value", ""), Column::words("Unit"), Column::words("Formula")];
    let row = |score: &ScoreFigure| {
        let metric = input.analysis.metric(&score.address);
        vec![
            Cell { approximation: score.approximation.clone(), ..Cell::text(score.title.clone()) },
            metric.map_or_else(Cell::default, |metric| cells::metric_cell(input, metric)),
            Cell::text(unit_text(&score.unit)),
            Cell::text(formula(input, score)),
        ]
    };
    Table { caption: "Scores".to_owned(), columns, rows: of_run(input).iter().map(row).collect() }
}

/// `0.1 × 512 (SEQ 16 MiB Q1T1 read) + …`; or the steps without a figure.
fn formula(input: &ReportInput<'_>, score: &ScoreFigure) -> String {
    let label = |term: &ScoreTerm| {
        input.records.plan.step(&term.step).map_or_else(|| term.step.to_string(), |step| step.label.clone())
    };
    let missing: Vec<String> = score.terms.iter().filter(|term| term.value.is_none()).map(label).collect();
    if !missing.is_empty() {
        return format!("no figure for {}", missing.join(", "));
    }
    let over = match &score.over {
        Some(over) => {
            format!(", divided by the score {}", over.split(':').next().unwrap_or(over).trim_start_matches("score/"))
        }
        None => String::new(),
    };
    let of = if score.rule == ScoreRule::Mean { "mean of " } else { "" };
    if score.terms.len() > MOST_TERMS {
        return format!("{of}{} steps{over}", score.terms.len());
    }
    let term = |term: &ScoreTerm| {
        let value = term.value.map(|value| format::value(value, &term.unit)).unwrap_or_default();
        let weight =
            if (term.weight - 1.0).abs() < f64::EPSILON { String::new() } else { format!("{} × ", term.weight) };
        format!("{weight}{value} ({})", label(term))
    };
    let terms: Vec<String> = score.terms.iter().map(term).collect();
    let sign = if score.rule == ScoreRule::Mean { ", " } else { " + " };
    format!("{of}{}{over}", terms.join(sign))
}

#[cfg(test)]
mod tests {
    //! The table on a made-up run.

    use drivelab_core::ids::StepId;
    use drivelab_core::metric::Better;
    use drivelab_core::run::RunRecords;
    use drivelab_core::score::{Score, ScorePart, ScoreRates};
    use drivelab_samples::sample_run;

    use super::*;

    fn scored() -> RunRecords {
        let part = |slug: &str, metric: &str, weight_thousandths| ScorePart {
            steps: vec![StepId::new("corners", slug)],
            metric: metric.to_owned(),
            weight_thousandths,
        };
        let mut run = sample_run();
        run.plan.scores = vec![Score {
            name: "both".to_owned(),
            title: "Read and write".to_owned(),
            unit: "points".to_owned(),
            rule: ScoreRule::Sum,
            better: Better::Higher,
            rates: ScoreRates::Decimal,
            parts: vec![
                part("seq-1m-q8t1-read", "read.throughput", 100),
                part("seq-1m-q8t1-write", "write.throughput", 1_000),
            ],
            over: None,
            sources: Vec::new(),
            approximation: String::new(),
        }];
        run
    }

    #[test]
    fn a_score_stands_on_the_page_in_markdown_json_and_terminal_with_what_it_is_made_of() {
        let records = scored();
        let analysis = drivelab_analysis::analyse(&records);
        let input = ReportInput { records: &records, analysis: &analysis };
        let row = &table(&input).rows[0];
        let value = analysis.metric("score/both:score.sum").and_then(|metric| metric.value).expect("a value");
        assert_eq!(row[1].text, format::value(value, "points"));
        assert!(row[3].text.starts_with("0.1 × ") && row[3].text.contains(" + "), "{}", row[3].text);
        let shown = row[1].text.clone();
        for (name, text) in [
            ("page", crate::html(&[input]).expect("a page")),
            ("Markdown", crate::markdown(&[input]).expect("Markdown")),
            ("terminal", crate::terminal_table(&input, 100)),
        ] {
            assert!(text.contains("Read and write") && text.contains(&shown), "{name} has no score {shown}");
        }
        let csv = crate::csv(&[input]).expect("CSV");
        assert!(csv.contains(",score/both,Read and write,score.sum,"), "the score has no place in CSV");
        let json = crate::json(&[input]).expect("JSON");
        assert_eq!(json["scores"][0]["value"].as_f64(), Some(value));
        assert_eq!(json["scores"][0]["terms"].as_array().map(Vec::len), Some(2));
    }

    #[test]
    fn what_is_missing_is_named_and_a_run_without_scores_has_no_table() {
        let mut records = scored();
        records.steps.retain(|record| record.key.step.slug() != "seq-1m-q8t1-write");
        let analysis = drivelab_analysis::analyse(&records);
        let row = &table(&ReportInput { records: &records, analysis: &analysis }).rows[0];
        assert_eq!((row[1].text.as_str(), row[3].text.as_str()), ("", "no figure for SEQ 1 MiB Q8T1 write"));
        let plain = sample_run();
        let analysis = drivelab_analysis::analyse(&plain);
        assert!(table(&ReportInput { records: &plain, analysis: &analysis }).rows.is_empty());
    }
}
