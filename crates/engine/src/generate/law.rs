//! Where random operations with repetition go: uniform, zipf, pareto, normal, zones, a hot band.
//!
//! A law maps 64 random bits to a place among the units of the stretch. Floating point is used only if a law is
//! curved.

use drivelab_core::load::{Locality, Zone};
use drivelab_core::units::Percent;

use super::feistel::Feistel;
use super::zipf::Zipf;
use super::{GOLDEN, bounded, mix, threshold, unit_interval};

/// Key of the permutation that scatters ranks. It never changes, so that what is hot in one step is hot in the next,
/// whatever the seed.
const SCATTER_KEY: u64 = 0x5CA7_7E2E_D000_0001;

/// A part of the stretch, in units.
#[derive(Debug, Clone, Copy)]
struct Part {
    first: u64,
    count: u64,
}

#[derive(Debug, Clone)]
enum Curve {
    Uniform,
    Zipf(Zipf),
    /// The power that turns a uniform number into a place.
    Pareto(f64),
    /// Standard deviation in units.
    Normal(f64),
    /// Where the share of each zone ends among 64-bit numbers, and its part.
    Zoned(Box<[(u64, Part)]>),
    /// Random numbers below this go to the part.
    HotBand(u64, Part),
}

/// How places are drawn.
#[derive(Debug, Clone)]
pub(crate) struct Law {
    units: u64,
    curve: Curve,
    scatter: Option<Feistel>,
}

impl Law {
    /// Over `units` units, at least 1. The error is a sentence.
    pub(crate) fn new(locality: &Locality, units: u64) -> Result<Self, String> {
        let scatter = |scattered: bool| scattered.then(|| Feistel::new(units, SCATTER_KEY));
        let law = |curve, scatter| Law { units, curve, scatter };
        Ok(match locality {
            Locality::Uniform => law(Curve::Uniform, None),
            Locality::Zipf { theta_thousandths: theta, scattered } => {
                if !(1..=10_000).contains(theta) {
                    return Err(format!("a zipf exponent of {}: choose one from 0.001 to 10", thousandths(*theta)));
                }
                law(Curve::Zipf(Zipf::new(thousandths(*theta), units)), scatter(*scattered))
            }
            Locality::Pareto { h_thousandths: h, scattered } => {
                if !(1..=999).contains(h) {
                    return Err(format!("a pareto share of {}: choose one from 0.001 to 0.999", thousandths(*h)));
                }
                law(Curve::Pareto(pareto_power(thousandths(*h))), scatter(*scattered))
            }
            Locality::Normal { deviation_percent } => {
                if deviation_percent.is_zero() {
                    return Err("a normal locality with a deviation of 0 % reaches only one block: choose 1 % or more"
                        .to_owned());
                }
                law(Curve::Normal(units as f64 * f64::from(deviation_percent.get()) / 100.0), None)
            }
            Locality::Zoned { zones } => law(Curve::Zoned(zoned(zones, units)?), None),
            Locality::HotBand { accesses, from_percent, to_percent } => {
                let part = part(units, u64::from(from_percent.get()), u64::from(to_percent.get()));
                let Some(part) = part.filter(|_| accesses.get() <= 100) else {
                    return Err(format!(
                        "a hot band from {from_percent} to {to_percent} of a stretch of {units} blocks contains no block: \
                     make the band wider, or the span larger"
                    ));
                };
                law(Curve::HotBand(threshold(u64::from(accesses.get()), 100), part), None)
            }
        })
    }

    /// Start of an operation of `size` units, a multiple of it, from 64 random bits.
    pub(crate) fn place(&self, random: u64, size: u64) -> u64 {
        let again = mix(random.wrapping_add(GOLDEN));
        let whole = Part { first: 0, count: self.units };
        let drawn = match &self.curve {
            Curve::Uniform => return self.within(whole, random, size),
            Curve::Zoned(zones) => {
                // All zones are compared, because the processor cannot predict which one it is.
                let zone = zones.iter().map(|(end, _)| usize::from(random >= *end)).sum::<usize>();
                let part = zones.get(zone).or(zones.last()).map_or(whole, |(_, part)| *part);
                return self.within(part, again, size);
            }
            Curve::HotBand(below, part) => {
                return self.within(if random < *below { *part } else { whole }, again, size);
            }
            Curve::Zipf(zipf) => zipf.rank(random) - 1,
            Curve::Pareto(power) => (self.units as f64 * unit_interval(random).powf(*power)) as u64,
            Curve::Normal(deviation) => normal(random, *deviation, self.units),
        };
        let drawn = drawn.min(self.units - 1);
        let drawn = self.scatter.as_ref().map_or(drawn, |scatter| scatter.at(drawn, 0));
        if size == 1 { drawn } else { (drawn / size).min((self.units / size).saturating_sub(1)) * size }
    }

    /// A multiple of `size` that lies in a part; if there is none, the multiple before it.
    fn within(&self, part: Part, random: u64, size: u64) -> u64 {
        if size == 1 {
            return part.first + bounded(random, part.count);
        }
        let most = self.units / size;
        let (first, end) = (part.first.div_ceil(size), (part.first + part.count).div_ceil(size).min(most));
        if first < end {
            (first + bounded(random, end - first)) * size
        } else {
            (part.first / size).min(most.saturating_sub(1)) * size
        }
    }
}

fn thousandths(value: u32) -> f64 {
    f64::from(value) / 1000.0
}

/// ln h / ln(1 - h): a uniform number to this power is self-similar; of any first part, the first h gets 1 - h of the
/// accesses (Gray and others: "Quickly generating billion-record synthetic databases", SIGMOD 1994; fio's
/// `pareto:h`).
fn pareto_power(h: f64) -> f64 {
    h.ln() / (1.0 - h).ln()
}

/// The part between two percentages; `None` if it has no unit.
fn part(units: u64, from: u64, to: u64) -> Option<Part> {
    let border = |percent: u64| ((u128::from(units) * u128::from(percent.min(100))) / 100) as u64;
    let (first, end) = (border(from), border(to));
    (first < end).then(|| Part { first, count: end - first })
}

fn zoned(zones: &[Zone], units: u64) -> Result<Box<[(u64, Part)]>, String> {
    let sum = |share: fn(&Zone) -> Percent| zones.iter().map(|zone| u64::from(share(zone).get())).sum::<u64>();
    let (accesses, span) = (sum(|zone| zone.accesses), sum(|zone| zone.span));
    if (accesses, span) != (100, 100) {
        return Err(format!(
            "the zones have {accesses} % of the accesses and {span} % of the span: both must add up to 100 %"
        ));
    }
    let (mut accesses, mut from) = (0, 0);
    let mut parts = Vec::with_capacity(zones.len());
    for zone in zones {
        let to = from + u64::from(zone.span.get());
        accesses += u64::from(zone.accesses.get());
        let part = part(units, from, to);
        from = to;
        match part {
            _ if zone.accesses.is_zero() => {}
            Some(part) => parts.push((threshold(accesses, 100), part)),
            None => {
                return Err(format!(
                    "the zone with {} of the accesses contains no block of a stretch of {units}: make the span or the zone \
                 larger",
                    zone.accesses
                ));
            }
        }
    }
    Ok(parts.into())
}

/// Normal around the middle (Box and Muller 1958), drawn again if it leaves the stretch.
fn normal(random: u64, deviation: f64, units: u64) -> u64 {
    let mut random = random;
    loop {
        let second = mix(random.wrapping_add(GOLDEN));
        let radius = (-2.0 * unit_interval(random).ln()).sqrt() * deviation;
        let (sine, cosine) = (unit_interval(second) * std::f64::consts::TAU).sin_cos();
        for place in [cosine, sine].map(|part| units as f64 / 2.0 + radius * part) {
            if place >= 0.0 && place < units as f64 {
                return place as u64;
            }
        }
        random = mix(second.wrapping_add(GOLDEN));
    }
}

#[cfg(test)]
mod tests;
