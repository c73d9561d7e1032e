//! methods*.sh: facts that methodologies report about NVMe drives match QEMU's drives and the script's meter, every
//! step was measured, and what such a drive lacks is reported.

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use crate::vm::results::{Results, number, within};

/// QEMU's drives always have 323 K.
const CELSIUS: f64 = 50.0;
/// The value that the scripts' meters report.
const WATTS: f64 = 5.0;
/// Queries of the temperature at idle that all-aboard makes.
const IDLE_QUERIES: usize = 7;
/// Loads of heat-soak: reads of 32, 64, 128 and 256 KiB, and writes.
const SOAKS: usize = 5;
/// Endurance of the drive of methods.sh, from the facts file in the script, in bytes.
const BEARS: f64 = 1_073_741_824.0;

/// Checks the results of methods.sh.
pub(crate) fn check(results: &Results) -> Result<Vec<String>> {
    let mut told = vec![asked(results)?];
    // A step of 8 MiB may end before it has a reading of its own, but not all of them may.
    for (name, steps) in [("power-states", 4), ("write-amplification", 6)] {
        told.push(watched(results, name, steps, 1)?);
    }
    let moments = judged(&document(results, "heat-soak")?, "heat-soak")?;
    ensure!(moments.len() == SOAKS, "heat-soak: {} measured steps", moments.len());
    let heated = document(results, "heated")?;
    told.push(seen("heat-soak, quick", &heated, &whole(&heated, "heat-soak", "quick")?, SOAKS, SOAKS)?);
    let sources = document(results, "heat-soak")?.pointer("/telemetry/sources").context("no sources")?.to_string();
    for source in ["power:adapter", "smart:nvme0n1"] {
        ensure!(sources.contains(source), "heat-soak was not watched by {source}");
    }
    let heat = document(results, "heat-soak")?;
    ensure!(says(&heat, "state_unmet", "temperature").is_err(), "heat-soak: the temperature was not found");
    says(&document(results, "power-states")?, "arms_left_out", "one power state")?;
    let media = document(results, "write-amplification")?;
    says(&media, "state_unmet", "no source counts what the drive writes to its media")?;
    told.push("one power state and no counter of media writes: said".to_owned());
    Ok(told)
}

/// Checks the results of methods_buyer.sh.
pub(crate) fn check_buyer(results: &Results) -> Result<Vec<String>> {
    let answered = results.json("buyer.out")?;
    for (question, evidence) in [
        ("healthy", "0 media errors"),
        ("healthy", "50 °C now"),
        ("link", "PCIe"),
        ("firmware", "slot 1"),
        ("use", "0 % of its endurance used, by its own counter"),
    ] {
        let mut answers = list(&answered, "/answers")?.iter();
        let answer = answers.find(|answer| answer.pointer("/question") == Some(&question.into()));
        let answer = answer.with_context(|| format!("no answer to {question}: {answered}"))?;
        let known = answer.pointer("/standing") == Some(&"good".into());
        ensure!(known && list(answer, "/evidence")?.iter().any(|one| one.to_string().contains(evidence)), "{answer}");
    }
    for (name, steps) in [("check", 27), ("genuine", 5)] {
        let measured = judged(&document(results, name)?, name)?;
        ensure!(measured.len() == steps, "{name}: {} measured steps", measured.len());
    }
    says(&document(results, "genuine")?, "smart_compared", "None of the drive's error counters rose")?;
    let mut told = vec!["check: health, link, firmware and use known; genuine: SMART before and after".to_owned()];
    told.push(watched(results, "data-sheet", 17, 10)?);
    let sheet = document(results, "data-sheet")?;
    ensure!(says(&sheet, "tests_left_out", "power").is_err(), "data-sheet: power was left out");
    let row =
        list(&sheet, "/data_sheet/rows")?.iter().find(|row| row.pointer("/figure") == Some(&"power_active".into()));
    let row = row.context("data-sheet: no row of power")?;
    within("data-sheet: printed power", number(row, "/printed")?, WATTS, 1e-9)?;
    within("data-sheet: measured power", number(row, "/measured")?, WATTS, 1e-6)?;
    told.push(watched(results, "anandtech-2018", 50, 30)?);
    let suite = document(results, "anandtech-2018")?;
    ensure!(says(&suite, "scores_not_measured", "").is_err(), "anandtech-2018: scores without a figure");
    told.push(format!("{} scores per watt, and power at rest", per_watt(&suite)?));
    let idle = document(results, "idle")?;
    ensure!(idle.pointer("/run/state") == Some(&"complete".into()), "the profile idle: {:?}", idle.pointer("/run"));
    within("power at rest", value(&idle, "power.rest").context("no power at rest")?, WATTS, 1e-6)?;
    value(&idle, "read.latency_mean").context("no latency of waking up")?;
    Ok(told)
}

/// Demands that power scores come from the meter, and that efficiency scores follow from them; returns how many of
/// these have a value. A score has none if one of its steps ended before it had a reading.
fn per_watt(suite: &Value) -> Result<usize> {
    let scores = list(suite, "/scores")?;
    let of = |name: &str| {
        let found = scores.iter().find(|score| score.pointer("/name") == Some(&name.into()));
        Ok::<Option<f64>, anyhow::Error>(found.with_context(|| format!("there is no score {name}"))?["value"].as_f64())
    };
    let names = scores.iter().filter_map(|score| score.pointer("/name")?.as_str()?.strip_suffix("-efficiency"));
    let (mut there, mut known) = (0, 0);
    for name in names {
        there += 1;
        let Some(power) = of(&format!("{name}-power"))? else { continue };
        within(&format!("{name}: power"), power, WATTS, 1e-6)?;
        let each = of(&format!("{name}-efficiency"))?.with_context(|| format!("{name}: nothing per watt"))?;
        let rate = of(name)?.with_context(|| format!("{name}: no rate"))?;
        within(&format!("{name}: per watt"), each, rate / WATTS, 1e-6)?;
        known += 1;
    }
    ensure!(there == 7 && known > 0, "anandtech-2018: {there} scores per watt, not 7; {known} have a value");
    Ok(known)
}

/// Checks the results of methods_steady.sh.
pub(crate) fn check_steady(results: &Results) -> Result<Vec<String>> {
    Ok(vec![watched(results, "snia-pts", 40, 10)?])
}

/// Demands that a smoke run was complete, and that at least this many of its steps have watts, all from the meter, and
/// some a temperature.
fn watched(results: &Results, name: &str, steps: usize, with_readings: usize) -> Result<String> {
    let document = document(results, name)?;
    seen(name, &document, &judged(&document, name)?, steps, with_readings)
}

fn seen(name: &str, document: &Value, measured: &[String], steps: usize, with_readings: usize) -> Result<String> {
    ensure!(measured.len() >= steps, "{name}: {} measured steps, not {steps}", measured.len());
    let (warm, powered) = (temperatures(document, measured)?, watts(document, measured)?);
    ensure!(powered >= with_readings, "{name}: {powered} of {} steps have watts", measured.len());
    ensure!(warm > 0, "{name}: none of {} steps has a temperature", measured.len());
    Ok(format!("{name}: {} steps, {warm} with a temperature, {powered} with watts", measured.len()))
}

/// Demands that the wear was asked about: either nobody was there to answer, so nothing was done, or the question was
/// answered with yes beforehand.
fn asked(results: &Results) -> Result<String> {
    for name in ["ask.run", "ask.arms"] {
        let (code, said) = (results.text(&format!("{name}.code"))?, results.text(&format!("{name}.said"))?);
        ensure!(code == "2", "{name}: exit code {code}; it said:\n{said}");
        for words in
            ["% of the rated 1 GiB (emulated, stated)", "there is no terminal to ask on", "Nothing was touched"]
        {
            ensure!(said.contains(words), "{name} does not say '{words}':\n{said}");
        }
    }
    for name in ["heat-soak", "power-states"] {
        let said = results.text(&format!("{name}.said"))?;
        ensure!(
            said.contains("The limit for writing without asking is 1 %"),
            "{name}: nothing is said of the wear:\n{said}"
        );
    }
    let dry = results.json("ask.dry.out")?;
    let wear = dry.pointer("/endurance").and_then(Value::as_str).unwrap_or_default();
    let written = number(&dry, "/estimated_written")?;
    let share = format!("about {:.3} %", 100.0 * written / BEARS);
    ensure!(wear.contains(&share), "the dry run says {wear:?} of {written} bytes, which are {share}");
    Ok(format!("writes of {share} of what the drive bears: asked first"))
}

/// Checks the results of methods_drives.sh.
pub(crate) fn check_drives(results: &Results) -> Result<Vec<String>> {
    let aboard = document(results, "all-aboard")?;
    let idle = each_drive(&aboard, "all-aboard", 2)?;
    ensure!(idle >= IDLE_QUERIES, "all-aboard: {idle} readings of a temperature at idle");
    let feed = document(results, "gpu-feed")?;
    each_drive(&feed, "gpu-feed", 3)?;
    for drive in list(&feed, "/drives")? {
        // Steps of a tenth of a second may be too far apart for a share, and then the document reports it.
        let Ok(kept) = number(drive, "/kept/median_percent") else {
            says(&feed, "drives_apart", "the drives did not work for the same time")?;
            continue;
        };
        ensure!((1.0..200.0).contains(&kept), "gpu-feed: a drive keeps {kept} % beside the other");
    }
    let mut fed = 0;
    for step in list(&feed, "/feed/steps")? {
        // A step whose figures are void (one of milliseconds may be) has no rate.
        for drive in list(step, "/drives")?.iter().filter(|drive| number(drive, "/mb_s").is_ok()) {
            let (rate, drives) = (number(drive, "/mb_s")?, number(drive, "/drives")?);
            let enough = rate * drives >= 64_000.0 && rate * (drives - 1.0) < 64_000.0;
            ensure!(enough, "gpu-feed: {drives} drives of {rate} MB/s for 64,000 MB/s");
            fed += 1;
        }
    }
    ensure!(fed > 0, "gpu-feed: no number of drives for any step: {feed}");
    let scaling = document(results, "capacity-scaling")?;
    let steps = list(&scaling, "/per_doubling")?;
    ensure!(steps.len() == 6, "capacity-scaling: {} steps", steps.len());
    let mut doubled = 0;
    for step in steps {
        let of = |at: usize, key: &str| number(step, &format!("/rates/{at}/{key}"));
        within("twice the capacity", of(1, "capacity")?, 2.0 * of(0, "capacity")?, 1e-9)?;
        if let (Ok(ratio), Ok(small), Ok(large)) = (number(step, "/ratio/value"), of(0, "mb_s"), of(1, "mb_s")) {
            within("the ratio per doubling", ratio, large / small, 1e-6)?;
            doubled += 1;
        }
    }
    ensure!(doubled > 0, "capacity-scaling: no ratio for any step");
    Ok(vec![
        format!("two drives: {idle} temperatures of each at idle, 2, 3 and 6 steps with those of their ends"),
        format!("{fed} numbers of drives for a rate, {doubled} ratios per doubling"),
    ])
}

/// Demands that each of two drives reported its temperature, its life and its interrupts at the end of each of this
/// many steps; returns the fewest readings at idle.
fn each_drive(document: &Value, name: &str, steps: usize) -> Result<usize> {
    let drives = list(document, "/health")?;
    ensure!(drives.len() == 2, "{name}: {} drives told of themselves", drives.len());
    let mut fewest = usize::MAX;
    for drive in drives {
        let idle = list(drive, "/idle_celsius")?;
        ensure!(idle.iter().all(|one| one.as_f64() == Some(CELSIUS)), "{name}: at idle {idle:?}");
        fewest = fewest.min(idle.len());
        let told = list(drive, "/steps")?;
        ensure!(told.len() == steps, "{name}: {} steps, not {steps}", told.len());
        for step in told {
            for (key, wanted) in [("celsius", CELSIUS), ("warning_bits", 0.0), ("warning_minutes", 0.0)] {
                let got = number(step, &format!("/{key}"))?;
                ensure!((got - wanted).abs() < 1e-9, "{name}: {key} is {got}, not {wanted}: {step}");
            }
            ensure!(number(step, "/interrupts_per_second")? > 0.0, "{name}: no interrupts: {step}");
        }
    }
    Ok(fewest)
}

/// Checks the results of methods_media.sh.
pub(crate) fn check_media(results: &Results) -> Result<Vec<String>> {
    let mut told = Vec::new();
    for (kind, log) in [("FDP", "FDP statistics"), ("OCP", "OCP log")] {
        let name = format!("methods.{kind}");
        let smoke = document(results, &name)?;
        let measured = judged(&smoke, "write-amplification")?;
        let placed = measured.iter().filter(|id| id.contains("-placed/") && id.contains("-handle-1")).count();
        ensure!((measured.len(), placed) == if kind == "FDP" { (8, 2) } else { (6, 0) }, "{kind}: {measured:?}");
        ensure!(errors(&smoke)? == 0.0, "{kind}: operations failed");
        let said = results.text(&format!("{name}.said"))? + &smoke.to_string();
        let left_out = "it needs 2 placement handles: nvme";
        ensure!(said.contains(left_out) == (kind == "OCP"), "{kind}: what is left out: {said}");
        let source = media_source(&smoke)?;
        let accuracy = source.pointer("/accuracy").and_then(Value::as_str).unwrap_or_default();
        ensure!(accuracy.contains(log), "{kind}: the counters are {accuracy}");
        ensure!(says(&smoke, "state_unmet", "nothing counts").is_err(), "{kind}: nothing counts its media writes");
        let [host, media] = rises(source)?;
        // To the byte, except for data units of 512,000 bytes in the case of OCP.
        let allowed = if kind == "FDP" { 1e-9 } else { 0.01 };
        within(&format!("{kind}: bytes that hosts wrote"), host, written(&smoke)?, allowed)?;
        ensure!(media >= 0.99 * host, "{kind}: {media} bytes to the media and {host} from hosts");
        let load = results.json(&format!("waf.{kind}.out"))?;
        let [host, media] = rises(media_source(&load)?)?;
        let waf = value(&load, "media.write_amplification").with_context(|| format!("{kind}: no figure: {load}"))?;
        within(&format!("{kind}: write amplification"), waf, media / host, 1e-3)?;
        // QEMU's FDP counts the remainder of an abandoned reclaim unit; its OCP log counts what hosts write.
        ensure!((0.98..2.1).contains(&waf), "{kind}: a write amplification of {waf}");
        told.push(format!("{kind}: {log}: {:.1} MB from hosts, write amplification {waf:.3}", host / 1e6));
    }
    told.extend(super::placed::check(results)?);
    Ok(told)
}

/// Operations of the measured steps that failed.
fn errors(document: &Value) -> Result<f64> {
    let mut all = 0.0;
    for one in list(document, "/steps")? {
        for round in one.pointer("/rounds").and_then(Value::as_array).into_iter().flatten() {
            let of = |at: &str| round.pointer(at).and_then(Value::as_f64).unwrap_or(0.0);
            all += of("/read/errors") + of("/write/errors");
        }
    }
    Ok(all)
}

/// The test of write-amplification that reads a namespace other than the one that it writes.
const READS_ELSEWHERE: &str = "reads-of-another-namespace";
/// Bytes that may be read of it beside the load: opening it reads a few blocks.
const OPENING: f64 = 1_048_576.0;

/// Checks the results of methods_namespaces.sh.
pub(crate) fn check_namespaces(results: &Results) -> Result<Vec<String>> {
    let beside = results.text("beside")?;
    let name = beside.trim();
    let remarks = results.json("dry.out")?.pointer("/remarks").context("no remarks in the dry run")?.to_string();
    for said in [&remarks, &results.text("plan.out")?] {
        ensure!(said.contains(&format!("/dev/{name} (namespace 7)")), "nobody says that {name} is read: {said}");
    }
    let smoke = document(results, "namespaces")?;
    let measured = judged(&smoke, "write-amplification")?;
    ensure!(measured.len() == 7, "{} measured steps, not 7", measured.len());
    let own = |one: &&Value| {
        let id = one.pointer("/step/id").and_then(Value::as_str).unwrap_or_default();
        id.starts_with(READS_ELSEWHERE)
    };
    let step = list(&smoke, "/steps")?.iter().find(own).context("no step that reads another namespace")?;
    let on = step.pointer("/step/action/io/workload/beside/0/on/name");
    ensure!(on == Some(&name.into()), "the plan reads {on:?}, not {name}");
    let group = |at: usize, op: &str| number(step, &format!("/rounds/0/groups/{at}/{op}/bytes"));
    ensure!(group(0, "write")? > 0.0 && group(0, "read")? == 0.0, "the first namespace was not written: {step}");
    says(&smoke, "other_namespace_read", name)?;
    let read = group(1, "read")?;
    only_read("the step", (&stat(results, "before")?, &stat(results, "after")?), read)?;
    let load = results.json("io.out")?;
    let on = load.pointer("/groups/1/on");
    ensure!(on == Some(&name.into()), "the document of io names {on:?}, not {name}");
    let by_flags = number(&load, "/groups/1/operations/read/bytes")?;
    only_read("drivelab io", (&stat(results, "after")?, &stat(results, "io")?), by_flags)?;
    let (made, end) = (stat(results, "made")?, stat(results, "refused")?);
    ensure!(made.written == end.written, "{name} was written: {made:?}, {end:?}");
    let refused = results.text("refused.said")?;
    let code = results.text("refused.code")?;
    ensure!(code.trim() != "0" && refused.contains("can only be read"), "a write there: exit code {code}, {refused}");
    Ok(vec![format!("{name}: {read} and {by_flags} bytes read beside writes of the other one, nothing written there")])
}

/// The kernel's counts for a disk, in bytes (Documentation/ABI/stable/sysfs-block: sectors of 512 bytes).
#[derive(Debug, PartialEq)]
struct Stat {
    read: f64,
    /// Written and discarded.
    written: f64,
}

fn stat(results: &Results, when: &str) -> Result<Stat> {
    stat_of(&results.text(&format!("stat.{when}"))?)
}

fn stat_of(text: &str) -> Result<Stat> {
    let fields: Vec<f64> = text.split_whitespace().map_while(|field| field.parse().ok()).collect();
    let at = |field: usize| fields.get(field).map(|sectors| sectors * 512.0).context("a short stat");
    Ok(Stat { read: at(2)?, written: at(6)? + at(13)? })
}

/// Demands that between two looks this many bytes were read from a disk, and none written.
fn only_read(what: &str, (before, after): (&Stat, &Stat), read: f64) -> Result<()> {
    let rose = after.read - before.read;
    ensure!(
        read > 0.0 && rose >= read && rose - read <= OPENING,
        "{what}: {read} bytes read, the kernel counted {rose}"
    );
    ensure!(after.written == before.written, "{what}: it was written: {before:?}, {after:?}");
    Ok(())
}

/// The source of media writes.
fn media_source(document: &Value) -> Result<&Value> {
    let is_it = |source: &&Value| source.pointer("/kind").and_then(Value::as_str) == Some("media_writes");
    let sources = list(document, "/telemetry/sources")?;
    sources
        .iter()
        .find(is_it)
        .with_context(|| format!("nothing counts media writes: {:?}", document.pointer("/telemetry/remarks")))
}

/// How far its counters of host and of media writes rose from the first reading to the last.
fn rises(source: &Value) -> Result<[f64; 2]> {
    let samples = list(source, "/samples")?;
    let (first, last) = samples.first().zip(samples.last()).context("no readings of media writes")?;
    let rise = |at: usize| {
        let pointer = format!("/values/{at}");
        Ok::<f64, anyhow::Error>(number(last, &pointer)? - number(first, &pointer)?)
    };
    Ok([rise(0)?, rise(1)?])
}

/// Bytes that a run wrote, preparation and tests, by its own count.
fn written(document: &Value) -> Result<f64> {
    Ok(1e9 * value(document, "run.bytes_written").context("the bytes that the run wrote are not known")?)
}

/// Minimum number of steps of encryption-cost, of eight, in which no round is void.
const WHOLE_STEPS: usize = 4;

/// Checks the results of methods_encryption.sh.
pub(crate) fn check_encryption(results: &Results) -> Result<Vec<String>> {
    let document = document(results, "encryption-cost")?;
    let arms: Vec<&str> = list(&document, "/arms")?.iter().filter_map(|arm| arm.pointer("/arm")?.as_str()).collect();
    // Every second round in reverse, and no Opal.
    ensure!(arms == ["none", "luks2", "luks2", "none", "none", "luks2"], "the arms are {arms:?}");
    let said = results.text("encryption-cost.said")?;
    ensure!(said.contains("the arm opal was left out"), "nothing is said of Opal:\n{said}");
    let steps = list(&document, "/over_rounds")?;
    ensure!(steps.len() == 8, "{} steps over all rounds", steps.len());
    let told: Vec<String> = steps.iter().filter_map(|step| cost(step).transpose()).collect::<Result<_>>()?;
    ensure!(told.len() >= WHOLE_STEPS, "{} steps have all three rounds, not {WHOLE_STEPS}: {told:?}", told.len());
    Ok(told)
}

/// What luks2 costs in a step; `None` unless all three of its rounds count. A round of a step of milliseconds may be
/// void in one of the arms: on a busy host it is now and then faster than the drive's link.
fn cost(step: &Value) -> Result<Option<String>> {
    let label = step.pointer("/label").and_then(Value::as_str).unwrap_or_default();
    let (none, luks) = (arm(step, "none")?, arm(step, "luks2")?);
    ensure!(none.pointer("/cost").is_none_or(Value::is_null), "{label}: none costs something: {none}");
    let of = |key: &str| number(luks, &format!("/cost/{key}")).with_context(|| format!("{label}: luks2"));
    if number(none, "/runs")?.min(number(luks, "/runs")?) < 2.0 {
        return Ok(None);
    }
    let cost = of("percent")?;
    // The geometric mean is between the smallest and the largest of its rounds.
    let rounds: Vec<f64> = list(luks, "/cost/rounds_percent")?.iter().filter_map(Value::as_f64).collect();
    let between = rounds.iter().any(|one| *one <= cost) && rounds.iter().any(|one| *one >= cost);
    ensure!(rounds.len() <= 3 && between, "{label}: {cost} % of {rounds:?}");
    if rounds.len() < 3 {
        ensure!(of("low_percent").is_err(), "{label}: how sure {} rounds are is said: {luks}", rounds.len());
        return Ok(None);
    }
    let (low, high) = (of("low_percent")?, of("high_percent")?);
    ensure!(low < cost && cost < high, "{label}: a cost of {cost} % from {low} to {high} %");
    Ok(Some(format!("{label}: luks2 costs {cost:.0} % ({low:.0} to {high:.0} %)")))
}

fn arm<'a>(step: &'a Value, name: &str) -> Result<&'a Value> {
    let arms = list(step, "/arms")?;
    arms.iter().find(|arm| arm.pointer("/arm") == Some(&name.into())).with_context(|| format!("no arm {name}: {step}"))
}

/// The output of a methodology.
fn document(results: &Results, name: &str) -> Result<Value> {
    results.json(&format!("{name}.out"))
}

/// Demands that a run was complete, in its smoke form, with figures of each measured step; returns their ids.
fn judged(document: &Value, method: &str) -> Result<Vec<String>> {
    whole(document, method, "smoke")
}

/// The same for a run in any form.
fn whole(document: &Value, method: &str, form: &str) -> Result<Vec<String>> {
    let text = |pointer: &str| document.pointer(pointer).and_then(Value::as_str).unwrap_or_default();
    let is = (text("/run/method/name"), text("/run/form"), text("/run/state"));
    ensure!(is == (method, form, "complete"), "{is:?}, not all of {method} in its form {form}");
    let failed = list(document, "/run/failed_steps")?;
    ensure!(failed.is_empty(), "{method}: failed steps: {failed:?}");
    let mut measured = Vec::new();
    for one in list(document, "/steps")? {
        let Some(step) = one.pointer("/step") else { continue };
        let id = step.pointer("/id").and_then(Value::as_str).context("a step without an id")?;
        if step.pointer("/role").and_then(Value::as_str) != Some("measure") || step.pointer("/action/io").is_none() {
            continue;
        }
        // From the records, because a rate above what QEMU's link claims is void.
        let bytes =
            |round: &Value| ["/read/bytes", "/write/bytes"].iter().filter_map(|at| number(round, at).ok()).sum();
        let moved: f64 = list(one, "/rounds")?.iter().map(|round| -> f64 { bytes(round) }).sum();
        ensure!(moved > 0.0, "{method}: {id} moved nothing");
        measured.push(id.to_owned());
    }
    Ok(measured)
}

/// Demands that every known temperature is the drive's; returns how many steps have one.
fn temperatures(document: &Value, steps: &[String]) -> Result<usize> {
    let mut known = 0;
    for step in steps {
        for id in ["temperature.min", "temperature.mean", "temperature.max"] {
            let Some(celsius) = figure(document, step, id) else { continue };
            ensure!((celsius - CELSIUS).abs() < 0.01, "{step}: {id} is {celsius} °C");
            known += usize::from(id == "temperature.mean");
        }
    }
    Ok(known)
}

/// Demands that every known power is the meter's, and that values derived from it are right; returns how many steps
/// have one.
fn watts(document: &Value, steps: &[String]) -> Result<usize> {
    let mut known = 0;
    for step in steps {
        let Some(mean) = figure(document, step, "power.mean") else { continue };
        within(&format!("{step}: watts"), mean, WATTS, 1e-6)?;
        known += 1;
        // Bursts by volume have a rate over their active time and a power over the whole time, so there is no rate per
        // watt.
        let in_bursts = figure(document, step, "bursts.active_share").is_some();
        let Some(moved) = figure(document, step, "total.throughput").filter(|_| !in_bursts) else { continue };
        let per_watt = figure(document, step, "power.throughput_per_watt");
        within(&format!("{step}: MB/s per watt"), per_watt.context("no MB/s per watt")?, moved / WATTS, 1e-6)?;
    }
    Ok(known)
}

/// A figure of a step.
fn figure(document: &Value, step: &str, id: &str) -> Option<f64> {
    let address = format!("{step}:{id}");
    let all = document.pointer("/metrics")?.as_array()?;
    all.iter().find(|metric| metric.pointer("/address") == Some(&address.as_str().into()))?.pointer("/value")?.as_f64()
}

/// The first known figure of this kind.
fn value(document: &Value, id: &str) -> Option<f64> {
    let all = document.pointer("/metrics")?.as_array()?.iter();
    let mut of_kind = all.filter(|metric| metric.pointer("/id") == Some(&id.into()));
    of_kind.find_map(|metric| metric.pointer("/value")?.as_f64())
}

/// Demands that a finding contains these words.
fn says(document: &Value, code: &str, words: &str) -> Result<()> {
    let findings = list(document, "/findings")?;
    let said = findings.iter().filter(|one| one.pointer("/code").and_then(Value::as_str) == Some(code));
    let found = said.filter_map(|one| one.pointer("/statement")?.as_str()).any(|statement| statement.contains(words));
    ensure!(found, "no finding {code} says '{words}': {findings:?}");
    Ok(())
}

fn list<'a>(document: &'a Value, pointer: &str) -> Result<&'a Vec<Value>> {
    document.pointer(pointer).and_then(Value::as_array).with_context(|| format!("there is no list {pointer}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn run(watts: f64, rate: f64) -> Value {
        let metric = |id: &str, value: f64| json!({ "address": format!("a/b:{id}"), "id": id, "value": value });
        json!({
            "run": { "method": { "name": "m" }, "form": "smoke", "state": "complete", "failed_steps": [] },
            "steps": [{
                "step": { "id": "a/b", "role": "measure", "action": { "io": {} } },
                "rounds": [{ "read": { "bytes": (rate * 1e6) as u64 } }],
            }],
            "metrics": [
                metric("read.throughput", rate), metric("total.throughput", rate), metric("power.mean", watts),
                metric("power.throughput_per_watt", rate / WATTS), metric("temperature.mean", CELSIUS),
            ],
            "findings": [{ "code": "c", "statement": "it has one power state" }],
        })
    }

    #[test]
    fn a_run_with_another_meter_or_without_figures_is_found_out() {
        let good = run(WATTS, 12.5);
        let steps = judged(&good, "m").expect("whole");
        assert_eq!((steps.len(), watts(&good, &steps).expect("watts")), (1, 1));
        assert_eq!(temperatures(&good, &steps).expect("a temperature"), 1);
        judged(&good, "other").expect_err("another methodology");
        judged(&run(WATTS, 0.0), "m").expect_err("nothing moved");
        watts(&run(4.0, 12.5), &steps).expect_err("another meter");
        says(&good, "c", "one power state").expect("said");
        says(&good, "c", "two").expect_err("not said");
    }

    #[test]
    fn a_cost_that_its_rounds_do_not_have_or_that_is_surer_than_they_are_is_found_out() {
        let step = |runs: u32, rounds: &[f64], percent: f64, low: Option<f64>| {
            let cost =
                json!({ "rounds_percent": rounds, "percent": percent, "low_percent": low, "high_percent": 60.0 });
            let arms = [json!({ "arm": "none", "runs": runs }), json!({ "arm": "luks2", "runs": 3, "cost": cost })];
            json!({ "label": "reads", "arms": arms })
        };
        let told = cost(&step(3, &[40.0, 50.0, 45.0], 45.0, Some(30.0))).expect("right");
        assert_eq!(told.as_deref(), Some("reads: luks2 costs 45 % (30 to 60 %)"));
        assert_eq!(cost(&step(2, &[40.0, 50.0], 45.0, None)).expect("a void round"), None);
        assert_eq!(cost(&step(1, &[40.0], 40.0, None)).expect("two void rounds"), None);
        cost(&step(3, &[40.0, 50.0, 45.0], 55.0, Some(30.0))).expect_err("no mean of these");
        cost(&step(3, &[40.0, 50.0, 45.0], 45.0, Some(47.0))).expect_err("not around it");
        cost(&step(3, &[40.0, 50.0, 45.0], 45.0, None)).expect_err("three rounds, and nothing of how sure");
        cost(&step(2, &[40.0, 50.0], 45.0, Some(30.0))).expect_err("two rounds are not sure");
    }

    #[test]
    fn a_namespace_that_was_written_or_not_read_is_found_out() {
        let stat = |read: u64, written: u64| {
            stat_of(&format!(" 9 0 {read} 5 1 0 {written} 5 0 7 8 3 0 1 4 0 0\n")).expect("a line of the kernel's")
        };
        assert_eq!(stat(3, 2), Stat { read: 1536.0, written: 1536.0 }, "a sector of them was discarded");
        only_read("x", (&stat(8, 2), &stat(108, 2)), 51_200.0).expect("read and not written");
        only_read("x", (&stat(8, 2), &stat(108, 3)), 51_200.0).expect_err("written");
        only_read("x", (&stat(8, 2), &stat(8, 2)), 51_200.0).expect_err("not read");
        only_read("x", (&stat(8, 2), &stat(9000, 2)), 51_200.0).expect_err("much more was read");
        stat_of("1 2 3").expect_err("short");
    }

    #[test]
    fn scores_per_watt_follow_from_those_of_rate_and_power() {
        let suite = |efficiency: f64, count: usize| {
            let score = |name: String, value: f64| json!({ "name": name, "value": value });
            let of = |at: usize| {
                let all = [("", 50.0), ("-power", WATTS), ("-efficiency", efficiency)];
                all.map(|(end, value)| score(format!("t{at}{end}"), value))
            };
            json!({ "scores": (0..count).flat_map(of).collect::<Vec<Value>>() })
        };
        assert_eq!(per_watt(&suite(10.0, 7)).expect("right"), 7);
        per_watt(&suite(9.0, 7)).expect_err("another quotient");
        per_watt(&suite(10.0, 6)).expect_err("one is missing");
        let mut short = suite(10.0, 7);
        for at in [1, 2] {
            short["scores"][at]["value"] = Value::Null;
        }
        assert_eq!(per_watt(&short).expect("one of its steps had no reading"), 6);
    }

    #[test]
    fn counters_are_compared_from_the_first_reading_to_the_last() {
        let samples = [json!({ "values": [10, 20] }), json!({ "values": [15, null] }), json!({ "values": [30, 50] })];
        let source = json!({ "samples": samples });
        assert_eq!(rises(&source).expect("readings"), [20.0, 30.0]);
        rises(&json!({ "samples": [] })).expect_err("no reading");
    }
}
