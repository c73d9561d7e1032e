//! below.sh: if other programs load the disk below a stack, every figure is marked with the direction in which it is
//! wrong; alone, no figure is marked.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::vm::results::Results;

/// drivelab's measurements, each with a disk below that was loaded.
const STACKS: [&str; 4] = ["luks", "lvm", "multipath", "md"];
/// The disk that `dd` read.
const DISK: &str = "nullb0";
/// The code of a mark.
const OTHERS: &str = "others_used_disk";
/// Minimum number of rates (operations and bytes) and latencies (mean, median, longest) of a step of reads.
const LEAST: [usize; 2] = [2, 3];

/// Checks the results of below.sh.
pub(crate) fn check(results: &Results) -> Result<Vec<String>> {
    let mut told = Vec::new();
    for stack in STACKS {
        let about = |what: &str| format!("{stack}, {what}");
        unmarked(&results.json(&format!("{stack}.alone"))?, &results.json(&format!("{stack}.alone.report"))?)
            .with_context(|| about("alone"))?;
        paced(&results.json(&format!("{stack}.beside"))?).with_context(|| about("at a rate beside dd"))?;
        let [rates, latencies] =
            marked(&results.json(&format!("{stack}.full.report"))?).with_context(|| about("beside dd"))?;
        told.push(format!("{stack}: {rates} rates too low and {latencies} latencies too high; alone no mark"));
    }
    Ok(told)
}

/// Demands that nothing in a result or in the report of the same run is marked.
fn unmarked(result: &Value, report: &Value) -> Result<()> {
    ensure!(result.pointer("/spoiled_by") == Some(&Value::Array(Vec::new())), "marked: {}", said(result));
    for way in ["/wrong/rates", "/wrong/times"] {
        ensure!(result.pointer(way) == Some(&Value::Null), "{way} is {:?}", result.pointer(way));
    }
    let metrics = metrics(report)?;
    for metric in &metrics {
        let none = metric.pointer("/spoiled_by") == Some(&Value::Array(Vec::new())) && metric.get("wrong").is_none();
        ensure!(none, "a mark where nobody else was: {metric}");
    }
    Ok(())
}

/// Demands that the result of a load at a rate is marked and names the disk. Latencies are too high; the rate is as
/// requested, or too low.
fn paced(result: &Value) -> Result<()> {
    ensure!(result.pointer("/spoiled_by") == Some(&behind()), "no mark: {}", said(result));
    ensure!(result.pointer("/wrong/times") == Some(&"too_high".into()), "times: {:?}", result.pointer("/wrong"));
    let rates = result.pointer("/wrong/rates").context("nothing is said of rates")?;
    ensure!(rates.is_null() || *rates == "too_low", "rates are {rates}");
    names_the_disk(result)
}

/// Demands that each figure of the step is marked as disturbed by other programs, with the direction in which it is
/// wrong; returns how many rates and latencies there are.
fn marked(report: &Value) -> Result<[usize; 2]> {
    let mut seen = [0, 0];
    for metric in metrics(report)? {
        ensure!(metric.pointer("/spoiled_by") == Some(&behind()), "no mark: {metric}");
        let id = metric.pointer("/id").and_then(Value::as_str).context("a metric without a name")?;
        let way =
            metric.pointer("/wrong").and_then(Value::as_str).with_context(|| format!("no direction: {metric}"))?;
        let name = id.rsplit('.').next().unwrap_or(id);
        let wanted = match name {
            "iops" | "throughput" | "achieved_iops" => Some((0, "too_low")),
            _ if name.starts_with("latency_") || name.starts_with("response_") => Some((1, "too_high")),
            _ => None,
        };
        if let Some((which, wanted)) = wanted {
            ensure!(way == wanted, "{id} is {way}, not {wanted}");
            seen[which] += 1;
        }
    }
    let enough = seen.iter().zip(LEAST).all(|(seen, least)| *seen >= least);
    ensure!(enough, "{seen:?} rates and latencies have a value, and at least {LEAST:?} must");
    names_the_disk(report)?;
    Ok(seen)
}

fn names_the_disk(document: &Value) -> Result<()> {
    let findings = document.pointer("/findings").and_then(Value::as_array).context("no findings")?;
    let finding = findings.iter().find(|finding| finding.pointer("/code") == Some(&OTHERS.into()));
    let evidence = finding.and_then(|finding| finding.pointer("/evidence")?.as_array());
    let evidence = evidence.with_context(|| format!("no finding {OTHERS} with evidence"))?;
    let what = |one: &Value| one.pointer("/what").and_then(Value::as_str).map(str::to_owned);
    let named: Vec<String> =
        evidence.iter().filter_map(what).filter(|what| what.starts_with("other bytes on ")).collect();
    let is_named = named.iter().any(|what| what.split(' ').any(|word| word == DISK));
    ensure!(is_named, "{DISK} is not among the disks that others used: {named:?}");
    Ok(())
}

/// The metrics of steps that have a value.
fn metrics(report: &Value) -> Result<Vec<&Value>> {
    let all = report.pointer("/metrics").and_then(Value::as_array).context("no metrics")?;
    let of_step = |metric: &&Value| {
        let (step, value) = (metric.pointer("/step"), metric.pointer("/value"));
        step.is_some_and(Value::is_string) && value.is_some_and(Value::is_number)
    };
    let found: Vec<&Value> = all.iter().filter(of_step).collect();
    ensure!(!found.is_empty(), "no metric of a step has a value");
    Ok(found)
}

/// The content of a mark here, and nothing else.
fn behind() -> Value {
    Value::Array(vec![OTHERS.into()])
}

fn said(result: &Value) -> String {
    format!("{:?}, {:?}", result.pointer("/spoiled_by"), result.pointer("/findings"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn metric(id: &str, spoiled_by: &[&str], wrong: Option<&str>) -> Value {
        let mut metric = json!({ "id": id, "step": "load/one", "value": 1.0, "spoiled_by": spoiled_by });
        if let Some(wrong) = wrong {
            metric["wrong"] = wrong.into();
        }
        metric
    }

    fn report(metrics: &[Value], disk: &str) -> Value {
        let evidence = json!([{ "what": format!("other bytes on {disk}") }]);
        json!({ "metrics": metrics, "findings": [{ "code": OTHERS, "evidence": evidence }] })
    }

    /// The expected result.
    fn all() -> Vec<Value> {
        let rates = ["read.iops", "read.throughput", "total.iops"].map(|id| metric(id, &[OTHERS], Some("too_low")));
        let times = ["read.latency_mean", "read.latency_p50", "read.latency_max"];
        let mut all: Vec<Value> = rates.into();
        all.extend(times.map(|id| metric(id, &[OTHERS], Some("too_high"))));
        all.push(metric("in_flight_mean", &[OTHERS], Some("either_way")));
        all
    }

    #[test]
    fn a_figure_without_its_mark_or_with_the_other_direction_is_found() {
        assert_eq!(marked(&report(&all(), "nullb0 and nullb1")).expect("as it must be"), [3, 3]);
        for (at, other) in [
            (0, metric("read.iops", &[], None)),
            (1, metric("read.throughput", &[OTHERS], Some("too_high"))),
            (3, metric("read.latency_mean", &[OTHERS], Some("too_low"))),
            (4, metric("read.latency_p50", &["others_perhaps"], Some("too_high"))),
            (6, metric("in_flight_mean", &[OTHERS], None)),
        ] {
            let mut changed = all();
            changed[at] = other;
            marked(&report(&changed, DISK)).expect_err("one figure is not as it must be");
        }
        marked(&report(&all(), "nullb1")).expect_err("another disk");
        marked(&report(&all(), "nullb01")).expect_err("another disk whose name begins so");
        marked(&report(&all()[..4], DISK)).expect_err("too few latencies");
        // The finding alone is not a mark.
        let bare: Vec<Value> = all().iter().map(|one| metric(one["id"].as_str().expect("an id"), &[], None)).collect();
        marked(&report(&bare, DISK)).expect_err("no mark at all");
    }

    #[test]
    fn a_mark_where_nobody_else_was_is_found() {
        let none = json!({ "spoiled_by": [], "wrong": { "rates": null, "times": null } });
        let quiet = report(&[metric("read.iops", &[], None)], DISK);
        unmarked(&none, &quiet).expect("as it must be");
        unmarked(&none, &report(&all(), DISK)).expect_err("figures with a mark");
        let one = json!({ "spoiled_by": [OTHERS], "wrong": { "rates": null, "times": "too_high" } });
        unmarked(&one, &quiet).expect_err("a result with a mark");
    }

    #[test]
    fn a_load_that_kept_its_rate_has_latencies_that_are_too_high() {
        let with = |rates: Value, times: &str| {
            let mut result = report(&[], DISK);
            result["spoiled_by"] = behind();
            result["wrong"] = json!({ "rates": rates, "times": times });
            result
        };
        paced(&with(Value::Null, "too_high")).expect("it kept its rate");
        paced(&with("too_low".into(), "too_high")).expect("it did not");
        paced(&with("either_way".into(), "too_high")).expect_err("rates are never that");
        paced(&with(Value::Null, "too_low")).expect_err("the other direction");
    }
}
