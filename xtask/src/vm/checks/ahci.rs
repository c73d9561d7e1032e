//! ahci.sh: SATA drives are shown as QEMU was told to create them, with their SMART data; unavailable facts are named.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::vm::results::Results;

/// Fields and the values that follow from QEMU's arguments in ahci.sh and from its ATA drives (hw/ide/core.c: a write
/// cache, 32 commands, SMART on, a temperature of 31 degrees).
const PLATTERS: &[(&str, &str)] = &[
    ("/target/ata/model", "\"Example-Platters-7200-rpm\""),
    ("/target/ata/serial", "\"SPIN-01\""),
    ("/target/ata/firmware", "\"FW7.2\""),
    // The kernel's own texts are cut: 16 letters of the model, 4 of the firmware.
    ("/target/devices/0/model", "\"Example-Platters-7200-rpm\""),
    ("/target/devices/0/serial", "\"SPIN-01\""),
    ("/target/devices/0/firmware", "\"FW7.2\""),
    ("/target/ata/capacity", "201326592"),
    ("/target/ata/logical_sector", "512"),
    ("/target/ata/physical_sector", "512"),
    ("/target/ata/rotations_per_minute", "7200"),
    ("/target/ata/solid_state", "false"),
    ("/target/ata/queue_depth", "32"),
    ("/target/ata/write_cache_enabled", "true"),
    ("/target/ata/smart_enabled", "true"),
    ("/target/ata/smart_failing", "false"),
    ("/target/ata/security", "\"not supported\""),
    ("/target/ata/trusted_computing", "false"),
    ("/target/health", "\"good\""),
    ("/target/temperatures/0/celsius", "31.0"),
    ("/target/temperatures/0/source", "\"SMART data\""),
    ("/target/not_known", "[]"),
];
const FLASH: &[(&str, &str)] = &[
    ("/target/ata/model", "\"Flash-One\""),
    ("/target/ata/serial", "\"SOLID-02\""),
    ("/target/ata/firmware", "\"FW1\""),
    ("/target/ata/capacity", "67108864"),
    ("/target/ata/physical_sector", "4096"),
    ("/target/ata/rotations_per_minute", "null"),
    ("/target/ata/solid_state", "true"),
    ("/target/ata/trim", "true"),
    ("/target/health", "\"good\""),
];

/// Attributes of QEMU's drives (hw/ide/core.c, `smart_attributes`): number, value, threshold, raw value.
const ATTRIBUTES: [(u64, u64, u64, u64); 7] = [
    (1, 100, 6, 0),
    (3, 100, 0, 16),
    (4, 100, 20, 100),
    (5, 100, 36, 0),
    (9, 100, 0, 1),
    (12, 100, 0, 0),
    (190, 69, 50, 0x1F1F_001F),
];

/// Where the kernel's copy of IDENTIFY DEVICE is in its SCSI page (SAT-4, page 89h).
const IN_VPD_PAGE: usize = 60;

/// Checks the results of ahci.sh.
pub(crate) fn check(results: &Results) -> Result<Vec<String>> {
    let platters = results.json("platters")?;
    let flash = results.json("flash")?;
    fields("platters", &platters, PLATTERS)?;
    fields("flash", &flash, FLASH)?;
    attributes(&platters)?;
    raw_pages(results, &platters)?;
    let text = results.text("platters.text")?;
    for said in ["Example-Platters-7200-rpm", "7200 rotations per minute", "190 Airflow temperature", "SMART verdict"] {
        ensure!(text.contains(said), "the text does not say `{said}`:\n{text}");
    }
    without_rights(results, &flash)?;
    let bridge = results.json("bridge")?;
    ensure!(bridge.pointer("/target/ata").is_none_or(Value::is_null), "a bridge that passes nothing on shows {bridge}");
    let missing = missing(&bridge);
    ensure!(missing.is_empty(), "a bridge that passes nothing on is nothing to speak of, but: {missing:?}");
    in_the_list(&results.json("targets")?)?;
    Ok(vec![format!("{} fields and {} attributes as QEMU has them", PLATTERS.len() + FLASH.len(), ATTRIBUTES.len())])
}

fn fields(name: &str, document: &Value, wanted: &[(&str, &str)]) -> Result<()> {
    for (pointer, value) in wanted {
        let value: Value = serde_json::from_str(value).with_context(|| format!("{value} of this check"))?;
        let found = document.pointer(pointer).unwrap_or(&Value::Null);
        ensure!(*found == value, "{name}: {pointer} is {found}, QEMU was told {value}; the whole:\n{document:#}");
    }
    Ok(())
}

fn attributes(document: &Value) -> Result<()> {
    let found = document.pointer("/target/ata/attributes").and_then(Value::as_array).context("no attributes")?;
    let one = |attribute: &Value| {
        let number = |key: &str| attribute.get(key).and_then(Value::as_u64).unwrap_or(u64::MAX);
        (number("id"), number("value"), number("threshold"), number("raw"))
    };
    let found: Vec<_> = found.iter().map(one).collect();
    ensure!(found == ATTRIBUTES, "the attributes are {found:?}");
    Ok(())
}

/// The pages are kept as they came; the kernel's own copy of the first page is identical.
fn raw_pages(results: &Results, document: &Value) -> Result<()> {
    let raw = document.pointer("/target/raw").and_then(Value::as_array).context("no raw pages")?;
    let names: Vec<&str> = raw.iter().filter_map(|page| page.get("name")?.as_str()).collect();
    ensure!(names == ["ata identify device", "ata smart data", "ata smart thresholds"], "the pages are {names:?}");
    ensure!(raw.iter().all(|page| page.get("length") == Some(&json!(512))), "a page has not 512 bytes: {raw:?}");
    let hex = raw.first().and_then(|page| page.get("hex")?.as_str()).unwrap_or_default();
    let kernels = results.bytes("platters.vpd")?;
    let kernels: String = kernels.iter().skip(IN_VPD_PAGE).map(|byte| format!("{byte:02x}")).collect();
    ensure!(!hex.is_empty() && kernels.starts_with(hex), "the page kept is {hex}, the kernel's copy {kernels}");
    Ok(())
}

/// Facts that cannot be known are named with why and how; facts that everybody may know are shown anyway.
fn without_rights(results: &Results, with_rights: &Value) -> Result<()> {
    for (name, answer) in [("closed", "Permission denied"), ("barred", "Operation not permitted")] {
        let seen = results.json(name)?;
        for pointer in ["/target/ata/model", "/target/ata/serial", "/target/ata/physical_sector", "/target/ata/trim"] {
            let (found, wanted) = (seen.pointer(pointer), with_rights.pointer(pointer));
            ensure!(
                found.is_some() && found == wanted,
                "{name}: {pointer} is {found:?} instead of {wanted:?}: {seen:#}"
            );
        }
        fields(name, &seen, &[("/target/health", "\"unknown\""), ("/target/ata/attributes", "[]")])?;
        let missing = missing(&seen);
        let is_named = |one: &String| {
            one.starts_with("SMART data: ") && one.contains(answer) && one.ends_with("(the capability CAP_SYS_RAWIO)")
        };
        ensure!(missing.iter().any(is_named), "{name}: nothing says which right SMART data takes: {missing:?}");
    }
    Ok(())
}

/// Unknown facts of a document, a line each.
fn missing(document: &Value) -> Vec<String> {
    let all = document.pointer("/target/not_known").and_then(Value::as_array);
    let text = |one: &Value, key: &str| one.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
    let line = |one: &Value| format!("{}: {}; {}", text(one, "what"), text(one, "why"), text(one, "how"));
    all.into_iter().flatten().map(line).collect()
}

/// The list of disks has health and temperature of the disks that can be asked.
fn in_the_list(document: &Value) -> Result<()> {
    let targets = document.pointer("/targets").and_then(Value::as_array).context("no list of targets")?;
    let healthy = targets.iter().filter(|target| {
        let celsius = target.pointer("/temperatures/0/celsius");
        target.get("health") == Some(&json!("good")) && celsius == Some(&json!(31.0))
    });
    ensure!(healthy.count() == 2 && targets.len() == 3, "two of three are not good at 31 degrees: {document:#}");
    Ok(())
}
