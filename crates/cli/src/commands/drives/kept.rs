//! `drivelab drives name` and `drivelab drives price`: what the user sets for drives of the catalog.

use drivelab_core::drive_facts::{Price, Value};
use drivelab_core::exit::ExitCode;
use drivelab_lab::{Failure, Result};
use drivelab_store::{KeptDrive, RunRow, change_drive};

use crate::args::{DrivesCommand, one_line};
use crate::context::{Context, NO_RUNS};

/// Runs the command.
///
/// # Errors
/// No drive of a stored run matches, or several do; the price cannot be read; the data folder cannot be written.
pub(super) fn keep(context: &Context, command: &DrivesCommand) -> Result {
    let (DrivesCommand::Name { drive, .. } | DrivesCommand::Price { drive, .. }) = command;
    let (model, serial) = which(&context.catalog()?.list()?, drive)?;
    let data = context.data()?;
    let set = match command {
        DrivesCommand::Name { name, .. } => {
            let name = &named(name)?;
            let kept = change_drive(&data, &model, serial.as_deref(), |kept| name.trim().clone_into(&mut kept.name))?;
            set_to("name", name, &kept.name)
        }
        DrivesCommand::Price { price, .. } => {
            let dated = dated(price, jiff::Zoned::now().date())?;
            let kept = change_drive(&data, &model, serial.as_deref(), |kept| kept.price = dated)?;
            set_to("price", price, &kept.price)
        }
    };
    let whose = serial.map_or_else(|| format!("{model} (all drives)"), |serial| format!("{model}, serial {serial}"));
    context.settings.voice.say(format!("{whose}: {set}"));
    Ok(ExitCode::Ok)
}

/// What holds now, after `asked` was set or removed.
fn set_to(what: &str, asked: &str, now: &str) -> String {
    match (asked.trim().is_empty(), now.is_empty()) {
        (false, _) => format!("{what} {now}"),
        (true, true) => format!("{what} removed"),
        (true, false) => format!("{what} removed; that of the model still applies: {now}"),
    }
}

/// Most characters of a name: tables have room for it.
const LONGEST_NAME: usize = 60;

/// A name in one line.
fn named(name: &str) -> Result<String> {
    let name = one_line(name);
    match name.chars().count() {
        0..=LONGEST_NAME => Ok(name),
        count => Err(Failure::usage(format!("a name has at most {LONGEST_NAME} characters, and this one has {count}"))),
    }
}

/// The highest price of a drive, in any currency: more is a typing error.
const HIGHEST_PRICE: f64 = 1e9;

/// A price with its day: today if none is given. Empty text stays empty.
fn dated(price: &str, today: jiff::civil::Date) -> Result<String> {
    let price = price.trim();
    if price.is_empty() {
        return Ok(String::new());
    }
    let dated = if price.split_whitespace().count() == 2 { format!("{price} on {today}") } else { price.to_owned() };
    let Some(read) = Price::read(&dated).filter(|price| price.amount > 0.0 && price.amount <= HIGHEST_PRICE) else {
        return Err(Failure::usage(format!(
            "'{price}' is not a price: give an amount above 0 (at most {HIGHEST_PRICE}) and a currency of three capitals \
             (ISO 4217), such as '54.90 EUR' or '54.90 EUR on 2026-11-20'"
        )));
    };
    // Both are YYYY-MM-DD.
    if read.date > today.to_string() {
        return Err(Failure::usage(format!("'{price}' is dated in the future; today is {today}")));
    }
    Ok(dated)
}

/// What the user has set, a line for each drive; empty for nothing.
pub(super) fn listed(drives: &[KeptDrive]) -> String {
    let line = |drive: &KeptDrive| {
        let serial = drive.serial.as_ref().map_or_else(String::new, |serial| format!(", serial {serial}"));
        let set = [&drive.name, &drive.price].into_iter().map(String::as_str).filter(|set| !set.is_empty());
        let set = set.collect::<Vec<_>>().join(", ");
        (!set.is_empty()).then(|| format!("  {}{serial}: {set}\n", drive.model))
    };
    let lines: String = drives.iter().filter_map(line).collect();
    if lines.is_empty() { lines } else { format!("\nYour names and prices:\n{lines}") }
}

/// Model of the drive that the user means, and its serial number if that was named.
fn which(all: &[RunRow], word: &str) -> Result<(String, Option<String>)> {
    if all.is_empty() {
        return Err(Failure::nothing(NO_RUNS));
    }
    let distinct = |mut models: Vec<&str>| {
        models.sort_unstable();
        models.dedup();
        models.into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    let with_serial = all.iter().filter(|row| row.has_serial(word));
    // A drive without a model is known by its place alone.
    let serial = with_serial.clone().find_map(|row| row.drive.as_ref().and(row.serial.clone()));
    let of_serial = distinct(with_serial.map(RunRow::drive_or_place).collect());
    if !of_serial.is_empty() {
        return one(word, of_serial).map(|model| (model, serial));
    }
    let fits = |model: &&str| !word.is_empty() && model.to_lowercase().contains(&word.to_lowercase());
    let models = distinct(all.iter().map(RunRow::drive_or_place).filter(fits).collect());
    let exact = models.iter().find(|model| model.eq_ignore_ascii_case(word)).cloned();
    exact.map_or_else(|| one(word, models), Ok).map(|model| (model, None))
}

/// The only one of these models.
fn one(word: &str, mut models: Vec<String>) -> Result<String> {
    match (models.len(), models.pop()) {
        (1, Some(model)) => Ok(model),
        (_, None) => Err(Failure::nothing(format!(
            "no stored run is of a drive with the model or serial number '{word}'; `drivelab results list` lists the \
             drives"
        ))),
        (_, Some(last)) => Err(Failure::usage(format!(
            "'{word}' matches several drives: {}, {last}; give more of the model, or a serial number",
            models.join(", ")
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_price_is_an_amount_that_a_drive_can_cost_on_a_day_that_was() {
        let today = jiff::civil::date(2026, 11, 29);
        let said = |price: &str| dated(price, today).map_err(|failure| failure.message);
        assert_eq!(said(" 54.90 EUR "), Ok("54.90 EUR on 2026-11-29".to_owned()));
        assert_eq!(said("54.90 EUR on 2026-11-20"), Ok("54.90 EUR on 2026-11-20".to_owned()));
        assert_eq!(said(""), Ok(String::new()));
        for wrong in ["-5 EUR", "0 EUR", "1e300 EUR", "2000000000 EUR", "5 eur", "five EUR", "5 EUR on 2026-13-01"] {
            assert!(said(wrong).is_err_and(|why| why.contains("is not a price")), "{wrong}");
        }
        assert!(said("5 EUR on 2099-01-01").is_err_and(|why| why.contains("in the future")));
    }
}
