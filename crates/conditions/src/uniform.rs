//! Whether bytes look encrypted: no piece of a known text among them, and all 256 values equally often. Pure.
//!
//! Chi-square test of goodness of fit (Pearson 1900; NIST/SEMATECH e-Handbook of Statistical Methods, 1.3.5.15) with
//! 255 degrees of freedom: mean 255, variance 510.

use std::collections::HashSet;

/// Largest distance of chi-square from its mean, in standard deviations of sqrt(510): random bytes exceed it in less
/// than one of ten million tests, and text, code or zeros exceed it by thousands.
const DEVIATIONS: f64 = 6.0;
/// Bytes of a piece: a cipher block of AES.
const PIECE: usize = 16;
/// Fewer bytes than this give every value an expected count below 16, too few for the test.
const LEAST: usize = 4096;

/// Chi-square of the bytes against equal shares of all 256 values; 0 if there are none.
#[must_use]
#[expect(clippy::cast_precision_loss, reason = "counts stay below 2^53")]
pub fn chi_square(bytes: &[u8]) -> f64 {
    let mut counts = [0_u64; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let expected = bytes.len() as f64 / 256.0;
    if bytes.is_empty() {
        return 0.0;
    }
    counts.iter().map(|count| (*count as f64 - expected).powi(2) / expected).sum()
}

/// Whether this many bytes with this chi-square look random: neither less nor more uniform than chance.
#[must_use]
pub fn is_uniform(bytes: usize, chi_square: f64) -> bool {
    bytes >= LEAST && (chi_square - 255.0).abs() <= DEVIATIONS * 510.0_f64.sqrt()
}

/// Pieces of 16 bytes of `below` that are pieces of the text.
#[must_use]
pub fn plain_pieces(text: &[u8], below: &[u8]) -> u64 {
    let known: HashSet<&[u8]> = text.chunks_exact(PIECE).collect();
    let found = below.chunks_exact(PIECE).filter(|piece| known.contains(piece)).count();
    u64::try_from(found).unwrap_or(u64::MAX)
}

/// A text of this length that no drive holds by chance; each 64 bytes of it are different.
#[must_use]
pub fn known_text(length: usize) -> Vec<u8> {
    let mut text = Vec::with_capacity(length + 64);
    for number in 0..length.div_ceil(64) {
        text.extend(format!("drivelab writes this text to find it again, line {number:>14}\n").as_bytes());
    }
    text.truncate(length);
    text
}

#[cfg(test)]
mod tests {
    //! Known answers, computed by hand, and the result for random, plain and suspiciously uniform bytes.

    use super::*;

    /// SplitMix64 (Steele, Lea and Flood 2014), a generator that needs no crate.
    fn random(count: usize) -> Vec<u8> {
        let mut state = 7_u64;
        let mut next = || {
            state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            mixed ^ (mixed >> 31)
        };
        (0..count / 8).flat_map(|_| next().to_le_bytes()).collect()
    }

    #[test]
    fn chi_square_by_hand() {
        // 512 bytes, expected 2 of each: all equal gives 0; all one value gives (510² / 2) + 255 · 2 = 130,560.
        let even: Vec<u8> = (0..=255).chain(0..=255).collect();
        assert!(chi_square(&even).abs() < 1e-9);
        assert!((chi_square(&[7; 512]) - 130_560.0).abs() < 1e-6);
        // One value once more and another once less than expected: 2 · 1² / 2 = 1.
        let mut swapped = even;
        swapped[0] = 1;
        assert!((chi_square(&swapped) - 1.0).abs() < 1e-9);
        assert!(chi_square(&[]).abs() < 1e-9);
    }

    #[test]
    fn random_bytes_pass_and_text_zeroes_and_counting_do_not() {
        let uniform = |bytes: &[u8]| is_uniform(bytes.len(), chi_square(bytes));
        assert!(uniform(&random(1 << 20)));
        assert!(!uniform(&known_text(1 << 20)));
        assert!(!uniform(&vec![0; 1 << 20]));
        let counting: Vec<u8> = (0..=255).cycle().take(1 << 20).collect();
        assert!(!uniform(&counting), "more uniform than chance");
        assert!(!uniform(&random(1024)), "too few to decide");
    }

    #[test]
    fn a_piece_of_the_text_is_found_wherever_it_lies() {
        let text = known_text(1 << 16);
        assert_eq!(text.len(), 1 << 16);
        let mut below = random(1 << 20);
        assert_eq!(plain_pieces(&text, &below), 0);
        below[4096..4096 + 64].copy_from_slice(&text[128..192]);
        assert_eq!(plain_pieces(&text, &below), 4);
        assert_eq!(plain_pieces(&text, &text), 1 << 12);
    }

    #[test]
    fn no_two_lines_of_the_text_are_the_same() {
        let text = known_text(1 << 16);
        let lines: HashSet<&[u8]> = text.chunks_exact(64).collect();
        assert_eq!(lines.len(), 1 << 10);
    }
}
