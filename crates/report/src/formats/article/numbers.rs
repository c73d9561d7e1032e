//! Figures that an author wrote by hand, beside those of the runs: one that no run, data sheet or publication has is
//! worth a second look.

use std::collections::BTreeMap;

use super::scan::{self, Piece};
use super::types::{Material, Remark};
use crate::figure::{cells, format};

/// How far a rounded figure may be from the exact one.
const NEAR: f64 = 0.015;

/// Units of figures in a text: as written, the unit of the metrics, and how many of it.
const UNITS: &[(&str, &str, f64)] = &[
    ("MB/s", "MB/s", 1.0),
    ("GB/s", "MB/s", 1e3),
    ("MiB/s", "MB/s", 1.048_576),
    ("GiB/s", "MB/s", 1_073.741_824),
    ("MBps", "MB/s", 1.0),
    ("MB/sec", "MB/s", 1.0),
    ("GBps", "MB/s", 1e3),
    ("GB/sec", "MB/s", 1e3),
    ("kIOPS", "IOPS", 1e3),
    ("k IOPS", "IOPS", 1e3),
    ("KIOPS", "IOPS", 1e3),
    ("K IOPS", "IOPS", 1e3),
    ("MIOPS", "IOPS", 1e6),
    ("M IOPS", "IOPS", 1e6),
    ("IOPS", "IOPS", 1.0),
    ("µs", "us", 1.0),
    ("us", "us", 1.0),
    ("ms", "us", 1e3),
    ("°C", "°C", 1.0),
    ("W", "W", 1.0),
];

/// A figure in a text.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Written<'t> {
    text: &'t str,
    value: f64,
    unit: &'static str,
}

/// The figures with a known unit in a line, outside references and code.
fn figures(line: &str) -> Vec<Written<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(start) = line.get(at..).and_then(|rest| rest.find(|sign: char| sign.is_ascii_digit())) {
        let start = at + start;
        let rest = &line[start..];
        let digits =
            rest.find(|sign: char| !(sign.is_ascii_digit() || sign == ',' || sign == '.')).unwrap_or(rest.len());
        let number = rest[..digits].trim_end_matches([',', '.']);
        let behind = &rest[number.len()..];
        let unit = behind.strip_prefix([' ', '\u{a0}']).unwrap_or(behind);
        let begins_word = line[..start].ends_with(|sign: char| sign.is_alphanumeric() || sign == '.' || sign == '-');
        // The longest name first: `MB/s` also begins with no other.
        let named = UNITS.iter().filter(|(name, ..)| {
            unit.starts_with(name)
                && !unit[name.len()..].starts_with(|sign: char| sign.is_alphanumeric() || sign == '/')
        });
        let named = named.max_by_key(|(name, ..)| name.len());
        if let (Some((name, unit_of, factor)), Ok(value), false) =
            (named, number.replace(',', "").parse::<f64>(), begins_word)
        {
            let end = start + number.len() + (behind.len() - unit.len()) + name.len();
            found.push(Written { text: &line[start..end], value: value * factor, unit: unit_of });
        }
        at = start + digits.max(1);
    }
    found
}

/// A text without its references and its code, line by line.
fn plain(body: &str) -> String {
    let mut out = String::with_capacity(body.len());
    for piece in scan::pieces(body) {
        match piece {
            // What makes words bold, and a blank that does not break.
            Piece::Text(text) => out.push_str(&text.replace(['*', '_'], "").replace("&nbsp;", " ")),
            // A figure must not grow together across the gap.
            Piece::Reference(_) => out.push(';'),
            Piece::Code(_) | Piece::Open(_) => {
                out.push(';');
                out.extend(std::iter::repeat_n('\n', piece.breaks()));
            }
        }
    }
    out
}

/// Every known figure of a unit: of the runs, their data sheets, and the published sides.
fn known(material: &Material<'_>, unit: &str) -> Vec<(f64, String)> {
    let mut all = Vec::new();
    for input in material.runs {
        let own = input.analysis.metrics.iter().filter(|metric| metric.unit == unit);
        all.extend(own.filter_map(|metric| Some((metric.value?, metric.address.clone()))));
        let rounds = input.analysis.metrics.iter().filter(|metric| metric.unit == unit);
        all.extend(rounds.flat_map(|metric| metric.rounds.iter().map(|value| (*value, metric.address.clone()))));
        if let Some(sheet) = input.records.environment.data_sheet.as_deref() {
            let figures = drivelab_core::data_sheet::PrintedFigure::ALL.into_iter().filter(|one| one.unit() == unit);
            let printed = figures.filter_map(|one| Some((one, sheet.number(one.name())? / one.base_units())));
            all.extend(printed.map(|(one, value)| (value, format!("data sheet, {}", one.title()))));
        }
    }
    for side in &material.sides.published {
        let own = side.figures.iter().filter_map(|figure| Some((figure.value_in(unit)?, figure.test.clone())));
        all.extend(own);
    }
    for metric in material.digests.iter().flat_map(|digest| digest.steps()).flat_map(|step| &step.metrics) {
        if metric.unit == unit {
            all.extend(metric.value.map(|value| (value, metric.address.clone())));
        }
    }
    all
}

/// Figures in the text of an article that nothing has, each with the nearest one.
pub(super) fn unknown(body: &str, first_line: usize, material: &Material<'_>) -> Vec<Remark> {
    let mut remarks = Vec::new();
    let mut of_unit: BTreeMap<&str, Vec<(f64, String)>> = BTreeMap::new();
    for (line, text) in (first_line..).zip(plain(body).lines()) {
        for Written { text, value, unit } in figures(text) {
            let known = of_unit.entry(unit).or_insert_with(|| known(material, unit));
            let distance = |other: f64| (other - value).abs() / other.abs().max(f64::MIN_POSITIVE);
            let nearest = known.iter().min_by(|one, other| distance(one.0).total_cmp(&distance(other.0)));
            let nearest = match nearest {
                Some((nearest, _)) if distance(*nearest) <= NEAR => continue,
                Some((nearest, of)) => {
                    format!("the nearest is {} {} ({of})", format::value(*nearest, unit), cells::unit_text(unit))
                }
                None => format!("none is in {}", cells::unit_text(unit)),
            };
            let what = format!("{text} matches no figure of the runs, data sheets or published drives; {nearest}");
            remarks.push(Remark { line, what });
        }
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_with_units_are_found_and_names_and_versions_are_none() {
        let of = |text: &'static str| -> Vec<(String, f64, &str)> {
            figures(text).into_iter().map(|one| (one.text.to_owned(), one.value, one.unit)).collect()
        };
        assert_eq!(
            of("It reads 3,412 MB/s, writes 2.5 GB/s."),
            [("3,412 MB/s".to_owned(), 3412.0, "MB/s"), ("2.5 GB/s".to_owned(), 2500.0, "MB/s"),]
        );
        assert_eq!(
            of("72 µs at 81 °C; 850k IOPS, 850 kIOPS"),
            [
                ("72 µs".to_owned(), 72.0, "us"),
                ("81 °C".to_owned(), 81.0, "°C"),
                ("850k IOPS".to_owned(), 850_000.0, "IOPS"),
                ("850 kIOPS".to_owned(), 850_000.0, "IOPS"),
            ]
        );
        let units: Vec<f64> = figures("1 MBps, 1 MB/sec, 1K IOPS, 1 M IOPS").into_iter().map(|one| one.value).collect();
        assert_eq!(units, [1.0, 1.0, 1e3, 1e6]);
        assert_eq!(plain("**9,999** MB/s and 7&nbsp;MB/s"), "9,999 MB/s and 7 MB/s");
        assert_eq!(of("PCIe 4.0 x4, 2 TB, RTX5090, in 2026, 5 Watt, 3 MB/second"), []);
    }

    #[test]
    fn references_and_code_hold_no_figures() {
        assert_eq!(plain("a {{ value x = 3 MB/s }} b `4 MB/s` c"), "a ; b ; c");
        assert_eq!(plain("open {{ 3 MB/s\nnext"), "open ;\nnext");
        assert_eq!(plain("a\n\n~~~\n5 MB/s\n~~~\nb").lines().count(), 6);
    }
}
