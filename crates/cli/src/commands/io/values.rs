//! From the text behind a flag to the value of the methodology key that it stands for.
//!
//! Only what the command line writes in another way than the language is taken apart here; what the values mean, and
//! whether they are possible, is the language's affair.

use drivelab_core::units::Nanos;
use toml::{Table, Value};

/// What is wrong with a text, and what would have been right; the caller names the flag.
pub(super) type Parsed = Result<Value, String>;

/// Most rounds of a load that is to become steady: SNIA's.
const STEADY_ROUNDS: u64 = 25;

/// A table of a value language with one entry.
fn table<const N: usize>(entries: [(&str, Value); N]) -> Value {
    Value::Table(entries.into_iter().map(|(key, value)| (key.to_owned(), value)).collect::<Table>())
}

/// A text.
pub(super) fn text(text: &str) -> Value {
    Value::String(text.trim().to_owned())
}

/// A word, with the language's underscores for the command line's hyphens.
pub(super) fn word(word: &str) -> Value {
    Value::String(word.replace('-', "_"))
}

/// A count; what is too large for the language is refused by its checker as out of range.
pub(super) fn count(count: u64) -> Value {
    Value::Integer(i64::try_from(count).unwrap_or(i64::MAX))
}

/// A number, whole or with a point.
fn number(text: &str) -> Result<Value, String> {
    let text = text.trim().trim_end_matches('%').trim_end();
    let whole = text.parse::<u32>().map(|number| Value::Integer(number.into()));
    let number = whole.ok().or_else(|| text.parse::<f64>().ok().filter(|n| n.is_finite()).map(Value::Float));
    number.ok_or_else(|| format!("'{text}' is not a number"))
}

/// Two halves around a sign.
fn halves<'t>(text: &'t str, sign: char, expected: &str) -> Result<(&'t str, &'t str), String> {
    text.split_once(sign).ok_or_else(|| format!("'{text}' has no '{sign}'; expected {expected}"))
}

/// What fio calls an operation together with its order, and how it is said here.
const FROM_FIO: [(&[&str], &str); 8] = [
    (&["randread"], "--op read --pattern random"),
    (&["randwrite"], "--op write --pattern random"),
    (&["randrw"], "--op mix=50 --pattern random (mix= takes the share of reads)"),
    (&["rw", "readwrite"], "--op mix=50 --pattern sequential (mix= takes the share of reads)"),
    (&["randtrim"], "--op trim --pattern random"),
    (&["trimwrite"], "--op trim --pattern sequential, and then --op write: one load trims and writes different blocks"),
    (&["randtrimwrite"], "--op trim --pattern random, and then --op write: one load trims and writes different blocks"),
    (&["discard"], "--op trim"),
];

/// What `--op` says: the key and its value.
pub(super) fn op(text: &str) -> Result<(&'static str, Value), String> {
    let Some(reads) = text.strip_prefix("mix=") else {
        let fio = FROM_FIO.iter().find(|(words, _)| words.contains(&text));
        return fio.map_or_else(
            || Ok(("op", word(text))),
            |(_, here)| Err(format!("that is fio's word, which also sets the order; use {here}")),
        );
    };
    let reads: u64 = reads
        .trim_end_matches('%')
        .parse()
        .ok()
        .filter(|reads| *reads <= 100)
        .ok_or_else(|| format!("'{reads}' is not a share of reads; expected 0 to 100 per cent, such as mix=70"))?;
    Ok(("write_percent", count(100 - reads)))
}

/// One size, or sizes with shares: `4k:60,64k:40`.
pub(super) fn block(text: &str) -> Result<(&'static str, Value), String> {
    if !text.contains(':') && !text.contains(',') {
        return Ok(("block_size", self::text(text)));
    }
    let share = |part: &str| {
        let (size, share) = halves(part, ':', "a size and its share, such as 4k:60")?;
        Ok(table([("block_size", self::text(size)), ("share", number(share)?)]))
    };
    let shares = text.split(',').map(share).collect::<Result<Vec<_>, String>>()?;
    Ok(("block_size_mix", Value::Array(shares)))
}

/// The sizes that a `--block` names, as texts.
pub(super) fn block_sizes(text: &str) -> Vec<&str> {
    text.split(',').map(|part| part.split(':').next().unwrap_or(part).trim()).collect()
}

/// A size, a share, or `OFFSET+LENGTH`.
pub(super) fn span(text: &str) -> Value {
    match text.split_once('+') {
        None => self::text(text),
        Some((offset, length)) => table([("offset", self::text(offset)), ("length", self::text(length))]),
    }
}

/// `zipf:1.1` and its kind.
pub(super) fn locality(spread: &str, scattered: bool) -> Parsed {
    const EXPECTED: &str = "uniform, zipf:1.1, pareto:0.2, normal:10, zones:50/5,30/15,20/80 or hot-band:70/0-20";
    if spread == "uniform" {
        return Ok(text(spread));
    }
    let (kind, rest) = halves(spread, ':', EXPECTED)?;
    match kind {
        "zipf" | "pareto" => Ok(table([(kind, number(rest)?), ("scattered", Value::Boolean(scattered))])),
        "normal" => Ok(table([(kind, number(rest)?)])),
        "zones" => {
            let zone = |zone: &str| {
                let (accesses, span) = halves(zone, '/', "ACCESSES/SPAN in per cent for each zone, such as 50/5")?;
                Ok(table([("accesses", number(accesses)?), ("span", number(span)?)]))
            };
            let zones = rest.split(',').map(zone).collect::<Result<Vec<_>, String>>()?;
            Ok(table([("zones", Value::Array(zones))]))
        }
        "hot-band" => {
            let expected = "ACCESSES/FROM-TO in per cent, such as 70/0-20";
            let (accesses, band) = halves(rest, '/', expected)?;
            let (from, to) = halves(band, '-', expected)?;
            let band = table([("accesses", number(accesses)?), ("from", number(from)?), ("to", number(to)?)]);
            Ok(table([("hot_band", band)]))
        }
        _ => Err(format!("'{kind}' is not a locality; expected {EXPECTED}")),
    }
}

/// `0,2-3` as numbers.
pub(super) fn cpu_numbers(list: &str) -> Result<Vec<u32>, String> {
    let wrong = || format!("'{list}' is not a list of CPUs; expected numbers and ranges, such as 0,2-3");
    let mut cpus = Vec::new();
    for part in list.split(',') {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let number = |text: &str| text.trim().parse::<u32>().ok().filter(|cpu| *cpu < 1 << 16).ok_or_else(wrong);
        let (first, last) = (number(first)?, number(last)?);
        if first > last {
            return Err(wrong());
        }
        cpus.extend(first..=last);
    }
    Ok(cpus)
}

/// CPUs as a list.
pub(super) fn cpu_list(cpus: &[u32]) -> Value {
    Value::Array(cpus.iter().map(|cpu| Value::Integer((*cpu).into())).collect())
}

/// `10k`, `10000 IOPS` or `50MB/s`. Letters behind a count of operations are decimal: operations are no bytes.
pub(super) fn rate(rate: &str) -> Parsed {
    if rate.contains("/s") {
        return Ok(text(rate));
    }
    let wrong = || format!("'{rate}' is not a rate; expected operations, such as 10k, or bytes, such as 50MB/s");
    let number = rate.trim().trim_end_matches("IOPS").trim_end();
    let (digits, factor) = match number.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1e3),
        None => number.strip_suffix('M').map_or((number, 1.0), |digits| (digits, 1e6)),
    };
    let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    let iops = digits.trim_end().parse::<f64>().ok().filter(|_| plain).ok_or_else(wrong)? * factor;
    Ok(text(&format!("{iops} IOPS")))
}

/// `p99=1ms` or `p99.9=5ms,1k..200k`: a search. Without rates it begins where enough operations arrive in `time` for
/// the percentile to be one of them, and goes to a million.
pub(super) fn search(text: &str, rounds: Option<u64>, time: Nanos) -> Parsed {
    const EXPECTED: &str = "a percentile of the response time and its bound, such as p99=1ms or p99.9=5ms,1k..200k";
    let (percentile, rest) = halves(text, '=', EXPECTED)?;
    let (bound, rates) = rest.split_once(',').map_or((rest, None), |(bound, rates)| (bound, Some(rates)));
    let digits = percentile
        .strip_prefix('p')
        .ok_or_else(|| format!("'{percentile}' is not a percentile; expected {EXPECTED}"))?;
    let per_cent = digits.parse::<f64>().ok().filter(|per_cent| (1.0..100.0).contains(per_cent));
    let per_cent = per_cent.ok_or_else(|| format!("'{percentile}' is not a percentile; expected p1 to p99.999"))?;
    let (from, to) = match rates {
        Some(rates) => {
            let expected = "two rates, such as 1k..200k";
            let (from, to) = rates.split_once("..").ok_or_else(|| format!("'{rates}' is not {expected}"))?;
            (rate(from)?, rate(to)?)
        }
        None => {
            let enough = 100.0 / (100.0 - per_cent) / time.as_secs_f64();
            (self::text(&format!("{} IOPS", (enough * 1.1).max(100.0).ceil())), self::text("1000000 IOPS"))
        }
    };
    let mut search = Table::new();
    search.insert("percentile".to_owned(), number(digits)?);
    search.insert("bound".to_owned(), self::text(bound));
    search.insert("from".to_owned(), from);
    search.insert("to".to_owned(), to);
    if let Some(rounds) = rounds {
        search.insert("rounds".to_owned(), count(rounds));
    }
    Ok(Value::Table(search))
}

/// `iops`, `throughput` or `latency_mean`: what is watched until it is steady; `rounds` are the most that it may take.
pub(super) fn steady(tracked: &str, rounds: Option<u64>) -> Value {
    let mut steady = Table::new();
    steady.insert("tracked".to_owned(), word(tracked));
    steady.insert("max_rounds".to_owned(), count(rounds.unwrap_or(STEADY_ROUNDS)));
    Value::Table(steady)
}

/// `1s/2s` or `32MB/20%`
pub(super) fn bursts(text: &str) -> Parsed {
    let (on, off) =
        halves(text, '/', "the time on and the time off, such as 1s/2s, or volume and duty cycle: 32MB/20%")?;
    if let Some(percent) = off.strip_suffix('%') {
        let duty = percent
            .trim()
            .parse::<u32>()
            .map_err(|_| "the duty cycle is not a whole number; expected one such as 20%".to_owned())?;
        return Ok(table([("volume", self::text(on)), ("duty_cycle", count(duty.into()))]));
    }
    Ok(table([("on", self::text(on)), ("off", self::text(off))]))
}

/// `name=writer op=write rate="20 MB/s"`: values may be quoted, or be lists and tables as in TOML.
pub(super) fn group(keys: &str) -> Result<Table, String> {
    let mut group = Table::new();
    let mut rest = keys.trim();
    while !rest.is_empty() {
        let (key, behind) = halves(rest, '=', "key=value, such as op=write")?;
        let (value, behind) = first_value(behind)?;
        let key = match key.trim() {
            "block" => "block_size".to_owned(),
            "qd" => "queue_depth".to_owned(),
            key => key.replace('-', "_"),
        };
        if group.contains_key(&key) {
            return Err(format!("`{key}` is given twice; leave one out"));
        }
        group.insert(key, value);
        rest = behind.trim_start();
    }
    Ok(group)
}

/// The value at the beginning of a text, and what is behind it.
fn first_value(text: &str) -> Result<(Value, &str), String> {
    let mut open = Vec::new();
    let mut end = text.len();
    for (at, sign) in text.char_indices() {
        match (open.last(), sign) {
            (Some('"'), '"') => drop(open.pop()),
            (Some('"'), _) => {}
            (_, '"') => open.push('"'),
            (_, '[' | '{') => open.push(sign),
            (Some(_), ']' | '}') => drop(open.pop()),
            (None, sign) if sign.is_whitespace() => {
                end = at;
                break;
            }
            _ => {}
        }
    }
    let (value, behind) = text.split_at(end);
    let is_toml = value.starts_with(['"', '[', '{']);
    match format!("value = {value}").parse::<Table>() {
        Ok(mut table) if is_toml || !matches!(table.get("value"), Some(Value::Datetime(_))) => {
            Ok((table.remove("value").unwrap_or(Value::Boolean(false)), behind))
        }
        Err(error) if is_toml => Err(format!("'{value}' is not a value: {}", error.message())),
        _ if value.is_empty() => Err("a key has no value; expected key=value, such as op=write".to_owned()),
        _ => Ok((self::text(value), behind)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(parsed: Parsed) -> String {
        parsed.map_or_else(|wrong| wrong, |value| value.to_string())
    }

    #[test]
    fn texts_become_the_values_of_the_language() {
        let op_of = |text| op(text).map(|(key, value)| format!("{key} = {value}")).unwrap_or_else(|wrong| wrong);
        assert_eq!(op_of("write-zeroes"), "op = \"write_zeroes\"");
        assert_eq!(op_of("mix=70"), "write_percent = 30");
        assert!(op_of("mix=101").contains("mix=70"));
        assert!(op_of("randread").contains("--op read --pattern random"));
        assert!(op_of("rw").contains("--op mix=50 --pattern sequential"));
        let block_of = |text| block(text).map(|(key, value)| format!("{key} = {value}")).unwrap_or_else(|wrong| wrong);
        assert_eq!(block_of("4k"), "block_size = \"4k\"");
        assert_eq!(
            block_of("4k:60,64k:40"),
            "block_size_mix = [{ block_size = \"4k\", share = 60 }, { block_size = \"64k\", share = 40 }]"
        );
        assert!(block_of("4k,64k").contains("4k:60"));
        assert_eq!(shown(Ok(span("10%+1GiB"))), "{ length = \"1GiB\", offset = \"10%\" }");
        assert_eq!(shown(rate("10k")), "\"10000 IOPS\"");
        assert_eq!(shown(rate("1.5M")), "\"1500000 IOPS\"");
        assert_eq!(shown(rate("50MB/s")), "\"50MB/s\"");
        assert!(shown(rate("fast")).contains("50MB/s"));
        assert_eq!(shown(cpu_numbers("0,2-3").map(|cpus| cpu_list(&cpus))), "[0, 2, 3]");
        assert!(cpu_numbers("3-1").is_err_and(|wrong| wrong.contains("0,2-3")));
        assert_eq!(shown(bursts("1s/2s")), "{ off = \"2s\", on = \"1s\" }");
    }

    #[test]
    fn a_search_begins_where_enough_operations_arrive() {
        let of = |text| shown(search(text, None, Nanos::from_secs(10)));
        assert!(of("p99=1ms").contains("from = \"100 IOPS\"") && of("p99=1ms").contains("percentile = 99"));
        assert!(of("p99.99=1ms").contains("from = \"1100 IOPS\""), "{}", of("p99.99=1ms"));
        assert!(of("p99.9=5ms,1k..200k").contains("to = \"200000 IOPS\""));
        for wrong in ["p99", "99=1ms", "p100=1ms", "p99=1ms,1k"] {
            assert!(search(wrong, None, Nanos::from_secs(1)).is_err(), "{wrong}");
        }
    }

    #[test]
    fn spreads_become_tables_and_wrong_ones_say_what_would_do() {
        assert_eq!(shown(locality("zipf:1.1", true)), "{ scattered = true, zipf = 1.1 }");
        assert_eq!(shown(locality("normal:10", true)), "{ normal = 10 }");
        assert_eq!(
            shown(locality("zones:50/5,50/95", true)),
            "{ zones = [{ accesses = 50, span = 5 }, { accesses = 50, span = 95 }] }"
        );
        assert_eq!(shown(locality("hot-band:70/0-20", true)), "{ hot_band = { accesses = 70, from = 0, to = 20 } }");
        for wrong in ["zipf", "zipf:much", "zones:50", "hot-band:70/20", "gauss:1"] {
            assert!(locality(wrong, true).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_group_is_keys_and_values_as_in_toml() {
        let group = group("name=writer op=write block=64k rate=\"20 MB/s\" cpus=[0, 1] qd=4").expect("a group");
        assert_eq!(group["block_size"].as_str(), Some("64k"));
        assert_eq!(group["rate"].as_str(), Some("20 MB/s"));
        assert_eq!(group["cpus"].as_array().map(Vec::len), Some(2));
        assert_eq!(group["queue_depth"].as_integer(), Some(4));
        for wrong in ["name", "name=", "name=a name=b", "cpus=[1"] {
            assert!(super::group(wrong).is_err(), "{wrong}");
        }
    }
}
