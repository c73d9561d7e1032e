//! How many drives deliver a rate that somebody needs: need over the rate of one, rounded up (research notes, methods
//! section 9). Of each step that only reads: alone where that was measured, else with the others.
//!
//! Owns the arithmetic and its sentence. Must not know who needs the rate: that stands in the methodology
//! (`feed_rate`).

use drivelab_core::environment::LinkFacts;
use drivelab_core::finding::{Finding, Severity};
use drivelab_core::group::{MethodDrives, letter};
use drivelab_core::ids::StepId;
use drivelab_core::load::OpKind;
use drivelab_core::metric::Wrong;
use drivelab_core::plan::StepRole;
use drivelab_core::run::RunRecords;
use schemars::JsonSchema;
use serde::Serialize;

use super::share::StepTogether;
use crate::analysis::Analysis;
use crate::evidence::{Words, evidence};

/// Bytes of a MB.
const MB: f64 = 1e6;

/// How many drives deliver what is needed.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Feed {
    /// What is needed, MB/s.
    pub need_mb_s: f64,
    /// What the one link of who needs it carries at most, MB/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_mb_s: Option<f64>,
    /// Whether more is needed than that link carries: then no number of drives is enough over it.
    pub more_than_the_link: bool,
    /// Each step that only reads.
    pub steps: Vec<FeedStep>,
}

/// How many drives it takes at the rates of one step.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FeedStep {
    /// The step.
    pub step: StepId,
    /// Its label.
    pub label: String,
    /// One entry a drive.
    pub drives: Vec<FeedDrive>,
    /// What all drives delivered at once, MB/s.
    pub together_mb_s: Option<f64>,
    /// How many drives like these it takes where each delivers what it does beside the others.
    pub drives_together: Option<u64>,
    /// The host, not the drives, was the limit of the rate together: more drives may deliver no more.
    pub host_limited: bool,
    /// Other programs used the disk of a drive meanwhile: fewer drives may do.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub spoiled: bool,
}

/// A drive that feeds.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct FeedDrive {
    /// A, B, C.
    pub letter: String,
    /// Its rate, MB/s.
    pub mb_s: Option<f64>,
    /// The host was the limit of it.
    pub at_least: bool,
    /// Other programs used its disk meanwhile: fewer of it may do.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub spoiled: bool,
    /// How many of it deliver what is needed.
    pub drives: Option<u64>,
    /// The link that it has, such as `PCIe 4.0 x4`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// Lanes that so many of it take.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lanes: Option<u64>,
}

/// The need over the rate of one, rounded up; `None` without a rate.
#[must_use]
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "both rates are above zero")]
pub fn drives_needed(need: f64, of_one: f64) -> Option<u64> {
    (need > 0.0 && of_one > 0.0).then(|| (need / of_one).ceil() as u64)
}

#[expect(clippy::cast_precision_loss, reason = "rates stay below 2^53 bytes per second")]
fn asked(drives: &MethodDrives) -> Option<Feed> {
    let need_mb_s = drives.feed_rate? as f64 / MB;
    let link_mb_s = drives.feed_link.map(|link| link as f64 / MB);
    let more_than_the_link = link_mb_s.is_some_and(|link| link < need_mb_s);
    Some(Feed { need_mb_s, link_mb_s, more_than_the_link, steps: Vec::new() })
}

/// The link of the drive that a run was on.
pub(super) fn link_of(records: &RunRecords) -> Option<&LinkFacts> {
    records.environment.target.devices.iter().find_map(|device| device.link.as_ref())
}

/// Lanes that so many drives with such a link take.
fn lanes(drives: Option<u64>, link: Option<&LinkFacts>) -> Option<u64> {
    drives?.checked_mul(u64::from(link?.lanes()?))
}

/// What a group of drives feeds; with the link of each, where it is known.
pub(super) fn of_group(
    drives: Option<&MethodDrives>,
    steps: &[StepTogether],
    links: &[Option<&LinkFacts>],
) -> Option<Feed> {
    let feed = asked(drives?)?;
    let need = feed.need_mb_s;
    let step = |step: &StepTogether| {
        let one = |(index, share): (usize, &crate::across::together::Share)| {
            let (mb_s, at_least, spoiled) = match share.alone_mb_s {
                Some(alone) => (Some(alone), share.alone_at_least, share.alone_spoiled),
                None => (share.together_mb_s, share.together_at_least, share.together_spoiled),
            };
            let drives = mb_s.and_then(|rate| drives_needed(need, rate));
            let link = links.get(index).copied().flatten();
            FeedDrive {
                letter: letter(index),
                mb_s,
                at_least,
                spoiled,
                drives,
                link: link.map(|link| link.negotiated.clone()),
                lanes: lanes(drives, link),
            }
        };
        let each = step.total.together_mb_s.map(|total| total / step.drives.len().max(1) as f64);
        FeedStep {
            step: step.step.clone(),
            label: step.label.clone(),
            drives: step.drives.iter().enumerate().map(one).collect(),
            together_mb_s: step.total.together_mb_s,
            drives_together: each.and_then(|each| drives_needed(need, each)),
            host_limited: step.total.together_at_least,
            spoiled: step.total.together_spoiled,
        }
    };
    let reads = steps.iter().filter(|step| step.metric == "read.throughput");
    Some(Feed { steps: reads.map(step).collect(), ..feed })
}

/// The finding of a single run whose methodology asks for it: how many drives like this one.
pub(crate) fn of_run(records: &RunRecords, analysis: &Analysis) -> Option<Finding> {
    let feed = asked(records.plan.drives.as_ref()?)?;
    let steps = records.plan.steps().filter(|step| step.role == StepRole::Measure);
    let reads = steps.filter(|step| {
        let load = step.workload();
        load.is_some_and(|load| load.issues(OpKind::Read) && !load.issues(OpKind::Write))
    });
    let mut said = Vec::new();
    let mut found = Vec::new();
    for step in reads {
        let Some(metric) = analysis.step_metric(&step.id, "read.throughput") else { continue };
        let Some((rate, drives)) = metric.value.and_then(|rate| Some((rate, drives_needed(feed.need_mb_s, rate)?)))
        else {
            continue;
        };
        let at_least = if metric.lower_bound { "at most " } else { "" };
        let lanes = lanes(Some(drives), link_of(records)).map(|lanes| format!("{lanes} PCIe lanes"));
        let (mark, disturbed) = marked(metric.wrong);
        let beside: Vec<String> = lanes.into_iter().chain(disturbed.map(str::to_owned)).collect();
        let beside = if beside.is_empty() { String::new() } else { format!(" ({})", beside.join("; ")) };
        said.push(format!("{at_least}{drives}{mark}{beside} by {}", step.label));
        found.push(evidence(&step.label, rate, None, "MB/s"));
    }
    (!said.is_empty()).then(|| sentence(&feed, &said).about_run(found))
}

/// The mark of a count by a disturbed rate, which is too high where the rate is too low, and what it says.
const fn marked(rate: Option<Wrong>) -> (&'static str, Option<&'static str>) {
    match rate {
        None => ("", None),
        Some(Wrong::TooLow) => (" ▼", Some("other programs used the disk: fewer may be enough")),
        Some(Wrong::TooHigh) => (" ▲", Some("other programs used the disk: more may be needed")),
        Some(Wrong::EitherWay) => (" ◆", Some("other programs may have used the disk")),
    }
}

fn sentence(feed: &Feed, said: &[String]) -> Words<'static> {
    let link = match feed.link_mb_s {
        Some(link) if feed.more_than_the_link => format!(
            " One link carries at most {:.1} GB/s, which is less: no number of drives is enough over one link.",
            link / 1e3
        ),
        _ => String::new(),
    };
    let statement = format!(
        "Drives like this one needed for {:.1} GB/s, if the host can carry them all: {}.{link}",
        feed.need_mb_s / 1e3,
        said.join(", ")
    );
    let cause = "The rate needed is stated by the methodology. It is divided by the measured rate and rounded up.";
    let action =
        "Name all drives in one run to see what they deliver at once: the host's links, lanes and CPUs limit it too.";
    Words { code: "drives_that_feed", severity: Severity::Note, statement, cause, action }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::across::together::Share;

    #[test]
    fn drives_are_need_over_rate_rounded_up() {
        // The review's: 64 / 6.8 = 9.41, 64 / 13.7 = 4.67; measured 64 / 13.283 = 4.82.
        assert_eq!(drives_needed(64.0, 6.8), Some(10));
        assert_eq!(drives_needed(64.0, 13.7), Some(5));
        assert_eq!(drives_needed(64.0, 13.283), Some(5));
        assert_eq!(drives_needed(64.0, 32.0), Some(2), "two are exactly enough");
        assert_eq!((drives_needed(64.0, 0.0), drives_needed(0.0, 5.0)), (None, None));
    }

    #[test]
    fn a_group_is_counted_alone_and_beside_each_other_and_the_link_is_named() {
        let share = |alone: f64, together: f64| Share {
            alone_mb_s: Some(alone),
            together_mb_s: Some(together),
            ..Share::default()
        };
        let step = |metric: &str| StepTogether {
            step: StepId::new("t", "s"),
            test: "T".to_owned(),
            label: "S".to_owned(),
            metric: metric.to_owned(),
            drives: vec![share(13_000.0, 8_000.0), share(7_000.0, 7_000.0)],
            total: Share { together_mb_s: Some(15_000.0), together_at_least: true, ..Share::default() },
            apart: false,
            cpu: None,
            cpu_alone: Vec::new(),
        };
        let asks = MethodDrives {
            feed_rate: Some(64_000_000_000),
            feed_link: Some(63_000_000_000),
            ..MethodDrives::default()
        };
        let link =
            |lanes: &str| LinkFacts { negotiated: format!("PCIe 5.0 {lanes}"), possible: None, bytes_per_second: None };
        let links = [link("x4"), link("x2")];
        let both = [step("read.throughput"), step("write.throughput")];
        let feed = of_group(Some(&asks), &both, &[Some(&links[0]), Some(&links[1])]).expect("a need");
        let lanes: Vec<Option<u64>> = feed.steps[0].drives.iter().map(|drive| drive.lanes).collect();
        assert_eq!(lanes, [Some(20), Some(20)], "five of four lanes, ten of two");
        assert_eq!(of_group(Some(&asks), &both, &[]).expect("a need").steps[0].drives[0].lanes, None);
        assert_eq!((feed.need_mb_s, feed.more_than_the_link, feed.steps.len()), (64_000.0, true, 1));
        let drives: Vec<Option<u64>> = feed.steps[0].drives.iter().map(|drive| drive.drives).collect();
        assert_eq!(drives, [Some(5), Some(10)], "64 / 13 = 4.92, 64 / 7 = 9.14");
        // Beside each other each delivers 7,500: 64,000 / 7,500 = 8.53.
        assert_eq!((feed.steps[0].drives_together, feed.steps[0].host_limited), (Some(9), true));
        assert!(!feed.steps[0].spoiled && feed.steps[0].drives.iter().all(|drive| !drive.spoiled));
        assert!(
            !of_group(Some(&MethodDrives { feed_link: None, ..asks }), &[], &[]).expect("a need").more_than_the_link
        );
        assert_eq!(of_group(Some(&MethodDrives::default()), &[], &[]), None);
    }

    #[test]
    fn other_programs_on_the_disk_are_not_the_hosts_limit() {
        let share = |alone_mb_s: Option<f64>| Share { alone_mb_s, together_mb_s: Some(5_000.0), ..Share::default() };
        let asks = MethodDrives { feed_rate: Some(64_000_000_000), ..MethodDrives::default() };
        let of = |drives: Vec<Share>, total: Share| {
            let step = StepTogether {
                step: StepId::new("t", "s"),
                test: "T".to_owned(),
                label: "S".to_owned(),
                metric: "read.throughput".to_owned(),
                drives,
                total,
                apart: false,
                cpu: None,
                cpu_alone: Vec::new(),
            };
            let feed = of_group(Some(&asks), &[step], &[]).expect("a need").steps.remove(0);
            let drives: Vec<[bool; 2]> = feed.drives.iter().map(|drive| [drive.at_least, drive.spoiled]).collect();
            (drives, [feed.host_limited, feed.spoiled])
        };
        let alone = |at_least, spoiled| Share {
            alone_at_least: at_least,
            alone_spoiled: spoiled,
            // What happened beside the others is no matter of the rate alone.
            together_at_least: !at_least,
            together_spoiled: !spoiled,
            ..share(Some(9_000.0))
        };
        let together = Share { together_spoiled: true, ..share(None) };
        let total = Share { together_mb_s: Some(20_000.0), together_spoiled: true, ..Share::default() };
        let (drives, all) = of(vec![alone(false, true), alone(true, false), together], total);
        assert_eq!(drives, [[false, true], [true, false], [false, true]]);
        assert_eq!(all, [false, true]);
    }

    #[test]
    fn a_count_by_a_disturbed_rate_has_its_mark() {
        let mut run = drivelab_samples::sample_run();
        run.plan.drives = Some(MethodDrives { feed_rate: Some(64_000_000_000), ..MethodDrives::default() });
        let step = "corners/seq-1m-q8t1-read";
        let marks = |analysis: &Analysis| {
            let statement = of_run(&run, analysis).expect("the sample reads").statement;
            // The mark shows nowhere else.
            ['▼', '▲', '◆'].map(|mark| statement.matches(mark).count())
        };
        let mut analysis = crate::analyse(&run);
        assert_eq!(marks(&analysis), [0, 0, 0]);
        let metric = analysis.metrics.iter_mut().find(|one| one.address == format!("{step}:read.throughput"));
        metric.expect("the sample has it").wrong = Some(Wrong::TooLow);
        assert_eq!(marks(&analysis), [1, 0, 0]);
    }
}
