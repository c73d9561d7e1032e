//! Block sizes of a load: one size, or a mix with shares of the operations or of the bytes.

use drivelab_core::load::SizeShare;
use drivelab_core::units::Bytes;
use drivelab_core::workload::Pattern;

use crate::tree::diagnostic::Diagnostic;
use crate::tree::errors::Errors;
use crate::tree::value::Table;
use crate::values::Values;

/// The sizes of a load.
#[derive(Debug, Clone)]
pub(crate) struct Sizes {
    pub(crate) largest: Bytes,
    pub(crate) smallest: Bytes,
    /// Empty if there is only one size.
    pub(crate) mix: Vec<SizeShare>,
}

impl Sizes {
    const fn one(size: Bytes) -> Sizes {
        Sizes { largest: size, smallest: size, mix: Vec::new() }
    }

    /// Mean bytes of an operation.
    pub(crate) fn mean(&self) -> f64 {
        let weight: f64 = self.mix.iter().map(|size| f64::from(size.operations)).sum();
        let bytes: f64 = self.mix.iter().map(|size| size.block_size.as_f64() * f64::from(size.operations)).sum();
        if self.mix.is_empty() { self.largest.as_f64() } else { bytes / weight }
    }
}

/// The sizes that the values state.
pub(crate) fn sizes(
    values: &Values<'_, '_>,
    preset: Option<Bytes>,
    pattern: Option<Pattern>,
    errors: &mut Errors,
) -> Option<Sizes> {
    let tables = values.tables("block_size_mix");
    if tables.is_empty() {
        values.holds("block_size_shares_of", Some("shares are stated by `block_size_mix`"), errors);
        let size = values.size("block_size").or(preset);
        if size.is_none() {
            errors.push(values.missing("block_size"));
        }
        return size.map(Sizes::one);
    }
    if pattern == Some(Pattern::RandomOnce) {
        let title = "blocks of several sizes cannot each be touched once";
        let label = "expected `block_size` with pattern = \"random_once\"";
        errors.push(Diagnostic::new(values.at("block_size_mix"), title, label));
        return None;
    }
    let mut shares: Vec<(Bytes, u64)> = Vec::new();
    for table in tables {
        let (Some(size), Some(share)) = (table.size("block_size"), table.whole("share")) else { continue };
        if shares.iter().any(|(other, _)| *other == size) {
            errors.push(double(table, size));
            return None;
        }
        shares.push((size, share));
    }
    let sizes = shares.iter().map(|(size, _)| *size);
    let (largest, smallest) = (sizes.clone().max()?, sizes.min()?);
    if largest == smallest {
        return Some(Sizes::one(largest));
    }
    let mix = weights(&shares, values.word("block_size_shares_of") == "bytes");
    Some(Sizes { largest, smallest, mix })
}

fn double(table: &Table, size: Bytes) -> Diagnostic {
    let at = table.get("block_size").map_or_else(|| table.at.clone(), |value| value.at.clone());
    Diagnostic::new(at, format!("{size} appears twice in `block_size_mix`"), "expected each size once")
}

/// Weights of the operations. A share of the bytes is divided by the size: exactly if the weights stay below 2^32,
/// otherwise to within 2^-32 of the largest.
fn weights(shares: &[(Bytes, u64)], of_bytes: bool) -> Vec<SizeShare> {
    let common = shares.iter().map(|(size, _)| u128::from(size.get())).reduce(least_common_multiple).unwrap_or(1);
    let weight = |(size, share): &(Bytes, u64)| {
        let factor = if of_bytes { common / u128::from(size.get()) } else { 1 };
        u128::from(*share).saturating_mul(factor)
    };
    let exact: Vec<u128> = shares.iter().map(weight).collect();
    let divisor = exact.iter().copied().reduce(common_divisor).unwrap_or(1).max(1);
    let largest = exact.iter().copied().max().unwrap_or(1) / divisor;
    let scale = largest.div_ceil(u128::from(u32::MAX)).max(1);
    let small = |weight: u128| u32::try_from((weight / divisor / scale).max(1)).unwrap_or(u32::MAX);
    shares
        .iter()
        .zip(exact)
        .map(|((size, _), weight)| SizeShare { block_size: *size, operations: small(weight) })
        .collect()
}

const fn common_divisor(mut left: u128, mut right: u128) -> u128 {
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left
}

fn least_common_multiple(left: u128, right: u128) -> u128 {
    (left / common_divisor(left, right)).saturating_mul(right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_of_bytes_become_shares_of_operations() {
        let sizes = [(Bytes::new(4096), 50), (Bytes::new(65_536), 50)];
        let of = |bytes| weights(&sizes, bytes).iter().map(|size| size.operations).collect::<Vec<_>>();
        assert_eq!((of(false), of(true)), (vec![1, 1], vec![16, 1]));
        // Half of the bytes in operations of 4 KiB, half in operations sixteen times as large: mean 2 x 64 / 17.
        let mix = Sizes { largest: Bytes::new(65_536), smallest: Bytes::new(4096), mix: weights(&sizes, true) };
        assert!((mix.mean() - 2.0 * 65_536.0 / 17.0).abs() < 1e-9);
    }

    #[test]
    fn sizes_without_a_common_measure_keep_their_proportion() {
        let primes = [(Bytes::new(2_147_483_647), 1), (Bytes::new(2_147_483_629), 1), (Bytes::new(512), 1)];
        let weights = weights(&primes, true);
        let ratio = f64::from(weights[2].operations) / f64::from(weights[0].operations);
        assert!((ratio / (2_147_483_647.0 / 512.0) - 1.0).abs() < 1e-3, "{ratio}");
    }
}
