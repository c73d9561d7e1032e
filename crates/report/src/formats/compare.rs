//! Runs side by side, from their digests, for a terminal and in files: first which letter is what, then the figures.

use drivelab_analysis::digest::Digest;
use drivelab_analysis::price;
use drivelab_analysis::side_by_side::{Kind, side_by_side};
use drivelab_analysis::together::capacity;
use drivelab_core::drive_facts::Price;
use drivelab_core::event::RunState;
use drivelab_core::group::letter;

use crate::documents::compare::{self as document, CompareDoc, PriceDoc, SideDoc, SideRunDoc};
use crate::error::ReportError;
use crate::figure::{Figure, escape, prose, wrap};
use crate::formats::columns::{LEAST_WIDTH, blocks};
use crate::formats::markdown::parts;
use crate::marker;
use crate::views::across::compare::{self, Comparison, Group};
use crate::views::across::contrast::{Contrast, label};
use crate::views::across::published::PublishedSide;
use crate::views::across::published::unpaired::UnpairedView;
use crate::views::across::sides::Sides;
use crate::words::run_facts::{self, Warned};

/// A run in a comparison.
#[derive(Debug, Clone, Copy)]
pub struct ComparedRun<'d> {
    /// Its digest.
    pub digest: &'d Digest,
    /// It is still going on.
    pub live: bool,
    /// What its user calls it; empty for nothing.
    pub title: &'d str,
}

/// What is compared, and how.
#[derive(Debug, Clone, Copy)]
pub struct Compared<'d> {
    /// All runs.
    pub runs: &'d [ComparedRun<'d>],
    /// How they are set side by side.
    pub sides: &'d Sides,
}

impl<'d> Compared<'d> {
    fn digests(&self) -> Vec<&'d Digest> {
        self.runs.iter().map(|run| run.digest).collect()
    }

    fn comparison(&self) -> Comparison {
        compare::of_digests(&self.digests(), self.sides)
    }

    /// In at most `width` columns, but for the ids of the runs.
    ///
    /// # Errors
    /// Why no two of the sides may be compared, in the same form.
    pub fn text(&self, width: usize) -> Result<String, String> {
        let Comparison { groups, refused, published, .. } = self.comparison();
        let width = width.max(LEAST_WIDTH);
        let only_published = published.as_ref().is_some_and(|unpaired| unpaired.without_runs);
        let none = !only_published && groups.iter().all(|group| group.against.is_none());
        let sides = self.sides.runs.iter().enumerate();
        let mut lines: Vec<String> = sides.flat_map(|(at, runs)| self.side_lines(at, runs, width)).collect();
        for group in &groups {
            lines.extend(group_lines(group, width));
        }
        if let Some(unpaired) = published.filter(|_| !none) {
            lines.extend(self.published_lines(&unpaired, width));
        }
        if !refused.is_empty() {
            lines.extend([String::new(), "Not comparable:".to_owned()]);
            lines.extend(refused.iter().flat_map(|why| wrap::lines(&prose::plain(why), width)));
        }
        let text = lines.iter().map(|line| format!("{}\n", escape::terminal(line.trim_end()))).collect();
        if none { Err(text) } else { Ok(text) }
    }

    /// As Markdown.
    #[must_use]
    pub fn markdown(&self) -> String {
        let (comparison, names) = (self.comparison(), self.sides.run_names());
        let mut text = format!("{}\n", marker::MARKDOWN);
        parts::heading(&mut text, 1, "Comparison");
        let sides = self.sides.runs.iter().enumerate();
        let side = |(at, runs): (usize, &Vec<usize>)| {
            let words = |run: &usize| {
                let warned = self.warned(*run).map_or_else(String::new, |warned| format!(". {warned}"));
                self.run_words(*run, runs, &names) + warned.trim_end_matches('.')
            };
            let words: Vec<String> = runs.iter().map(words).collect();
            format!("{}: {} ({})", letter(at), self.title(at, runs), words.join("; "))
        };
        parts::list(&mut text, &sides.map(side).collect::<Vec<_>>());
        parts::arms(&mut text, &comparison);
        let groups = comparison.groups.iter().filter(|group| group.against.is_some());
        groups.for_each(|group| parts::group(&mut text, group, &[]));
        parts::published(&mut text, &comparison);
        parts::refused(&mut text, &comparison);
        text
    }

    /// Published figures without a matching figure in the runs: the table if nothing else is compared or all is asked
    /// for.
    fn published_lines(&self, unpaired: &UnpairedView, width: usize) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        if !unpaired.without_runs && !self.sides.all {
            lines.push(String::new());
            lines.extend(wrap::lines(&unpaired.summary, width));
            return lines;
        }
        if unpaired.without_runs {
            lines.extend(unpaired.sides.iter().map(|side| wrap::cut(side, width)));
        }
        for choice in &unpaired.choices {
            lines.push(String::new());
            lines.extend(wrap::lines(&choice.sentence, width));
        }
        if !unpaired.verdicts.rows.is_empty() {
            lines.push(String::new());
            for block in blocks(&unpaired.verdicts, width) {
                lines.extend(block);
            }
            lines.extend(unpaired.reasons.iter().flat_map(|reason| wrap::lines(reason, width)));
        }
        lines.push(String::new());
        for block in blocks(&unpaired.table, width) {
            lines.extend(block);
            lines.push(String::new());
        }
        lines.extend(unpaired.notes.iter().flat_map(|note| wrap::lines(note, width)));
        lines
    }

    /// As docs/formats/compare.schema.json describes it.
    #[must_use]
    pub fn document(&self) -> CompareDoc {
        let side = |(at, runs): (usize, &Vec<usize>)| SideDoc {
            name: letter(at),
            title: self.title(at, runs),
            price: self.sides.price(at).map(|price| self.price_doc(price, runs)),
            runs: runs.iter().map(|run| run_doc(&self.runs[*run])).collect(),
        };
        let sides = self.sides.runs.iter().enumerate().map(side).collect();
        let contrasts = compare::contrasts(&self.digests(), self.sides);
        let group = |one: &Contrast<'_>| {
            let method = one.first.first().map_or("", |digest| digest.run.method.name.as_str());
            let published: Vec<PublishedSide> = self.sides.published.iter().map(|side| side.beside(method)).collect();
            document::group(one, &published)
        };
        let groups = contrasts.iter().map(group).collect();
        let digests = self.digests();
        let refusals = compare::refusals(&side_by_side(&digests), &digests, self.sides);
        document::document(sides, groups, refusals, (self.sides, &digests))
    }

    /// The differences that are refused unless asked for or allowed, each in words; of groups in which sides are
    /// compared.
    #[must_use]
    pub fn kinds(&self) -> Vec<(Kind, String)> {
        compare::refused_unasked(&self.digests(), self.sides)
    }

    /// Names of the differences that were allowed.
    #[must_use]
    pub fn touched(&self) -> Vec<&'static str> {
        compare::touched(&self.kinds(), self.sides)
    }

    /// The headline figures and scores, each with its address; scores first.
    #[must_use]
    pub fn headlines(&self) -> Vec<(String, String)> {
        let contrasts = compare::contrasts(&self.digests(), self.sides);
        let found = contrasts.iter().flat_map(|one| {
            let scores = one.ratios.run.iter().map(|figure| (None, figure));
            let steps = one.ratios.tests.iter().flat_map(|test| &test.steps);
            scores.chain(steps.flat_map(|step| step.figures.iter().map(|figure| (Some(step.facts), figure))))
        });
        let judged = found.filter(|(_, figure)| figure.judged);
        judged
            .map(|(facts, figure)| {
                let words = facts.map_or_else(|| figure.title.to_owned(), |facts| label(facts, figure));
                (figure.metric.address.clone(), words)
            })
            .collect()
    }

    /// The addresses of all figures.
    #[must_use]
    pub fn addresses(&self) -> Vec<String> {
        let mut addresses: Vec<String> = Vec::new();
        for digest in self.digests() {
            let all = digest.steps().flat_map(|step| &step.metrics).chain(&digest.metrics);
            addresses.extend(all.map(|metric| metric.address.clone()));
        }
        addresses.sort();
        addresses.dedup();
        addresses
    }

    /// The drive of each side, and what was set up on it.
    #[must_use]
    pub fn titles(&self) -> Vec<String> {
        self.sides.runs.iter().enumerate().map(|(at, runs)| self.title(at, runs)).collect()
    }

    /// One row for each figure of each side, as CSV.
    ///
    /// # Errors
    /// The rows cannot be written.
    pub fn csv(&self) -> Result<String, ReportError> {
        Ok(self.document().csv()?)
    }

    /// The drive of a side, and what was set up on it.
    fn title(&self, at: usize, runs: &[usize]) -> String {
        let first = runs.first().map(|run| &self.runs[*run].digest.run.environment);
        first.map_or_else(String::new, |environment| self.sides.title(at, environment))
    }

    fn price_doc(&self, price: Price, runs: &[usize]) -> PriceDoc {
        let target = runs.first().map(|run| &self.runs[*run].digest.run.environment.target);
        let per_gb = target.and_then(|target| price::per_gb(&price, capacity(target)));
        let Price { amount, currency, date } = price;
        PriceDoc { amount, currency, date, per_gb }
    }

    /// `A  Samsung SSD 970 EVO`, and its runs below.
    fn side_lines(&self, at: usize, runs: &[usize], width: usize) -> Vec<String> {
        let first = wrap::cut(&format!("{}  {}", letter(at), self.title(at, runs)), width);
        let names = self.sides.run_names();
        let below = runs.iter().flat_map(|run| {
            let words = format!("   {}", self.run_words(*run, runs, &names));
            let warned = self.warned(*run).map(|warned| wrap::cut(&format!("   {warned}"), width));
            std::iter::once(words).chain(warned)
        });
        std::iter::once(first).chain(below).collect()
    }

    /// How many failed checks and warnings a run has, and the most serious one.
    fn warned(&self, run: usize) -> Option<String> {
        let Warned { count, most_serious } = run_facts::warned_among(&self.runs[run].digest.findings)?;
        Some(format!("{count}. {}", prose::plain(&most_serious)))
    }

    /// A run of a side; with its name if the side has several.
    fn run_words(&self, run: usize, side: &[usize], names: &[String]) -> String {
        let words = run_words(&self.runs[run]);
        if side.len() == 1 { words } else { format!("{} {words}", names[run]) }
    }
}

fn run_doc(run: &ComparedRun<'_>) -> SideRunDoc {
    let facts = &run.digest.run;
    let warnings = run_facts::warnings(&run.digest.findings).into_iter();
    SideRunDoc {
        id: facts.id,
        started: facts.started.clone(),
        state: facts.state,
        title: run.title.to_owned(),
        warnings: warnings.map(|finding| finding.code.clone()).collect(),
    }
}

/// Id and time of a run, and its state if it is not complete.
fn run_words(run: &ComparedRun<'_>) -> String {
    let facts = &run.digest.run;
    let state = match facts.state {
        _ if run.live => ", still running".to_owned(),
        RunState::Complete => String::new(),
        state => format!(", {}", run_facts::state_word(state)),
    };
    let started = facts.started.get(..19).unwrap_or(&facts.started).replace('T', " ");
    let title = if run.title.is_empty() { String::new() } else { format!(", {}", run.title) };
    format!("{}, {started} UTC{state}{title}", facts.id)
}

fn group_lines(group: &Group, width: usize) -> Vec<String> {
    let Some(against) = &group.against else { return Vec::new() };
    let mut lines = vec![String::new(), group.title.clone()];
    if group.differences.is_empty() {
        lines.push(format!("{}: nothing recorded", group.what_differs()));
    } else {
        lines.push(format!("{}:", group.what_differs()));
        lines.extend(group.differences.iter().flat_map(|one| wrap::lines(&format!("- {one}"), width)));
    }
    for table in [&against.table, &against.rest].into_iter().filter(|table| !table.rows.is_empty()) {
        for block in blocks(table, width) {
            lines.push(String::new());
            lines.extend(block);
        }
    }
    for Figure { table, caption, .. } in &group.drives {
        lines.push(String::new());
        lines.extend(wrap::lines(&format!("{}:", table.caption), width));
        lines.extend(blocks(table, width).into_iter().flatten());
        lines.extend(wrap::lines(caption, width));
    }
    lines.push(String::new());
    lines.extend(against.sentences.iter().flat_map(|one| wrap::lines(one, width)));
    let notes: Vec<&String> = against.notes.iter().chain([&group.legend]).filter(|note| !note.is_empty()).collect();
    if !notes.is_empty() {
        lines.push(String::new());
    }
    lines.extend(notes.into_iter().flat_map(|note| wrap::lines(note, width)));
    lines
}

#[cfg(test)]
mod tests {
    use drivelab_analysis::analyse;
    use drivelab_core::finding::Severity;
    use drivelab_core::plan::Form;
    use drivelab_samples::{beside_others, sample_run, slowed};

    use super::*;

    fn text(digests: &[&Digest], width: usize) -> Result<String, String> {
        let runs: Vec<ComparedRun<'_>> =
            digests.iter().map(|digest| ComparedRun { digest, live: false, title: "" }).collect();
        Compared { runs: &runs, sides: &Sides::alone(runs.len()) }.text(width)
    }

    #[test]
    fn runs_are_named_once_and_each_has_its_own_figures_below_its_letter() {
        let (first, mut second) = (sample_run(), slowed(2.0));
        second.environment.target.devices[0].model = Some("Another".to_owned());
        let mut digests = [&first, &second].map(|run| Digest::of(run, &analyse(run)));
        let steps = digests.iter_mut().flat_map(|digest| &mut digest.tests).flat_map(|test| &mut test.steps);
        steps.flat_map(|step| &mut step.metrics).for_each(|metric| metric.lower_bound = false);
        let text = text(&digests.each_ref(), 80).expect("alike");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("A  ") && lines.iter().any(|line| line.starts_with("B  Another")), "{text}");
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{text}");
        let head = lines.iter().find(|line| line.trim_start().starts_with("Step")).expect("a head");
        assert_eq!(head.split_whitespace().collect::<Vec<_>>(), ["Step", "Unit", "A", "B", "B/A"]);
        let row = lines.iter().find(|line| line.starts_with("SEQ 1 MiB Q8T1 read")).expect("a row");
        let words: Vec<&str> = row.split("MB/s").nth(1).expect("figures").split_whitespace().collect();
        let figures: Vec<f64> = words.iter().filter_map(|word| word.replace(',', "").parse().ok()).collect();
        assert!((figures[0] / figures[1] - 2.0).abs() < 0.1, "B is half as fast as A: {row}");
        assert!((figures[2] - figures[1] / figures[0]).abs() < 0.01 && words.last() == Some(&"worse"), "{text}");
        assert!(lines.contains(&"Four corners:"), "rows stand below their test: {text}");
        assert!(text.contains("SEQ 1 MiB Q8T1 read: B is 0.50 times A") && text.contains("spread unknown"), "{text}");
    }

    #[test]
    fn the_document_the_csv_and_the_table_have_the_same_figures() {
        let (first, second) = (sample_run(), beside_others(slowed(1.5), |_| true));
        let digests = [&first, &second].map(|run| Digest::of(run, &analyse(run)));
        let runs = digests.each_ref().map(|digest| ComparedRun { digest, live: false, title: "" });
        let sides = Sides { all: true, ..Sides::alone(2) };
        let compared = Compared { runs: &runs, sides: &sides };
        let document = serde_json::to_value(compared.document()).expect("JSON");
        let group = &document["groups"][0];
        assert_eq!((&group["base"], &group["sides"][1]), (&"A".into(), &"B".into()));
        let tests = group["tests"].as_array().expect("tests");
        let steps = tests.iter().flat_map(|test| test["steps"].as_array().expect("steps"));
        let figures: Vec<&serde_json::Value> =
            steps.flat_map(|step| step["figures"].as_array().expect("figures")).collect();
        let headlines = figures.iter().filter(|figure| figure["headline"] == true);
        assert!(headlines.clone().count() > 3 && figures.len() > 10 * headlines.count());
        let csv = compared.csv().expect("alike");
        let mut rows = csv::Reader::from_reader(csv.as_bytes());
        let names = rows.headers().expect("a head").clone();
        let rows: Vec<csv::StringRecord> = rows.records().collect::<Result<_, _>>().expect("rows");
        let at = |row: &csv::StringRecord, name: &str| {
            row[names.iter().position(|one| one == name).expect("a column")].to_owned()
        };
        let run = group["run"].as_array().expect("figures of the run");
        assert_eq!(rows.len(), (figures.len() + run.len()) * 2);
        for (figure, rows) in figures.into_iter().chain(run).zip(rows.chunks(2)) {
            for (cell, row) in figure["cells"].as_array().expect("cells").iter().zip(rows) {
                assert_eq!(at(row, "metric"), figure["metric"].as_str().expect("a metric"));
                for name in ["value", "ratio", "low", "high"] {
                    assert_eq!(at(row, name).parse::<f64>().ok(), cell[name].as_f64(), "{row:?}");
                }
                assert_eq!(at(row, "verdict"), cell["verdict"].as_str().unwrap_or_default());
                for name in ["spoiled_by", "voided_by"] {
                    let codes = cell[name].as_array().expect("codes").iter().filter_map(|code| code.as_str());
                    assert_eq!(at(row, name), codes.collect::<Vec<_>>().join(" "));
                }
                let sides = document["sides"].as_array().expect("sides");
                let side = sides.iter().find(|side| side["name"] == at(row, "side")).expect("a side");
                assert_eq!(at(row, "title"), side["title"].as_str().expect("a title"));
                let place = group["sides"].as_array().expect("sides").iter().position(|one| *one == side["name"]);
                assert_eq!(at(row, "runs"), group["runs"][place.expect("a side")][0].as_str().expect("a run"));
            }
        }
        assert!(rows.iter().any(|row| at(row, "spoiled_by") == "others_used_disk"));
        let markdown = compared.markdown();
        assert!(markdown.contains("| SEQ 1 MiB Q8T1 read") && crate::is_drivelab_output(markdown.as_bytes()));
        assert!(crate::is_drivelab_output(csv.as_bytes()));
    }

    #[test]
    fn the_warnings_of_each_run_stand_below_it() {
        let (first, second) = (sample_run(), slowed(1.5));
        let mut digests = [&first, &second].map(|run| Digest::of(run, &analyse(run)));
        digests[0].findings.retain(|finding| finding.severity == Severity::Note);
        let warnings = digests[1].findings.iter().filter(|finding| finding.severity > Severity::Note);
        let codes: Vec<String> = warnings.map(|finding| finding.code.clone()).collect();
        assert!(!codes.is_empty(), "the made-up run has warnings");
        let runs = digests.each_ref().map(|digest| ComparedRun { digest, live: false, title: "" });
        let compared = Compared { runs: &runs, sides: &Sides::alone(2) };
        let (text, markdown) = (compared.text(80).expect("alike"), compared.markdown());
        let sides = text.split("B  ").collect::<Vec<_>>();
        assert!(!sides[0].contains("warning") && sides[1].contains("warning"), "{text}");
        assert!(markdown.lines().any(|line| line.starts_with("- B: ") && line.contains("warning")), "{markdown}");
        let document = serde_json::to_value(compared.document()).expect("JSON");
        assert!(document["sides"][0]["runs"][0]["warnings"].is_null());
        assert_eq!(document["sides"][1]["runs"][0]["warnings"], serde_json::json!(codes));
    }

    #[test]
    fn a_row_of_the_csv_names_only_the_runs_that_its_figures_are_of() {
        let (first, mut other) = (sample_run(), sample_run());
        other.plan.methodology.hash = "77".repeat(32);
        let mut digests = [&first, &first, &other].map(|run| Digest::of(run, &analyse(run)));
        for (digest, id) in digests.iter_mut().zip(1..) {
            digest.run.id = format!("01a2263b-a346-75f8-8e40-00000000000{id}").parse().expect("an id");
        }
        let runs = digests.each_ref().map(|digest| ComparedRun { digest, live: false, title: "" });
        let sides = Sides { runs: vec![vec![0], vec![1, 2]], ..Sides::alone(2) };
        let csv = Compared { runs: &runs, sides: &sides }.csv().expect("two of them are alike");
        let mut rows = csv::Reader::from_reader(csv.as_bytes());
        let names = rows.headers().expect("a head").clone();
        let at = |row: &csv::StringRecord, name: &str| {
            row[names.iter().position(|one| one == name).expect("a column")].to_owned()
        };
        for row in rows.records() {
            let row = row.expect("a row");
            let run = if at(&row, "side") == "A" { 0 } else { 1 };
            assert_eq!(at(&row, "runs"), digests[run].run.id.to_string());
        }
    }

    #[test]
    fn many_runs_stand_in_several_blocks_and_none_is_left_out() {
        let run = sample_run();
        let digest = Digest::of(&run, &analyse(&run));
        let text = text(&vec![&digest; 30], 80).expect("alike");
        let heads: Vec<&str> = text.lines().filter(|line| line.trim_start().starts_with("Step")).collect();
        let columns = heads.iter().flat_map(|head| head.split_whitespace().skip(1));
        assert_eq!(columns.clone().filter(|column| *column == "Unit").count(), heads.len(), "in every block");
        let columns: Vec<&str> = columns.filter(|column| *column != "Unit").collect();
        let values = (0..30).map(letter);
        let ratios = (1..30).map(|side| format!("{}/A", letter(side)));
        let all: Vec<String> = values.chain(ratios).collect();
        assert_eq!(columns, all);
        assert!(!text.contains("wider terminals"), "{text}");
    }

    #[test]
    fn what_may_not_be_compared_is_refused_with_the_reason() {
        let (first, mut second) = (sample_run(), sample_run());
        second.plan.form = Form::Faithful;
        second.environment.testbed.kernel = "6.1\u{1b}[2J".to_owned();
        let digests = [&first, &second].map(|run| Digest::of(run, &analyse(run)));
        let why = text(&digests.each_ref(), 80).expect_err("unlike");
        let plain = why.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(plain.contains("the faithful form instead of the quick form") && why.starts_with("A  "), "{why}");
        second.plan.form = first.plan.form;
        let digests = [&first, &second].map(|run| Digest::of(run, &analyse(run)));
        let text = text(&digests.each_ref(), 80).expect("alike");
        assert!(text.contains("kernel: A") && !text.contains('\u{1b}'), "{text}");
    }
}
