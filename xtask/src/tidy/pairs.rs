//! Rule *pairs*: what must exist twice exists twice. Metrics and their pages, exit codes and their rows, methodologies
//! and their sources, decisions and their numbers, test programs and their entries.
//!
//! Works on text alone, so it also works if the tree does not compile.

use std::collections::BTreeSet;

use super::Complaint;
use crate::source::SourceFile;

const METRICS_PAGE: &str = "docs/metrics.md";
const EXIT_CODES: &str = "crates/core/src/base/exit.rs";
const EXIT_PAGE: &str = "docs/exit-codes.md";
const TESTS: &str = "tests/";
const TESTS_LISTED: &str = "crates/cli/Cargo.toml";
const DECISIONS: &str = "docs/decisions/";

/// Checks every pair in the tree.
pub(crate) fn check(files: &[SourceFile]) -> Vec<Complaint> {
    let mut complaints = metrics(files);
    complaints.extend(exit_codes(files));
    complaints.extend(files.iter().filter(|file| is_methodology(&file.path)).flat_map(methodology));
    complaints.extend(decisions(files));
    complaints.extend(test_programs(files));
    complaints
}

/// Every test program of the shipped binary is listed where cargo looks for it: a program that is not listed never
/// runs, and nobody notices.
fn test_programs(files: &[SourceFile]) -> Vec<Complaint> {
    let listed = find(files, TESTS_LISTED).and_then(|file| file.text.as_deref()).unwrap_or_default();
    let is_program =
        |file: &&SourceFile| file.is("rs") && file.path.strip_prefix(TESTS).is_some_and(|name| !name.contains('/'));
    let missing = |file: &&SourceFile| !listed.contains(&format!("path = \"../../{}\"", file.path));
    let complaint = |file: &SourceFile| {
        let what = format!("the test program is not listed in {TESTS_LISTED}");
        Complaint::new(&file.path, 1, "pairs", &what, "it is never run", "add a [[test]] with its name and path")
    };
    files.iter().filter(is_program).filter(missing).map(complaint).collect()
}

fn find<'a>(files: &'a [SourceFile], path: &str) -> Option<&'a SourceFile> {
    files.iter().find(|file| file.path == path)
}

/// Every metric in the table of `analysis` has its heading, and every heading its metric.
fn metrics(files: &[SourceFile]) -> Vec<Complaint> {
    let sources = files.iter().filter(|file| file.path.starts_with("crates/analysis/src/") && file.is("rs"));
    let defined: Vec<(&SourceFile, usize, String)> =
        sources.flat_map(|file| metric_ids(file).into_iter().map(move |(line, id)| (file, line, id))).collect();
    let page = find(files, METRICS_PAGE);
    let headings: Vec<(usize, String)> = page.map(heading_ids).unwrap_or_default();
    let documented: BTreeSet<&str> = headings.iter().map(|(_, id)| id.as_str()).collect();
    let ids: BTreeSet<&str> = defined.iter().map(|(_, _, id)| id.as_str()).collect();

    let undocumented = defined.iter().filter(|(_, _, id)| !documented.contains(id.as_str()));
    let mut complaints: Vec<Complaint> = undocumented
        .map(|(file, line, id)| {
            let what = format!("the metric {id} has no heading in {METRICS_PAGE}");
            Complaint::new(
                &file.path,
                *line,
                "pairs",
                &what,
                "a number without a definition",
                "run cargo xtask generate",
            )
        })
        .collect();
    complaints.extend(headings.iter().filter(|(_, id)| !ids.contains(id.as_str())).map(|(line, id)| {
        let what = format!("the metric {id} is in no table of crates/analysis");
        Complaint::new(
            METRICS_PAGE,
            *line,
            "pairs",
            &what,
            "it defines a number nobody computes",
            "run cargo xtask generate",
        )
    }));
    complaints
}

/// The ids that open the rows of `metrics! { "read.iops", "Title", … }`.
fn metric_ids(file: &SourceFile) -> Vec<(usize, String)> {
    let table = file.product_code().find(|(_, code)| code.starts_with("metrics! {"));
    let Some((start, _)) = table else { return Vec::new() };
    let rows = file.lines().skip(start).take_while(|(_, text)| !text.starts_with('}'));
    rows.filter_map(|(line, text)| {
        let (id, behind) = text.trim_start().strip_prefix('"')?.split_once('"')?;
        let name = id.chars().all(|sign| sign.is_ascii_lowercase() || "._0123456789".contains(sign));
        (name && behind.starts_with(", \"")).then(|| (line, id.to_owned()))
    })
    .collect()
}

/// The ids in headings of the form ``## `read.iops` ``, with any text after them.
fn heading_ids(page: &SourceFile) -> Vec<(usize, String)> {
    let headings = page.lines().filter(|(_, line)| line.starts_with("##"));
    headings.filter_map(|(line, text)| text.split('`').nth(1).map(|id| (line, id.to_owned()))).collect()
}

/// Every exit code has its row, and every row its code.
fn exit_codes(files: &[SourceFile]) -> Vec<Complaint> {
    let Some(source) = find(files, EXIT_CODES) else { return Vec::new() };
    let codes: Vec<(usize, u8)> =
        source.product_code().filter_map(|(line, code)| Some((line, variant(code)?))).collect();
    let rows: Vec<(usize, u8)> = find(files, EXIT_PAGE).map(rows).unwrap_or_default();
    let missing = |from: &[(usize, u8)], of: &[(usize, u8)], path: &str, what: &str| -> Vec<Complaint> {
        let absent = from.iter().filter(|(_, code)| !of.iter().any(|(_, other)| other == code));
        absent
            .map(|(line, code)| {
                let why = "scripts rely on the page and the program saying the same";
                Complaint::new(path, *line, "pairs", &format!("exit code {code} {what}"), why, "add or remove the row")
            })
            .collect()
    };
    let mut complaints = missing(&codes, &rows, EXIT_CODES, "has no row in docs/exit-codes.md");
    complaints.extend(missing(&rows, &codes, EXIT_PAGE, "is not in core::exit::ExitCode"));
    complaints
}

/// The number of `Name = 5,`.
fn variant(code: &str) -> Option<u8> {
    let (name, number) = code.trim().trim_end_matches(',').split_once(" = ")?;
    name.chars().all(char::is_alphanumeric).then(|| number.parse().ok())?
}

/// The numbers that open the rows of a page's tables.
fn rows(page: &SourceFile) -> Vec<(usize, u8)> {
    let first_cell = |line: &str| line.strip_prefix('|')?.split('|').next()?.trim().parse().ok();
    page.lines().filter_map(|(line, text)| Some((line, first_cell(text)?))).collect()
}

/// A file of the built-in library (not of the museum of broken ones).
fn is_methodology(path: &str) -> bool {
    path.strip_prefix("methods/").is_some_and(|name| !name.contains('/') && name.ends_with(".toml"))
}

/// A methodology states its version and its sources; the parser checks the rest.
fn methodology(file: &SourceFile) -> Vec<Complaint> {
    let complaint = |what: &str, todo: &str| {
        Complaint::new(&file.path, 1, "pairs", what, "a result must lead back to what was published", todo)
    };
    let table: toml::Table = match file.text.as_deref().unwrap_or("").parse() {
        Ok(table) => table,
        Err(error) => return vec![complaint(&format!("no TOML: {}", error.message()), "see drivelab methods check")],
    };
    let mut complaints = Vec::new();
    let says = |key: &str| {
        table.get(key).is_some()
            || table.values().filter_map(toml::Value::as_table).any(|inner| inner.contains_key(key))
    };
    if !says("version") {
        complaints.push(complaint("no version", "give it a version, major.minor.patch"));
    }
    let sources = table.get("sources").or_else(|| table.get("source"));
    let filled = match sources {
        Some(toml::Value::Array(list)) => !list.is_empty(),
        Some(toml::Value::Table(named)) => !named.is_empty(),
        _ => false,
    };
    if !filled {
        complaints.push(complaint("no sources", "cite at least one source"));
    }
    complaints
}

/// Decisions are numbered from 0001 without gaps.
fn decisions(files: &[SourceFile]) -> Vec<Complaint> {
    let names: Vec<&str> = files.iter().filter_map(|file| file.path.strip_prefix(DECISIONS)).collect();
    let why = "numbers are how code and people refer to a decision";
    let mut complaints = Vec::new();
    for (index, name) in names.iter().filter(|name| **name != "README.md").enumerate() {
        let expected = format!("{:04}-", index + 1);
        if !name.starts_with(&expected) {
            let what = format!("the name should begin with {expected}");
            let todo = "number decisions in order, without a gap";
            complaints.push(Complaint::new(&format!("{DECISIONS}{name}"), 1, "pairs", &what, why, todo));
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whats(files: &[SourceFile]) -> Vec<String> {
        check(files).into_iter().map(|complaint| complaint.what).collect()
    }

    const TABLE: &str = "macro_rules! metrics { () => {} }\nmetrics! {\n    \"read.iops\", \"Reads\", \"IOPS\", \
        Higher, Step(f), \"Text.\";\n    \"read.throughput\", \"Read throughput\",\n        \"a.b\";\n}\n";

    #[test]
    fn metrics_and_headings_are_the_same_set() {
        let table = SourceFile::new("crates/analysis/src/metrics.rs", TABLE);
        let page = SourceFile::new("docs/metrics.md", "# M\n## `read.iops`\n### `read.latency.p99`: late\n## Words\n");
        let found = whats(&[table, page]);
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("read.throughput") && found[1].contains("read.latency.p99"), "{found:?}");
    }

    #[test]
    fn a_test_program_that_cargo_does_not_know_is_found() {
        let listed = SourceFile::new("crates/cli/Cargo.toml", "[[test]]\nname = \"a\"\npath = \"../../tests/a.rs\"\n");
        let programs = ["tests/a.rs", "tests/b.rs", "tests/support/c.rs", "tests/vm/d.sh"];
        let mut files = vec![listed];
        files.extend(programs.map(|path| SourceFile::new(path, "//! Text.\n")));
        let found: Vec<String> = check(&files).into_iter().map(|complaint| complaint.path).collect();
        assert_eq!(found, ["tests/b.rs"]);
    }

    #[test]
    fn exit_codes_and_rows_are_the_same_set() {
        let code = SourceFile::new(
            "crates/core/src/base/exit.rs",
            "enum E {\n    /// Fine.\n    Ok = 0,\n    Usage = 2,\n}\n",
        );
        let page = SourceFile::new("docs/exit-codes.md", "# E\n| code | x |\n|---|---|\n| 0 | ok |\n| 3 | ? |\n");
        let found = whats(&[code, page]);
        assert_eq!(
            found,
            ["exit code 2 has no row in docs/exit-codes.md", "exit code 3 is not in core::exit::ExitCode"]
        );
    }

    #[test]
    fn a_methodology_cites_and_is_versioned() {
        let good = "version = \"1.0.0\"\n[[sources]]\nid = \"a\"\n";
        assert!(whats(&[SourceFile::new("methods/a.toml", good)]).is_empty());
        assert_eq!(whats(&[SourceFile::new("methods/a.toml", "name = \"a\"\n")]), ["no version", "no sources"]);
        assert_eq!(whats(&[SourceFile::new("methods/a.toml", "name = \n")]).len(), 1);
        assert!(whats(&[SourceFile::new("methods/broken/a.toml", "name = \n")]).is_empty());
    }

    #[test]
    fn decisions_have_no_gaps() {
        let files = |names: [&str; 2]| names.map(|name| SourceFile::new(&format!("docs/decisions/{name}"), "# D\n"));
        assert!(whats(&files(["0001-a.md", "0002-b.md"])).is_empty());
        assert_eq!(whats(&files(["0001-a.md", "0003-b.md"])), ["the name should begin with 0002-"]);
    }
}
