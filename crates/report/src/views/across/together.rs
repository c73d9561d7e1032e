//! The tables and charts of several drives at once, for every format.

use drivelab_analysis::together::{CoreShare, CpuShare, KeptRange, Share, Signs, StepTogether, Together};
use drivelab_core::environment::{TargetFacts, TargetKind};
use drivelab_core::ids::StepId;
use drivelab_core::metric::Wrong;

use crate::figure::chart::{Axis, Chart, Panel, Point, Series, Stretch, colour};
use crate::figure::table::{Cell, Column, Table};
use crate::figure::{Figure, TestView, format};
use crate::views::across::group::GroupInput;
use crate::words::facts;

/// Points of a curve over time.
const MOST_POINTS: usize = 400;
/// Most CPUs for which each has its own column.
const MOST_COLUMNS: usize = 32;
/// Colours of drives; the colours of totals and of CPUs are not among them.
const COLOURS: [u8; 6] = [0, 1, 3, 5, 4, 7];

/// Why there is no sum ([`StepTogether::apart`]).
pub(crate) const NOT_AT_ONCE: &str = "not at the same time: overlap below 90 %";

/// What the figures mean, and whether this only concerns drives that worked at once.
const MEANING: [(&str, bool); 8] = [
    (
        "Alone is the throughput of a drive while no other drive of the group worked. Together is its throughput while \
         all drives ran the same step, started at the same time.",
        true,
    ),
    (
        "Rates are metrics of the runs (read.throughput, write.throughput or total.throughput; for a replayed trace \
         replay.busy_throughput, which leaves out the pauses; MB is 10^6 bytes).",
        false,
    ),
    (
        "Kept is 100 × together / alone, lost is 100 - kept. Lost below zero means that the drive was faster together \
         with the others: a different cache state or temperature, or chance.",
        true,
    ),
    ("The total is the sum over all drives. It is missing if any drive has no figure.", true),
    (
        "≥ marks a rate that was limited by the host: the drive can do at least this much. Figures computed from such \
         rates say little about drives: the true value is at least (≥) or at most (≤) this much, or may be more or \
         less (≷).",
        false,
    ),
    (
        "▲ ▼ ◆ mark figures disturbed by other programs that used the same disk or one below it: undisturbed, they \
         would be higher (▲), lower (▼) or different (◆).",
        false,
    ),
    (
        "Overlap is the share of a drive's step during which every other drive ran the same step. Below 100 % the \
         drive worked partly without the others, so with full overlap it would lose more than shown. Below 90 % kept \
         and lost are not shown, and the sum over all drives is void.",
        true,
    ),
    (
        "CPU is the time of the host's CPUs between start and end of the step, for all programs together (/proc/stat). \
         Busy is programs, kernel and interrupts. Stolen is time that a hypervisor gave to others. Waiting for a drive \
         counts as idle.",
        false,
    ),
];

/// What the figures of a group mean.
pub(crate) fn meaning(group: &Together) -> Vec<&'static str> {
    let concerns = |(text, at_once): (&'static str, bool)| (!at_once || !group.each_only).then_some(text);
    MEANING.into_iter().filter_map(concerns).collect()
}

/// Title of the page and of the document.
pub(crate) fn title(group: &Together) -> String {
    let how = if group.each_only { "drives, one at a time" } else { "drives at once" };
    format!("{} {how}: {}", group.drives.len(), group.title)
}

/// Method, form and time.
pub(crate) fn lede(group: &Together) -> String {
    let form = group.form.words(&group.methodology.name);
    let started = group.started.replacen('T', " ", 1).replace('Z', " UTC");
    let begun = if group.each_only { "started" } else { "started together" };
    format!("{} {}, {form}, {begun} {started}", group.methodology.name, group.methodology.version)
}

fn colour_of(drive: usize) -> u8 {
    COLOURS[drive % COLOURS.len()]
}

fn percent(value: Option<f64>) -> Cell {
    value.map_or_else(Cell::default, |value| Cell::text(format!("{:.1}", value + 0.0)))
}

/// A rate, which may be a lower bound and may have been disturbed by other programs.
pub(crate) fn mb_s(value: Option<f64>, at_least: bool, spoiled: bool) -> Cell {
    let cell = if at_least { Cell::at_least } else { Cell::text };
    value.map_or_else(Cell::default, |value| cell(format::mb_s(value))).wrong(spoiled.then_some(Wrong::TooLow))
}

fn latency(value: Option<f64>, spoiled: bool) -> Cell {
    let cell = value.map_or_else(Cell::default, |value| Cell::text(format::latency_us(value)));
    cell.wrong(spoiled.then_some(Wrong::TooHigh))
}

/// The rate while no other drive of the group worked.
fn alone_mb_s(share: &Share) -> Cell {
    mb_s(share.alone_mb_s, share.alone_at_least, share.alone_spoiled)
}

/// The rate together with the others.
pub(crate) fn together_mb_s(share: &Share) -> Cell {
    mb_s(share.together_mb_s, share.together_at_least, share.together_spoiled)
}

/// The share of the rate alone that was kept, in per cent.
pub(crate) fn kept(share: &Share) -> Cell {
    signed(percent(share.kept_percent), share.kept_signs())
}

/// A figure computed from rates, with the signs that follow from theirs; an empty cell stays empty.
pub(crate) fn signed(cell: Cell, signs: Signs) -> Cell {
    if cell.text.is_empty() {
        return cell;
    }
    let cell = match (signs.at_least, signs.at_most) {
        (false, false) => cell,
        (true, false) => Cell::at_least(cell.text),
        (false, true) => Cell::text(format!("≤ {}", cell.text)),
        (true, true) => Cell::text(format!("≷ {}", cell.text)),
    };
    cell.wrong(signs.spoiled.then_some(Wrong::EitherWay))
}

/// Name of a drive: letter and model.
pub(crate) fn drive_name(input: &GroupInput<'_>, drive: usize) -> String {
    let letter = input.group.drives.get(drive).map_or("?", |drive| drive.letter.as_str());
    let given = input.drives.get(drive).map(|words| words.name.clone()).filter(|name| !name.is_empty());
    let name = given.or_else(|| input.run_of(drive).map(|run| facts::drive_name(&run.records.environment)));
    name.map_or_else(|| letter.to_string(), |name| format!("{letter}: {name}"))
}

/// The target; for a scratch file its folder, since its own name says nothing.
fn place(target: &TargetFacts) -> String {
    let path = match target.kind {
        TargetKind::ScratchFile => target.path.parent().filter(|folder| !folder.as_os_str().is_empty()),
        _ => None,
    };
    path.unwrap_or(&target.path).display().to_string()
}

/// The drives, and the share of its rate that each kept.
pub(crate) fn drives_table(input: &GroupInput<'_>) -> Table {
    let columns = vec![
        Column::words("Drive"),
        Column::figures("Kept, median step", "%"),
        Column::figures("Lowest", "%"),
        Column::figures("Highest", "%"),
        Column::words("Target"),
    ];
    let row = |(index, drive): (usize, &drivelab_analysis::together::GroupDrive)| {
        let target = input.run_of(index).map(|run| place(&run.records.environment.target));
        let kept = |of: fn(&KeptRange) -> f64| {
            signed(percent(drive.kept.as_ref().map(of)), drive.kept.map(|kept| kept.signs).unwrap_or_default())
        };
        vec![
            Cell::text(drive_name(input, index)),
            kept(|kept| kept.median_percent),
            kept(|kept| kept.least_percent),
            kept(|kept| kept.most_percent),
            Cell::text(target.unwrap_or_default()),
        ]
    };
    let rows = input.group.drives.iter().enumerate().map(row).collect();
    let compared = input.group.drives.iter().any(|drive| drive.kept.is_some());
    let caption = if compared { "Share of its rate alone that each drive kept" } else { "The drives" };
    Table { caption: caption.to_owned(), columns, rows }.without_empty_columns()
}

/// The step in which all drives together moved most.
pub(crate) fn highest(group: &Together) -> Option<(&StepTogether, f64)> {
    let step = group.steps.iter().find(|step| Some(&step.step) == group.highest.as_ref())?;
    Some((step, step.total.together_mb_s?))
}

/// One view for each test, in the order of the plan.
pub(crate) fn tests(input: &GroupInput<'_>) -> Vec<TestView> {
    let by_test: Vec<&[StepTogether]> = input.group.steps.chunk_by(|one, other| one.test == other.test).collect();
    let view = |(index, steps): (usize, &&[StepTogether])| TestView {
        id: format!("test-{index}"),
        title: steps.first().map_or_else(String::new, |step| step.test.clone()),
        purpose: String::new(),
        figures: vec![test_figure(input, steps, &format!("test-{index}-chart"))],
    };
    by_test.iter().enumerate().map(view).collect()
}

/// A figure of a share, and its cell in tables.
type Shown = (fn(&Share) -> Option<f64>, fn(&Share) -> Cell);

fn test_figure(input: &GroupInput<'_>, steps: &[StepTogether], id: &str) -> Figure {
    let labels: Vec<String> = steps.iter().map(|step| step.label.clone()).collect();
    let series = |drive: usize, (of, cell): Shown, unit: &str| {
        let point = |(x, step): (usize, &StepTogether)| {
            let known = step.drives.get(drive).and_then(|share| Some((of(share)?, cell(share))));
            let text = known.as_ref().map_or_else(String::new, |(_, cell)| format!("{} {unit}", cell.plain()));
            Point(x as f64, known.map(|(value, _)| value.max(0.0)), text, Some(step.label.clone()))
        };
        let points = steps.iter().enumerate().map(point).collect();
        Series { points, ..Series::new(&drive_name(input, drive), colour_of(drive)) }
    };
    let panel = |title: &str, unit: &str, of: Shown| {
        Panel::bars(title, unit, (0..input.group.drives.len()).map(|drive| series(drive, of, unit)).collect())
    };
    let (description, caption, rates) = if input.group.each_only {
        let alone = panel("Throughput, one drive at a time", "MB/s", (|share| share.alone_mb_s, alone_mb_s));
        ("For each step: throughput of each drive.", "Bars start at zero.", vec![alone])
    } else {
        let together = panel("Throughput, all at once", "MB/s", (|share| share.together_mb_s, together_mb_s));
        let kept = panel("Share of the rate alone kept", "%", (|share| share.kept_percent, kept));
        let caption =
            "Bars start at zero. 100 % kept means that the drive lost nothing by working together with the others.";
        let description = "For each step: throughput of each drive while all worked, and its share of the rate alone.";
        (description, caption, vec![together, kept])
    };
    let chart = Chart {
        id: id.to_owned(),
        description: description.to_owned(),
        x: Axis::named("", labels),
        panels: rates.into_iter().chain([cpu_panel(steps, input.group.each_only)]).collect(),
        stretches: Vec::new(),
    };
    Figure {
        title: String::new(),
        caption: caption.to_owned(),
        chart: chart.drawable(),
        table: steps_table(input, steps),
        long: false,
    }
}

/// The host's CPUs in each step: with all drives at once if they worked so, and the highest value with one drive alone.
fn cpu_panel(steps: &[StepTogether], each_only: bool) -> Panel {
    let series = |name: &str, colour: u8, of: &dyn Fn(&StepTogether) -> Option<f64>| {
        let point = |(x, step): (usize, &StepTogether)| {
            let value = of(step);
            let text = value.map_or_else(String::new, |value| format!("{value:.1} %"));
            Point(x as f64, value, text, Some(step.label.clone()))
        };
        Series { points: steps.iter().enumerate().map(point).collect(), ..Series::new(name, colour) }
    };
    let alone =
        |step: &StepTogether| step.cpu_alone.iter().flatten().map(|cpu| cpu.busy_percent).max_by(f64::total_cmp);
    let alone = series("CPUs, one drive alone (highest)", 6, &alone);
    let series =
        if each_only { vec![alone] } else { vec![series("CPUs, all drives at once", colour::TOTAL, &busy), alone] };
    Panel::bars("Host CPUs busy", "%", series)
}

/// Mean over all CPUs while every drive worked.
fn busy(step: &StepTogether) -> Option<f64> {
    step.cpu.as_ref().map(|cpu| cpu.busy_percent)
}

fn steps_table(input: &GroupInput<'_>, steps: &[StepTogether]) -> Table {
    let columns = vec![
        Column::words("Step"),
        Column::words("Drive"),
        Column::figures("Alone", "MB/s"),
        Column::figures("Together", "MB/s"),
        Column::figures("Kept", "%"),
        Column::figures("Lost", "%"),
        Column::figures("p99 alone", "µs"),
        Column::figures("p99 together", "µs"),
        Column::figures("Overlap", "%"),
        Column::figures("CPUs busy", "%"),
    ];
    let row = |step: &StepTogether, drive: String, share: &Share, busy: Option<f64>| {
        vec![
            Cell::text(step.label.clone()),
            Cell::text(drive),
            alone_mb_s(share),
            together_mb_s(share),
            kept(share),
            signed(percent(share.lost_percent), share.kept_signs().turned()),
            latency(share.p99_alone_us, share.p99_alone_spoiled),
            latency(share.p99_together_us, share.p99_together_spoiled),
            percent(share.overlap_percent.map(|overlap| overlap.min(100.0))),
            percent(busy),
        ]
    };
    let mut rows = Vec::new();
    for step in steps {
        let letters = input.group.drives.iter().map(|drive| drive.letter.to_string());
        rows.extend(letters.zip(&step.drives).map(|(letter, share)| row(step, letter, share, None)));
        // Rates of drives that never worked at the same time have no sum.
        if !input.group.each_only {
            let mut all = row(step, "all".to_owned(), &step.total, busy(step));
            if step.apart {
                // The figures based on the sum together: the sum itself, and kept and lost if there is a sum alone.
                let resting = if step.total.alone_mb_s.is_some() { 3 } else { 1 };
                all.iter_mut().skip(3).take(resting).for_each(|cell| *cell = Cell::void(NOT_AT_ONCE));
            }
            rows.push(all);
        }
    }
    let caption = steps.first().map_or_else(String::new, |step| step.test.clone());
    Table { caption, columns, rows }.without_empty_columns()
}

/// Throughput in every second while all worked: the sum above, each drive below.
pub(crate) fn time_figure(input: &GroupInput<'_>) -> Option<Figure> {
    let group = &input.group;
    let each = group.seconds.len().div_ceil(MOST_POINTS).max(1);
    let drives = group.drives.len();
    let mut total = Series::new("All drives", colour::TOTAL);
    let mut single: Vec<Series> =
        (0..drives).map(|drive| Series::new(&drive_name(input, drive), colour_of(drive))).collect();
    let mut rows = Vec::new();
    for seconds in group.seconds.chunks(each) {
        let Some(first) = seconds.first() else { continue };
        let mean = |of: &dyn Fn(&drivelab_analysis::together::Second) -> f64| {
            seconds.iter().map(of).sum::<f64>() / seconds.len() as f64
        };
        let x = f64::from(first.at_s) + seconds.len() as f64 / 2.0;
        let heading = format!("{} s", first.at_s);
        let point = |rate: f64| Point(x, Some(rate), format!("{} MB/s", format::mb_s(rate)), Some(heading.clone()));
        let all = mean(&|second| second.total_mb_s);
        total.points.push(point(all));
        let mut row = vec![Cell::text(first.at_s.to_string()), Cell::text(format::mb_s(all))];
        for (drive, series) in single.iter_mut().enumerate() {
            let rate = mean(&|second| second.drives_mb_s.get(drive).copied().unwrap_or(0.0));
            series.points.push(point(rate));
            row.push(Cell::text(format::mb_s(rate)));
        }
        rows.push(row);
    }
    let stretch = |(label, from, to): &(String, f64, f64)| Stretch { from: *from, to: *to, label: label.clone() };
    let chart = Chart {
        id: "all-seconds".to_owned(),
        description: "Throughput over time while all drives worked: the sum and each drive.".to_owned(),
        x: Axis::linear("Time since the drives started together (s)", group.seconds.len() as f64),
        panels: vec![Panel::lines("All drives", "MB/s", vec![total]), Panel::lines("Each drive", "MB/s", single)],
        stretches: input.stretches.iter().map(stretch).collect(),
    };
    let mut columns = vec![Column::figures("Second", "s"), Column::figures("All", "MB/s")];
    columns.extend(group.drives.iter().map(|drive| Column::figures(&drive.letter.to_string(), "MB/s")));
    let caption = match each {
        1 => "One point per second, including preparation and ramps.".to_owned(),
        each => format!("One point per {each} seconds (mean), including preparation and ramps."),
    };
    let table = Table { caption: "Throughput in each second".to_owned(), columns, rows };
    let chart = chart.drawable()?;
    Some(Figure { title: String::new(), caption, chart: Some(chart), table, long: true })
}

/// The label of a step, with its test if another test has a step of the same label.
pub(crate) fn step_name(group: &Together, step: &StepId, label: &str) -> String {
    let of_label = || group.steps.iter().filter(|one| one.label == label);
    match of_label().find(|one| one.step == *step) {
        Some(own) if of_label().count() > 1 => format!("{label} ({})", own.test),
        _ => label.to_owned(),
    }
}

/// CPU time by kind, and the busiest CPU.
pub(crate) fn cpu_table(group: &Together) -> Table {
    let steps = group.steps.iter().filter_map(|step| Some((step, step.cpu.as_ref()?)));
    let columns = vec![
        Column::words("Step"),
        Column::figures("Busy", "%"),
        Column::figures("Programs", "%"),
        Column::figures("Kernel", "%"),
        Column::figures("Interrupts", "%"),
        Column::figures("Stolen", "%"),
        Column::figures("Idle", "%"),
        Column::words("Busiest CPU"),
    ];
    let row = |(step, cpu): (&StepTogether, &CpuShare)| {
        let mean =
            |of: fn(&CoreShare) -> f64| Some(cpu.cores.iter().map(of).sum::<f64>() / cpu.cores.len().max(1) as f64);
        let busiest = cpu.cores.iter().max_by(|one, other| one.busy_percent.total_cmp(&other.busy_percent));
        vec![
            Cell::text(step_name(group, &step.step, &step.label)),
            percent(Some(cpu.busy_percent)),
            percent(mean(|core| core.user_percent)),
            percent(mean(|core| core.system_percent)),
            percent(mean(|core| core.interrupt_percent)),
            percent(mean(|core| core.steal_percent)),
            percent(mean(|core| 100.0 - core.taken_percent())),
            busiest.map_or_else(Cell::default, |core| Cell::text(format!("{}: {:.1} %", core.cpu, core.busy_percent))),
        ]
    };
    Table { caption: "The host's CPUs while all drives worked".to_owned(), columns, rows: steps.map(row).collect() }
}

/// How busy each CPU was in each step. A host with too many CPUs for columns has one row per CPU, for the step in which
/// most was moved.
pub(crate) fn cores_table(group: &Together) -> Table {
    let steps: Vec<(&StepTogether, &CpuShare)> =
        group.steps.iter().filter_map(|step| Some((step, step.cpu.as_ref()?))).collect();
    // A short step may have passed without a tick on one of them.
    let mut cpus: Vec<u32> = steps.iter().flat_map(|(_, cpu)| cpu.cores.iter().map(|core| core.cpu)).collect();
    cpus.sort_unstable();
    cpus.dedup();
    if cpus.len() <= MOST_COLUMNS && !steps.is_empty() {
        let mut columns = vec![Column::words("Step")];
        columns.extend(cpus.iter().map(|cpu| Column::figures(&format!("CPU {cpu}"), "%")));
        let row = |(step, cpu): &(&StepTogether, &CpuShare)| {
            let of = |number: &u32| cpu.cores.iter().find(|core| core.cpu == *number).map(|core| core.busy_percent);
            std::iter::once(Cell::text(step_name(group, &step.step, &step.label)))
                .chain(cpus.iter().map(|number| percent(of(number))))
                .collect()
        };
        return Table { caption: "Each CPU busy".to_owned(), columns, rows: steps.iter().map(row).collect() };
    }
    let chosen = steps.iter().find(|(step, _)| Some(&step.step) == group.highest.as_ref()).or(steps.first());
    let Some((step, cpu)) = chosen else { return Table::default() };
    let columns = vec![
        Column::words("CPU"),
        Column::figures("Busy", "%"),
        Column::figures("Programs", "%"),
        Column::figures("Kernel", "%"),
        Column::figures("Interrupts", "%"),
        Column::figures("Stolen", "%"),
    ];
    let row = |core: &CoreShare| {
        let figures =
            [core.busy_percent, core.user_percent, core.system_percent, core.interrupt_percent, core.steal_percent];
        std::iter::once(Cell::text(core.cpu.to_string())).chain(figures.map(|figure| percent(Some(figure)))).collect()
    };
    Table { caption: format!("Each CPU in '{}'", step.label), columns, rows: cpu.cores.iter().map(row).collect() }
}
