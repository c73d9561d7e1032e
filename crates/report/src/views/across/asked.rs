//! The tables that a methodology may ask for with several drives: drives needed for a rate, effect of doubling the
//! capacity, temperatures.

use drivelab_analysis::together::{
    Doubling, Feed, FeedStep, Ratio, SHARED_DEVICE, Scaling, SizedRate, StepHealth, Together,
};
use drivelab_core::metric::Wrong;

use crate::figure::format;
use crate::figure::table::{Cell, Column, Table};
use crate::views::across::together;

/// Every table that has rows, in the order in which they are shown.
pub(crate) fn tables(group: &Together) -> Vec<Table> {
    let feed = group.feed.iter().map(|asked| feed(group, asked));
    let named = |one: &Doubling| Doubling { label: together::step_name(group, &one.step, &one.label), ..one.clone() };
    let doubling =
        (!group.per_doubling.is_empty()).then(|| doublings(&group.per_doubling.iter().map(named).collect::<Vec<_>>()));
    let health = [health(group), idle(group)].into_iter().filter(|table| !table.rows.is_empty());
    feed.chain(doubling).chain(health).map(Table::without_empty_columns).collect()
}

fn shown(value: Option<f64>, text: impl Fn(f64) -> String) -> Cell {
    value.map_or_else(Cell::default, |value| Cell::text(text(value)))
}

/// A number of drives. From a rate that the host limited it is an upper bound; from a rate that other programs
/// disturbed it is too high.
fn drives_cell(needed: Option<u64>, at_most: bool, spoiled: bool) -> Cell {
    let sign = if at_most { "≤ " } else { "" };
    let cell = needed.map_or_else(Cell::default, |needed| Cell::text(format!("{sign}{needed}")));
    cell.wrong(spoiled.then_some(Wrong::TooHigh))
}

/// The remark on a rate that other programs disturbed.
const DISTURBED: &str = "other programs used the disk: fewer drives may be enough";

/// The remarks that apply.
fn limits(words: &[(bool, &str)]) -> Cell {
    let applying: Vec<&str> = words.iter().filter_map(|(applies, words)| applies.then_some(*words)).collect();
    Cell::text(applying.join("; "))
}

/// The row of all drives at once; its figures are void if the drives did not work at the same time.
fn at_once(group: &Together, feed: &Feed, step: &FeedStep) -> Option<Vec<Cell>> {
    let [rate, needed, limit] = if group.steps.iter().any(|one| one.step == step.step && one.apart) {
        [Cell::void(together::NOT_AT_ONCE), Cell::void(together::NOT_AT_ONCE), Cell::text(together::NOT_AT_ONCE)]
    } else {
        let together = step.together_mb_s?;
        [
            together::mb_s(Some(together), step.host_limited, step.spoiled),
            drives_cell(step.drives_together, step.host_limited, step.spoiled),
            limits(&[
                (step.host_limited, "the host was the limit: more drives may not deliver more"),
                (step.spoiled, DISTURBED),
                (together >= feed.need_mb_s, "these drives are enough"),
            ]),
        ]
    };
    let [link, lanes] = [Cell::default(), Cell::default()];
    let name = Cell::text(together::step_name(group, &step.step, &step.label));
    Some(vec![name, Cell::text("all at once"), rate, needed, link, lanes, limit])
}

fn feed(group: &Together, feed: &Feed) -> Table {
    let columns = vec![
        Column::words("Step"),
        Column::words("Drive"),
        Column::figures("Rate", "MB/s"),
        Column::figures("Drives needed", ""),
        Column::words("Link"),
        Column::figures("PCIe lanes needed", ""),
        Column::words("Limit"),
    ];
    let mut rows = Vec::new();
    for step in &feed.steps {
        for drive in &step.drives {
            let rate = together::mb_s(drive.mb_s, drive.at_least, drive.spoiled);
            let needed = drives_cell(drive.drives, drive.at_least, drive.spoiled);
            let limit = limits(&[
                (drive.at_least, "the host was the limit: fewer drives may be enough"),
                (drive.spoiled, DISTURBED),
            ]);
            let name = together::step_name(group, &step.step, &step.label);
            let words = [name, drive.letter.to_string()].map(Cell::text);
            let link = drive.link.clone().map_or_else(Cell::default, Cell::text);
            let lanes = drives_cell(drive.lanes, drive.at_least, drive.spoiled);
            rows.push([words.to_vec(), vec![rate, needed, link, lanes, limit]].concat());
        }
        rows.extend(at_once(group, feed, step));
    }
    let link = match feed.link_mb_s {
        Some(link) if feed.more_than_the_link => {
            format!("; one link carries {:.1} GB/s, so no number of drives is enough over one link", link / 1e3)
        }
        _ => String::new(),
    };
    Table { caption: format!("Drives needed for {:.1} GB/s{link}", feed.need_mb_s / 1e3), columns, rows }
}

/// What each doubling of the capacity brings.
pub(crate) fn doublings(all: &[Doubling]) -> Table {
    let columns = vec![
        Column::words("Step"),
        Column::figures("Per doubling", "×"),
        Column::figures("From", "×"),
        Column::figures("To", "×"),
        Column::words("Scaling"),
        // Last, since a narrow terminal leaves out what is last.
        Column::words("Rates by capacity"),
    ];
    let row = |one: &Doubling| {
        let rate = |rate: &SizedRate| {
            let bar = rate.half_interval.map_or_else(String::new, |half| format!(" ± {}", format::mb_s(half)));
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a capacity in bytes")]
            let size = drivelab_core::units::Bytes::new(rate.capacity as u64);
            let shown = together::mb_s(Some(rate.mb_s), rate.at_least, rate.spoiled).plain();
            format!("{}: {shown}{bar}", format::short_bytes(size))
        };
        let mut by_capacity: Vec<_> = one.rates.iter().collect();
        by_capacity.sort_by(|one, other| one.capacity.total_cmp(&other.capacity));
        let rates: Vec<String> = by_capacity.into_iter().map(rate).collect();
        let ratio = |of: fn(&Ratio) -> Option<f64>| {
            let text = |found: &Ratio| Some(together::signed(Cell::text(format!("{:.3}", of(found)?)), found.signs));
            one.ratio.as_ref().and_then(text).unwrap_or_default()
        };
        vec![
            Cell::text(one.label.clone()),
            ratio(|found| Some(found.value)),
            ratio(|found| found.low),
            ratio(|found| found.high),
            Cell::text(if one.ratio.is_some() { scaling_word(one.scaling) } else { "" }),
            Cell::text(rates.join(", ")),
        ]
    };
    let caption = "Effect of doubling the capacity (MB/s, ± half the 95 % interval; 1 means no effect)".to_owned();
    Table { caption, columns, rows: all.iter().map(row).collect() }
}

/// `Evo: ×1.93 for each doubling of the capacity (linear).` `None` without a ratio.
pub(crate) fn doubling_words(one: &Doubling) -> Option<String> {
    let ratio = one.ratio.as_ref()?;
    let shown = together::signed(Cell::text(format!("{:.2}", ratio.value)), ratio.signs).plain();
    Some(format!("{}: ×{shown} for each doubling of the capacity ({}).", one.label, scaling_word(one.scaling)))
}

/// How a rate follows the capacity.
pub(crate) const fn scaling_word(class: Option<Scaling>) -> &'static str {
    match class {
        Some(Scaling::Falls) => "falls",
        Some(Scaling::None) => "none",
        Some(Scaling::SubLinear) => "sub-linear",
        Some(Scaling::Linear) => "linear",
        Some(Scaling::SuperLinear) => "super-linear",
        None => "not clear",
    }
}

fn health(group: &Together) -> Table {
    let columns = vec![
        Column::words("Step"),
        Column::words("Drive"),
        Column::figures("After", "s"),
        Column::figures("Temperature", "°C"),
        Column::figures("Hottest sensor", "°C"),
        Column::words("Critical warning"),
        Column::figures("Warning time", "min"),
        Column::figures("Critical time", "min"),
        Column::figures("Throttled", "times"),
        Column::figures("Interrupts", "1/s"),
    ];
    let whole = |value: f64| format!("{value:.0}");
    let row = |letter: &str, step: &StepHealth| {
        let name = match &step.step {
            Some(id) => together::step_name(group, id, &step.label),
            None => step.label.clone(),
        };
        vec![
            Cell::text(name),
            Cell::text(letter.to_string()),
            shown(step.celsius.map(|_| step.after_s), |after| format!("{after:.1}")),
            shown(step.celsius, whole),
            shown(step.hottest_celsius, whole),
            shown(step.warning_bits, |bits| if bits == 0.0 { "none".to_owned() } else { format!("bits {bits:.0}") }),
            shown(step.warning_minutes, whole),
            shown(step.critical_minutes, whole),
            shown(step.throttled, whole),
            shown(step.interrupts_per_second, format::iops),
        ]
    };
    let rows = group.health.iter().flat_map(|drive| drive.steps.iter().map(|step| row(&drive.letter, step))).collect();
    let read = group.health.iter().flat_map(|drive| &drive.steps).any(|step| step.celsius.is_some());
    let caption = if read { "Each drive at the end of each step" } else { "Interrupts of each drive in each step" };
    let counted = group.health.iter().flat_map(|drive| &drive.steps).any(|step| step.interrupts_per_second.is_some());
    let on_one_disk = group.findings.iter().any(|finding| finding.code == SHARED_DEVICE);
    let shared = if counted && on_one_disk { "; targets on one disk each show that disk's interrupts" } else { "" };
    Table { caption: format!("{caption}{shared}"), columns, rows }
}

fn idle(group: &Together) -> Table {
    let columns = vec![Column::words("Drive"), Column::words("Idle readings (°C)")];
    let known = group.health.iter().filter(|drive| !drive.idle_celsius.is_empty());
    let row = |drive: &drivelab_analysis::together::DriveHealth| {
        let readings: Vec<String> = drive.idle_celsius.iter().map(|celsius| format!("{celsius:.0}")).collect();
        vec![Cell::text(drive.letter.to_string()), Cell::text(readings.join(", "))]
    };
    Table { caption: "Temperatures before the tests".to_owned(), columns, rows: known.map(row).collect() }
}
