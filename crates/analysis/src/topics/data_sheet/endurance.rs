//! The rated endurance of a drive and how much of it was used: bytes written (TBW), drive writes per day (DWPD), the
//! share of this run, the wear that the drive reports, and how long it lasts at the measured rate.

use drivelab_core::data_sheet::DataSheet;
use drivelab_core::environment::Environment;
use drivelab_core::run::RunRecords;
use drivelab_core::units::Bytes;
use schemars::JsonSchema;
use serde::Serialize;

use crate::values;

/// Days of a year, as vendors count them when they convert one rating into the other.
const DAYS_A_YEAR: f64 = 365.0;
/// Seconds of a day.
const SECONDS_A_DAY: f64 = 86_400.0;
/// Bytes of a terabyte.
const TB: f64 = 1e12;
/// Least wear, per cent, from which the drive's own count shows how much it can endure: it counts in whole per cent, so
/// below this the figure may be off by half.
const LEAST_USED_PERCENT: u8 = 3;

/// Ratings, how much of them was used, and what follows.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Endurance {
    /// Capacity to which the ratings apply, TB: as sold, else as the drive reports it.
    pub capacity_tb: Option<f64>,
    /// Length of the warranty in years, as printed.
    pub warranty_years: Option<f64>,
    /// Bytes that may be written (TBW), as printed, TB.
    pub tbw_printed_tb: Option<f64>,
    /// The same computed from the printed drive writes per day, TB.
    pub tbw_from_dwpd_tb: Option<f64>,
    /// Drive writes per day, as printed.
    pub dwpd_printed: Option<f64>,
    /// The same computed from the printed bytes.
    pub dwpd_from_tbw: Option<f64>,
    /// Written by this run, TB.
    pub run_written_tb: f64,
    /// Share of the rated bytes that this run has written, per cent.
    pub run_share_percent: Option<f64>,
    /// Written in the drive's life before the run, as it reports, TB.
    pub life_written_tb: Option<f64>,
    /// Share of the rated bytes that this is, per cent.
    pub life_share_percent: Option<f64>,
    /// Endurance used before the run, as the drive reports, per cent.
    pub used_percent: Option<u8>,
    /// What the drive can endure by that count, TB; absent below 3 % used.
    pub bears_by_own_count_tb: Option<f64>,
    /// Drive writes in a day of sequential writes at the measured rate without pauses.
    pub drive_writes_a_day_at_full_rate: Option<f64>,
    /// Days of such writes until the rated bytes are reached, counting what was written in the drive's life.
    pub days_at_full_rate: Option<f64>,
}

/// Bytes that may be written, from drive writes per day: rating × capacity × days of the warranty.
#[must_use]
pub fn tbw(dwpd: f64, capacity: f64, warranty_years: f64) -> f64 {
    dwpd * capacity * DAYS_A_YEAR * warranty_years
}

/// Drive writes per day, from the bytes that may be written; `None` without a capacity or a warranty.
#[must_use]
pub fn dwpd(tbw: f64, capacity: f64, warranty_years: f64) -> Option<f64> {
    let whole = capacity * DAYS_A_YEAR * warranty_years;
    (whole > 0.0).then(|| tbw / whole)
}

/// Years until these rated bytes are written, by bytes a day; `None` if nothing is written.
#[must_use]
pub fn years_of_writes(rated: f64, daily: f64) -> Option<f64> {
    (daily > 0.0).then(|| rated / daily / DAYS_A_YEAR)
}

/// The wear that a drive reports.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wear {
    /// Endurance used, per cent; may pass 100.
    pub(super) used_percent: u8,
    /// Bytes written by hosts in its life.
    pub(super) written: f64,
}

/// The endurance for a run on a drive with these ratings, whose sequential writes reached `write_mb_s`. `None` if
/// nothing is rated and the drive reports nothing.
pub(super) fn of_run(records: &RunRecords, printed: Option<&DataSheet>, write_mb_s: Option<f64>) -> Option<Endurance> {
    let probe = records.environment.probe.as_ref();
    let health = probe.and_then(|probe| probe.nvme.as_ref()?.health.as_ref());
    let wear = health.map(|health| Wear { used_percent: health.used_percent, written: health.written.as_f64() });
    with_wear(records, printed, write_mb_s, wear)
}

/// The same with the wear that the drive reports.
pub(super) fn with_wear(
    records: &RunRecords,
    printed: Option<&DataSheet>,
    write_mb_s: Option<f64>,
    wear: Option<Wear>,
) -> Option<Endurance> {
    let number = |key: &str| printed.and_then(|sheet| sheet.number(key));
    let (rated, per_day, years) = (number("endurance"), number("dwpd"), number("warranty"));
    let capacity = printed.and_then(|sheet| sheet.capacity).map(Bytes::as_f64);
    let capacity = capacity.filter(|capacity| *capacity > 0.0).or_else(|| capacity_of(&records.environment));
    let of_both = capacity.zip(years);
    let from_dwpd = of_both.zip(per_day).map(|((capacity, years), per_day)| tbw(per_day, capacity, years));
    let from_tbw = of_both.zip(rated).and_then(|((capacity, years), rated)| dwpd(rated, capacity, years));
    if rated.is_none() && per_day.is_none() && wear.is_none() {
        return None;
    }
    let bears = printed.and_then(|sheet| rated_bytes(sheet, capacity));
    let written = values::run_bytes_written(records).unwrap_or(0.0) * 1e9;
    let life = wear.map(|wear| wear.written);
    let share = |bytes: f64| bears.map(|bears| 100.0 * bytes / bears);
    let rate = write_mb_s.map(|rate| rate * 1e6).filter(|rate| *rate > 0.0);
    let left = bears.map(|bears| (bears - life.unwrap_or(0.0)).max(0.0));
    let own_count = wear.filter(|wear| wear.used_percent >= LEAST_USED_PERCENT && wear.written > 0.0);
    Some(Endurance {
        capacity_tb: capacity.map(|capacity| capacity / TB),
        warranty_years: years,
        tbw_printed_tb: rated.map(|rated| rated / TB),
        tbw_from_dwpd_tb: from_dwpd.map(|bytes| bytes / TB),
        dwpd_printed: per_day,
        dwpd_from_tbw: from_tbw,
        run_written_tb: written / TB,
        run_share_percent: share(written),
        life_written_tb: life.map(|life| life / TB),
        life_share_percent: life.and_then(share),
        used_percent: wear.map(|wear| wear.used_percent),
        bears_by_own_count_tb: own_count.map(|wear| wear.written * 100.0 / f64::from(wear.used_percent) / TB),
        drive_writes_a_day_at_full_rate: rate.zip(capacity).map(|(rate, capacity)| rate * SECONDS_A_DAY / capacity),
        days_at_full_rate: rate.zip(left).map(|(rate, left)| left / rate / SECONDS_A_DAY),
    })
}

/// Bytes that the drive is rated for: as printed, else from the printed drive writes per day over the warranty, if
/// `capacity` (in bytes) is known.
#[must_use]
pub fn rated_bytes(sheet: &DataSheet, capacity: Option<f64>) -> Option<f64> {
    let by_day = || Some(tbw(sheet.number("dwpd")?, capacity?, sheet.number("warranty")?));
    sheet.number("endurance").or_else(by_day).filter(|bytes| *bytes > 0.0)
}

/// Bytes of the drive, as it reports them itself.
#[must_use]
pub fn capacity_of(environment: &Environment) -> Option<f64> {
    let devices = &environment.target.devices;
    let reported = devices.iter().rev().find(|device| device.model.is_some()).or(devices.last())?;
    (reported.capacity.get() > 0).then(|| reported.capacity.as_f64())
}
