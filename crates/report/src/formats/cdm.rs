//! A run of the methodology `crystaldiskmark` in the layout of the program's own text.
//!
//! Follows the lines and widths of that format (research notes, methods, section 1), not its words. The figures are
//! those of the run, and the head states that drivelab made them. Other methodologies are refused: their figures are
//! not the highest of several runs, but would be taken for such.

use std::fmt::Write as _;

use drivelab_core::environment::Environment;
use drivelab_core::load::OpKind;
use drivelab_core::metric::Metric;
use drivelab_core::plan::{Action, Form, Plan, Rest, Rounds, Step, StepRole, TestPlan};
use drivelab_core::units::{Bytes, Nanos};
use drivelab_core::workload::{DataPattern, Workload};

use crate::error::ReportError;
use crate::figure::input::ReportInput;
use crate::figure::signs::legend;
use crate::marker::CDM;

/// The methodology whose figures have this layout.
const METHOD: &str = "crystaldiskmark";
const RULE: &str = "------------------------------------------------------------------------------";
/// Units of a block size, as the program counts them.
const KIB: u64 = 1024;
const MIB: u64 = 1024 * 1024;

/// The text of one run.
pub(crate) fn text(input: &ReportInput<'_>) -> Result<String, ReportError> {
    let plan = &input.records.plan;
    if plan.methodology.name != METHOD {
        return Err(ReportError::NotCrystalDiskMark(plan.methodology.name.clone()));
    }
    let mut text = format!("{RULE}\n{CDM} {}\n{RULE}\n", env!("CARGO_PKG_VERSION"));
    text.push_str("* MB/s = 1,000,000 bytes/s [SATA/600 = 600,000,000 bytes/s]\n");
    text.push_str("* KB = 1000 bytes, KiB = 1024 bytes\n");
    let measured = || plan.steps().filter(|step| step.role == StepRole::Measure);
    let mut groups: Vec<u8> = Vec::new();
    for share in measured().filter_map(Step::workload).map(|workload| workload.write_percent.get()) {
        if !groups.contains(&share) {
            groups.push(share);
        }
    }
    for share in groups {
        let head = match share {
            0 => "[Read]".to_owned(),
            100 => "[Write]".to_owned(),
            mixed => format!("[Mix] Read {}%/Write {mixed}%", 100 - mixed),
        };
        let _ = write!(text, "\n{head}\n");
        let of_share = |workload: &&Workload| workload.write_percent.get() == share;
        for (step, workload) in measured().filter_map(|step| Some((step, step.workload().filter(of_share)?))) {
            text.push_str(&line(input, step, workload));
        }
    }
    text.push('\n');
    let steps: Vec<&Step> = measured().collect();
    let meaning = legend(input, &steps);
    if !meaning.is_empty() {
        let _ = write!(text, "{meaning}\n\n");
    }
    text.push_str(&foot(input, plan));
    Ok(text)
}

/// The rate and the mean latency of a step.
fn figures_of<'a>(metric: &impl Fn(&str) -> Option<&'a Metric>) -> (Option<&'a Metric>, Option<&'a Metric>) {
    let time = ["total", "read", "write"].iter().find_map(|kind| metric(&format!("{kind}.latency_mean")));
    (metric("total.throughput"), time)
}

/// The marks of a line for lower bounds and for figures that other programs disturbed; usually none.
fn marks(figures: [Option<&Metric>; 2]) -> String {
    let metrics = figures.into_iter().flatten();
    let at_least = metrics.clone().any(|metric| metric.lower_bound).then(|| " ≥".to_owned());
    let wrong = metrics.filter_map(|metric| metric.wrong);
    at_least.into_iter().chain(wrong.map(|wrong| format!(" {}", wrong.sign()))).collect()
}

/// The figures of a step; dashes if they are void or the step was not reached.
fn line(input: &ReportInput<'_>, step: &Step, workload: &Workload) -> String {
    let kind = if workload.pattern.is_sequential() { "SEQ" } else { "RND" };
    let block = workload.block_size.get();
    let (count, unit) = if block.is_multiple_of(MIB) { (block / MIB, "MiB") } else { (block / KIB, "KiB") };
    let (depth, threads) = (workload.queue_depth.get(), workload.threads.get());
    let metric = |id: &str| input.analysis.step_metric(&step.id, id).filter(|metric| metric.value.is_some());
    let (of_rate, of_time) = figures_of(&metric);
    let rate = of_rate.and_then(|metric| metric.value);
    let figure = |value: Option<f64>, decimals: usize| {
        value.map_or_else(|| format!("{:>9}", "-"), |value| format!("{value:9.decimals$}"))
    };
    #[expect(clippy::cast_precision_loss, reason = "a block has far fewer bytes than 2^53")]
    let iops = rate.map(|rate| rate * 1e6 / block as f64);
    format!(
        "  {kind} {count:4}{unit} (Q={depth:3}, T={threads:2}): {} MB/s [{} IOPS] <{} us>{}\n",
        figure(rate, 3),
        figure(iops, 1),
        figure(of_time.and_then(|metric| metric.value), 2),
        marks([of_rate, of_time]),
    )
}

fn foot(input: &ReportInput<'_>, plan: &Plan) -> String {
    let test = plan.tests.iter().find(|test| test.steps.iter().any(|step| step.role == StepRole::Measure));
    let first = test.and_then(|test| test.steps.first());
    let mut text = format!("Profile: {}", plan.profile);
    // Reads return what the preparation wrote.
    let loads = plan.steps().filter_map(Step::workload).flat_map(Workload::groups);
    let mut writes = loads.filter(|load| load.issues(OpKind::Write)).peekable();
    if writes.peek().is_some() && writes.all(|load| load.data == DataPattern::Zero) {
        text.push_str(", All 0x00");
    }
    let environment = &input.records.environment;
    let (measure, interval) = times(first);
    let _ = write!(
        text,
        "\n   Test: {} {} [{}]\n   Mode: {}\n   Time: Measure {measure} sec / Interval {interval} sec\n   Date: {}\n     \
         OS: Linux {}\n",
        whole(plan.capacity),
        test.map(counts).unwrap_or_default(),
        place(environment),
        mode(plan.form),
        date(&input.records.started),
        environment.testbed.kernel
    );
    text
}

/// `(x9)`, and the sets if there are several.
fn counts(test: &TestPlan) -> String {
    let count = if let Rounds::Fixed { count } = test.rounds { count } else { test.max_rounds() };
    let sets = test.repeats.sets;
    if sets > 1 { format!("(x{count}, mean of {sets} sets)") } else { format!("(x{count})") }
}

fn times(step: Option<&Step>) -> (String, String) {
    let seconds = |time: Nanos| {
        let text = format!("{:.1}", time.as_secs_f64());
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    let measure = step.and_then(|step| if let Action::Io { stop, .. } = &step.action { stop.time } else { None });
    let rest = step.map(|step| step.rest);
    let interval = if let Some(Rest::Fixed { time }) = rest { time } else { Nanos::new(0) };
    (seconds(measure.unwrap_or_default()), seconds(interval))
}

/// The file system: `ext4: 12% (120/931GiB)`.
fn place(environment: &Environment) -> String {
    let Some(system) = &environment.target.file_system else { return "no file system".to_owned() };
    let gib = |bytes: u64| bytes / (KIB * MIB);
    let used = system.total.get().saturating_sub(system.free.get());
    let percent = (u128::from(used) * 100).checked_div(u128::from(system.total.get())).unwrap_or(0);
    format!("{}: {percent}% ({}/{}GiB)", system.kind, gib(used), gib(system.total.get()))
}

const fn mode(form: Form) -> &'static str {
    match form {
        Form::Faithful => "[faithful]",
        Form::Quick => "[quick: shortened, not comparable]",
        Form::Smoke => "[smoke: for tests only]",
    }
}

/// `2026-03-01T10:00:00Z` as `2026/03/01 10:00:00`.
fn date(started: &str) -> String {
    started.get(..19).unwrap_or(started).replace('-', "/").replace('T', " ")
}

fn whole(bytes: Bytes) -> String {
    let (gib, mib) = (KIB * MIB, MIB);
    if bytes.get().is_multiple_of(gib) {
        format!("{} GiB", bytes.get() / gib)
    } else {
        format!("{} MiB", bytes.get() / mib)
    }
}

#[cfg(test)]
mod tests {
    //! The layout, character by character.

    use drivelab_core::plan::{Combine, Repeats};
    use drivelab_core::run::RunRecords;
    use drivelab_samples::sample_run;

    use super::*;

    fn text_of(records: &RunRecords) -> Result<String, ReportError> {
        text(&ReportInput { records, analysis: &drivelab_analysis::analyse(records) })
    }

    /// The sample's corners as if the methodology had been CrystalDiskMark.
    fn corners() -> RunRecords {
        let mut run = sample_run();
        run.plan.methodology.name = METHOD.to_owned();
        "default".clone_into(&mut run.plan.profile);
        run.plan.tests.retain(|test| test.name == "corners");
        run.plan.tests[0].combine = Combine::Best;
        run.plan.capacity = Bytes::new(1 << 30);
        run
    }

    #[test]
    fn lines_have_the_layout_of_the_program_and_the_head_says_who_made_them() {
        let text = text_of(&corners()).expect("a text");
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[1].starts_with("drivelab") && !lines[1].contains("(C)"), "{}", lines[1]);
        let read = lines.iter().position(|line| *line == "[Read]").expect("reads");
        assert_eq!(lines[read - 1], "");
        assert_eq!(lines[read + 1], "  SEQ    1MiB (Q=  8, T= 1):  4859.101 MB/s [   4634.0 IOPS] <  1709.40 us>");
        assert_eq!(lines[read + 4].find("(Q=  1, T= 1):"), Some(14));
        let write = lines.iter().position(|line| *line == "[Write]").expect("writes");
        assert_eq!((write - read, lines[read + 5]), (6, ""));
        assert!(lines[write + 3].starts_with("  RND    4KiB (Q= 32, T= 1):  "), "{}", lines[write + 3]);
        assert!(lines[write + 6..].contains(&"Profile: default"), "{text}");
        assert!(text.contains("\n   Test: 1 GiB (x3) ["), "{text}");
        assert!(text.contains("\n   Time: Measure 4 sec / Interval 0 sec\n"), "{text}");
        let mut sets = corners();
        sets.plan.tests[0].repeats = Repeats { sets: 4, ..Repeats::default() };
        assert!(text_of(&sets).expect("a text").contains("(x3, mean of 4 sets)"));
    }

    #[test]
    fn figures_that_others_disturbed_are_marked_behind_their_line_and_no_others() {
        let run = corners();
        let mut analysis = drivelab_analysis::analyse(&run);
        let all = text(&ReportInput { records: &run, analysis: &analysis }).expect("a text");
        let of_step = |id: &drivelab_core::ids::StepId| id.slug() == "seq-1m-q8t1-read";
        for metric in analysis.metrics.iter_mut().filter(|metric| metric.step.as_ref().is_some_and(of_step)) {
            let def = drivelab_analysis::metric_def(&metric.id).expect("a definition");
            metric.wrong = Some(def.better.when_spoiled());
        }
        let marked = text(&ReportInput { records: &run, analysis: &analysis }).expect("a text");
        let line = "  SEQ    1MiB (Q=  8, T= 1):  4859.101 MB/s [   4634.0 IOPS] <  1709.40 us>";
        assert!(marked.contains(&format!("{line} ▲ ▼\n")) && all.contains(&format!("{line}\n")), "{marked}");
        assert_eq!(marked.matches('▲').count(), 3, "one figure, and the words of the mark twice: {marked}");
        assert!(!all.contains('▲'), "{all}");
    }

    /// Pasted text must not make a lower bound look like the drive's maximum.
    #[test]
    fn lower_bounds_are_marked_behind_their_line() {
        let run = corners();
        let mut analysis = drivelab_analysis::analyse(&run);
        let of_step = |id: &drivelab_core::ids::StepId| id.slug() == "seq-1m-q8t1-read";
        let rates = |metric: &&mut Metric| metric.id == "total.throughput" && metric.step.as_ref().is_some_and(of_step);
        analysis.metrics.iter_mut().filter(rates).for_each(|metric| metric.lower_bound = true);
        let marked = text(&ReportInput { records: &run, analysis: &analysis }).expect("a text");
        let line = "  SEQ    1MiB (Q=  8, T= 1):  4859.101 MB/s [   4634.0 IOPS] <  1709.40 us>";
        assert!(marked.contains(&format!("{line} ≥\n")), "{marked}");
        assert_eq!(marked.matches('≥').count(), 2, "one figure, and the words of the mark: {marked}");
    }

    #[test]
    fn other_methodologies_are_refused_and_what_was_not_reached_has_dashes() {
        let error = text_of(&sample_run()).expect_err("another methodology");
        assert!(error.to_string().contains("crystaldiskmark"), "{error}");
        let mut run = corners();
        run.steps.retain(|record| record.key.step.slug() != "seq-1m-q8t1-read");
        let text = text_of(&run).expect("a text");
        assert!(
            text.contains("  SEQ    1MiB (Q=  8, T= 1):         - MB/s [        - IOPS] <        - us>\n"),
            "{text}"
        );
    }
}
