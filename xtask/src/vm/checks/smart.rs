//! smart.sh: changes made to a drive are in the recorded series at the right time, and its constant temperature is
//! noticed. The drive's pages are in the run's bundle as they came.

use anyhow::{Context, Result, bail, ensure};
use serde_json::Value;

use crate::vm::results::Results;

/// Bits of the critical warning (NVMe Base Specification, SMART / Health log, byte 0).
const HOT: u64 = 0b10;
const UNRELIABLE: u64 = 0b100;

/// Readings come four times a second. A change may be seen this much before its note was written (the drive is read
/// while the shell still looks at its clock). How long after depends on when the host gets to it, but it is before the
/// next change, three seconds later.
const EARLY_S: f64 = 0.5;

/// The drive's first answers: page, place of the bytes (NVMe Base Specification, Identify Controller and SMART /
/// Health log), the bytes. From QEMU's argument (`serial=WARM-0`), its own name (hw/nvme/ctrl.c), and its temperature
/// of 323 K.
const IN_PAGES: [(&str, usize, &[u8]); 3] = [
    ("nvme identify controller", 4, b"WARM-0              "),
    ("nvme identify controller", 24, b"QEMU NVMe Ctrl                          "),
    ("nvme SMART log", 1, &[0x43, 0x01]),
];

/// A reading of the critical warning: seconds on the run clock, bits.
type Reading = (f64, u64);

/// Checks the results of smart.sh.
pub(crate) fn check(results: &Results) -> Result<Vec<String>> {
    let events = events(&results.text("events.out")?)?;
    let pages = kept_pages(&events, &results.json("pages.out")?)?;
    let begun = events.iter().filter(|event| event.pointer("/event/step_started").is_some()).find_map(at_s);
    let begun = begun.context("no step began")?;
    let happened = results.text("happened")?;
    let step = noted(&happened, "step")?;
    let changes = [("warned", UNRELIABLE), ("hot", UNRELIABLE | HOT), ("cleared", 0)];
    let times = changes.iter().map(|(name, bits)| Ok((begun + noted(&happened, name)? - step, *bits)));
    let times: Vec<Reading> = times.collect::<Result<_>>()?;
    let readings = warnings(&events)?;
    let told = held(&readings, &times)?;
    let found = found_out(&results.json("show.out")?)?;
    let refused = results.text("refused.said")?;
    let code = results.text("refused.code")?;
    ensure!(code == "6" && refused.contains("does not measure its power"), "--power-log: exit {code}, said {refused}");
    Ok(vec![format!("{} readings of the critical warning; {told}", readings.len()), found, pages])
}

/// The pages in the bundle's record of the run's beginning: all pages that `show` gets from the drive, with the bytes
/// that follow from QEMU's arguments, and constant bytes exactly as `show` got them.
fn kept_pages(events: &[Value], shown: &Value) -> Result<String> {
    let probe = events.iter().find_map(|event| event.pointer("/event/run_started/environment/probe"));
    let kept = pages(probe.and_then(|probe| probe.pointer("/raw")))?;
    let asked = pages(shown.pointer("/target/raw"))?;
    let names = |pages: &[(String, Vec<u8>)]| pages.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    ensure!(names(&kept) == names(&asked), "kept are {:?}, `show` has {:?}", names(&kept), names(&asked));
    for (name, at, bytes) in IN_PAGES {
        let page = kept.iter().find(|(kept, _)| kept == name).map(|(_, page)| page);
        let page = page.with_context(|| format!("the bundle has no page `{name}`, but {:?}", names(&kept)))?;
        let found = page.get(at..at + bytes.len());
        ensure!(found == Some(bytes), "`{name}` has {found:02x?} from byte {at} on, not {bytes:02x?}");
    }
    let identify = |pages: &[(String, Vec<u8>)]| {
        pages.iter().filter(|(name, _)| name.starts_with("nvme identify ")).cloned().collect::<Vec<_>>()
    };
    ensure!(identify(&kept) == identify(&asked) && identify(&kept).len() >= 2, "Identify as kept is not as shown");
    Ok(format!("{} pages of the drive in the bundle", kept.len()))
}

/// Names and bytes of recorded pages; trailing zeros, which are left out in the record, are added again.
fn pages(raw: Option<&Value>) -> Result<Vec<(String, Vec<u8>)>> {
    let raw = raw.and_then(Value::as_array).context("no pages were recorded")?;
    let page = |page: &Value| {
        let text = |key: &str| page.get(key).and_then(Value::as_str);
        let (name, hex) = text("name").zip(text("hex")).with_context(|| format!("no page: {page}"))?;
        let length = page.get("length").and_then(Value::as_u64).context("a page without a length")?;
        let digits = hex.as_bytes().chunks(2).map(|pair| Ok(u8::from_str_radix(std::str::from_utf8(pair)?, 16)?));
        let mut bytes: Vec<u8> = digits.collect::<Result<_>>().with_context(|| format!("{name} is no hexadecimal"))?;
        bytes.resize(usize::try_from(length)?, 0);
        Ok((name.to_owned(), bytes))
    };
    raw.iter().map(page).collect()
}

/// The finding that the drive's temperature did not move while the thermometer's did, and no other finding about its
/// series.
fn found_out(shown: &Value) -> Result<String> {
    let findings = shown.pointer("/findings").and_then(Value::as_array).context("a result without findings")?;
    let code = |finding: &&Value, code: &str| finding.pointer("/code").and_then(Value::as_str) == Some(code);
    let stuck = findings.iter().find(|finding| code(finding, "stuck_sensor"));
    let stuck = stuck.with_context(|| format!("a temperature that never moves was not found: {findings:?}"))?;
    let statement = stuck.pointer("/statement").and_then(Value::as_str).unwrap_or_default();
    ensure!(statement.contains("composite (smart:nvme0n1) at 50 °C"), "{statement}");
    for wrong in ["jumping_temperature", "hot_not_flagged", "counter_went_back", "counter_stands_still"] {
        ensure!(!findings.iter().any(|finding| code(&finding, wrong)), "{wrong}, and it is not so: {findings:?}");
    }
    Ok(format!("found: {statement}"))
}

/// Demands that the readings follow the changes: each is seen before the next one is made, and no others are.
fn held(readings: &[Reading], changes: &[Reading]) -> Result<String> {
    let mut bits = 0;
    let mut told = Vec::new();
    let mut rest = readings;
    for (number, (time, next)) in changes.iter().enumerate() {
        let at = rest.iter().position(|(_, seen)| *seen != bits).context("a change that was made is in no reading")?;
        let (seen_at, seen) = rest[at];
        ensure!(seen == *next, "bits {seen:#b} at {seen_at:.2} s, and {next:#b} was set at {time:.2} s");
        let until = changes.get(number + 1).map_or(f64::INFINITY, |(after, _)| *after);
        ensure!(
            seen_at >= time - EARLY_S && seen_at < until,
            "bits {next:#b} were set at {time:.2} s and seen at {seen_at:.2} s"
        );
        told.push(format!("{next:#b} seen {:+.2} s after it was set", seen_at - time));
        (bits, rest) = (*next, &rest[at..]);
    }
    ensure!(rest.iter().all(|(_, seen)| *seen == bits), "the bits changed once more after the last change");
    Ok(told.join(", "))
}

/// Events, one JSON document per line.
fn events(text: &str) -> Result<Vec<Value>> {
    text.lines().map(|line| serde_json::from_str(line).with_context(|| format!("no event: {line}"))).collect()
}

fn at_s(event: &Value) -> Option<f64> {
    Some(event.pointer("/at_ns")?.as_f64()? / 1e9)
}

/// When something happened by the guest's clock, in seconds.
fn noted(text: &str, name: &str) -> Result<f64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    let ns: f64 = line.with_context(|| format!("nothing is noted of `{name}`"))?.trim().parse().context("a time")?;
    Ok(ns / 1e9)
}

/// The series of the critical warning, from all batches.
fn warnings(events: &[Value]) -> Result<Vec<Reading>> {
    let (source, series) = place(events)?;
    let mut readings = Vec::new();
    for batch in events.iter().filter_map(|event| event.pointer("/event/telemetry/sources")?.as_array()) {
        let of_drive = batch.iter().filter(|one| one.pointer("/source").and_then(Value::as_u64) == Some(source));
        for sample in of_drive.filter_map(|one| one.pointer("/samples")?.as_array()).flatten() {
            let bits = sample.pointer(&format!("/values/{series}")).and_then(Value::as_f64);
            let (Some(at), Some(bits)) = (at_s(sample), bits) else { bail!("an odd sample: {sample}") };
            readings.push((at, bits as u64));
        }
    }
    readings.sort_by(|a, b| a.0.total_cmp(&b.0));
    Ok(readings)
}

/// The source and the series of the critical warning.
fn place(events: &[Value]) -> Result<(u64, usize)> {
    let described = events.iter().find_map(|event| event.pointer("/event/telemetry_described/sources")?.as_array());
    let sources = described.context("no series were recorded")?;
    for (number, source) in sources.iter().enumerate() {
        if source.pointer("/kind").and_then(Value::as_str) != Some("smart") {
            continue;
        }
        let series = source.pointer("/series").and_then(Value::as_array).context("a source without series")?;
        let is_warning = |one: &Value| one.pointer("/quantity").and_then(Value::as_str) == Some("warning_bits");
        return Ok((number as u64, series.iter().position(is_warning).context("SMART without a critical warning")?));
    }
    bail!("the drive's SMART log is not among the sources: {sources:?}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const CHANGES: [Reading; 3] = [(3.0, 4), (6.0, 6), (9.0, 0)];

    #[test]
    fn a_change_is_seen_before_the_next_one_or_found_missing() {
        let readings = |bits: [u64; 4]| {
            let at = |step: u32| f64::from(step) * 0.25;
            let phase = |time: f64| bits[CHANGES.iter().filter(|(change, _)| *change <= time).count()];
            (0..48).map(|step| (at(step), phase(at(step)))).collect::<Vec<Reading>>()
        };
        held(&readings([0, 4, 6, 0]), &CHANGES).expect("as it was");
        held(&readings([0, 4, 4, 0]), &CHANGES).expect_err("a bit is missing");
        held(&readings([0, 4, 6, 6]), &CHANGES).expect_err("it never ended");
        let moved =
            |by: f64| readings([0, 4, 6, 0]).iter().map(|(at, bits)| (at + by, *bits)).collect::<Vec<Reading>>();
        held(&moved(1.5), &CHANGES).expect("a host that was late");
        held(&moved(3.0), &CHANGES).expect_err("not before the next change");
        held(&moved(-0.6), &CHANGES).expect_err("before it was made");
    }

    #[test]
    fn pages_are_looked_for_in_the_record_of_the_runs_beginning() {
        let page = |name: &str, at: usize, bytes: &[u8]| {
            let hex: String = vec![0; at].iter().chain(bytes).map(|byte| format!("{byte:02x}")).collect();
            json!({"name": name, "hex": hex, "length": 4096})
        };
        let mut named = [b' '; 60];
        named[..6].copy_from_slice(b"WARM-0");
        named[20..34].copy_from_slice(b"QEMU NVMe Ctrl");
        let all = |named: &[u8], kelvin: u8| {
            let (controller, smart) = ("nvme identify controller", "nvme SMART log");
            let space = page("nvme identify namespace 1", 0, &[8]);
            json!([page(controller, 4, named), page(smart, 1, &[kelvin, 1]), space])
        };
        let begin = |raw: &Value| vec![json!({"event": {"run_started": {"environment": {"probe": {"raw": raw}}}}})];
        let whole = all(&named, 0x43);
        let shown = json!({"target": {"raw": whole}});
        kept_pages(&begin(&whole), &shown).expect("as it was");
        kept_pages(&begin(&all(&named, 0x44)), &shown).expect_err("another temperature");
        kept_pages(&begin(&all(&named[1..], 0x43)), &shown).expect_err("another serial number");
        kept_pages(&begin(&json!([])), &shown).expect_err("no page");
        kept_pages(&[], &shown).expect_err("no record");
    }

    #[test]
    fn series_are_found_in_events() {
        let text = "{\"at_ns\":1000000000,\"event\":{\"step_started\":{}}}\n\
            {\"event\":{\"telemetry_described\":{\"sources\":[{\"kind\":\"cpu\",\"series\":[]},{\"kind\":\"smart\",\
            \"series\":[{\"quantity\":\"temperature\"},{\"quantity\":\"warning_bits\"}]}]}}}\n\
            {\"event\":{\"telemetry\":{\"sources\":[{\"source\":0,\"samples\":[]},\
            {\"source\":1,\"samples\":[{\"at_ns\":2000000000,\"values\":[50.0,4.0]}]}]}}}";
        assert_eq!(warnings(&events(text).expect("events")).expect("a series"), [(2.0, 4)]);
        assert_eq!(noted("step 5\nhot 7000000000", "hot").expect("noted"), 7.0);
    }
}
