//! A set of files, and the work of a step on it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::units::{Bytes, Percent};

/// Most files in a set: their sizes and the open folders are kept in memory while the set is in use.
pub const FILES_MAX: u32 = 200_000;

/// Files in each folder of a set.
pub const FILES_PER_FOLDER: u32 = 1000;

/// Sizes of the files of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileSizes {
    /// All files have the same size.
    Fixed {
        /// Bytes of each file.
        size: Bytes,
    },
    /// Log-normal: the logarithm of the size is normally distributed around that of the median. Sizes are drawn in
    /// pairs above and below it, so that the set has exactly the median asked for.
    LogNormal {
        /// Median size.
        median: Bytes,
        /// Standard deviation of the natural logarithm, in millionths.
        sigma_millionths: u32,
    },
    /// The logarithm of the size is uniform between two bounds.
    LogUniform {
        /// Smallest size that can be drawn.
        smallest: Bytes,
        /// Largest size that can be drawn.
        largest: Bytes,
    },
}

/// A set of files.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct FileSet {
    /// Its name in the methodology and the name of its folder: lower-case letters, digits, hyphens.
    pub name: String,
    /// Number of files.
    pub count: u32,
    /// Sizes of the files.
    pub sizes: FileSizes,
    /// Total bytes of the set, to which the drawn sizes are scaled; absent if they stay as drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<Bytes>,
    /// Seed of the sizes and the content.
    pub seed: u64,
    /// Share of each 4 KiB of content that is zero bytes; the rest does not compress.
    #[serde(default, skip_serializing_if = "Percent::is_zero")]
    pub compress_percent: Percent,
}

/// The work on each file of a set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileWork {
    /// Create the file with content from memory.
    Create,
    /// Read the file from its place and write it to the drive as a new file.
    Copy,
    /// Read the file.
    Read,
    /// Read the file and compare its content with what was written.
    Verify,
    /// Remove the file.
    Delete,
}

/// Which copy of a set is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FilePlace {
    /// Where the files come from: a folder named by the user, otherwise memory, where the content is generated.
    Source,
    /// The set on the drive, created there or copied from the source.
    Original,
    /// The copy of it that was made on the drive.
    Copy,
}

/// When written data must be durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum FileSync {
    /// After each file, before it counts as done, and all folders at the end: fsync(2).
    Each,
    /// Once at the end, inside the time of the step: syncfs(2).
    End,
    /// Never: the data measured may still be in memory.
    Never,
}

/// A load on a set of files: one operation is one file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
pub struct FileLoad {
    /// The set.
    pub set: FileSet,
    /// The work on each of its files.
    pub work: FileWork,
    /// The copy that is copied, read, verified or deleted; `original` for `create`, which makes it.
    pub of: FilePlace,
    /// When written data must be durable.
    pub sync: FileSync,
}

impl FileWork {
    /// The name in files and records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            FileWork::Create => "create",
            FileWork::Copy => "copy",
            FileWork::Read => "read",
            FileWork::Verify => "verify",
            FileWork::Delete => "delete",
        }
    }

    /// Whether the work only reads.
    #[must_use]
    pub const fn reads(self) -> bool {
        matches!(self, FileWork::Read | FileWork::Verify)
    }

    /// Whether the work makes files.
    #[must_use]
    pub const fn makes(self) -> bool {
        matches!(self, FileWork::Create | FileWork::Copy)
    }
}

impl FilePlace {
    /// The name in files and records.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            FilePlace::Source => "source",
            FilePlace::Original => "original",
            FilePlace::Copy => "copy",
        }
    }
}

impl FileLoad {
    /// Which copy the files that it makes become; `None` if it makes none.
    #[must_use]
    pub const fn makes(&self) -> Option<FilePlace> {
        match (self.work, self.of) {
            (FileWork::Create, _) | (FileWork::Copy, FilePlace::Source) => Some(FilePlace::Original),
            (FileWork::Copy, _) => Some(FilePlace::Copy),
            _ => None,
        }
    }

    /// Bytes that the load moves: a copy counts once, a deletion counts nothing.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        if self.work == FileWork::Delete { Bytes::new(0) } else { self.set.bytes() }
    }
}

impl FileSizes {
    /// The log-normal distribution with which `count` files around this median have `total` bytes together. Its
    /// spread is found by bisection. `None` if the files would have to be smaller than their median on average, or
    /// far larger.
    #[must_use]
    pub fn log_normal_of_total(median: Bytes, count: u32, total: Bytes, seed: u64) -> Option<FileSizes> {
        let draws = normal_draws(count, seed);
        let sum = |sigma: f64| draws.iter().map(|z| median.as_f64() * (sigma * z).exp()).sum::<f64>();
        let (mut low, mut high) = (0.0, 5.0);
        if sum(low) > total.as_f64() || sum(high) < total.as_f64() {
            return None;
        }
        for _ in 0..60 {
            let middle = f64::midpoint(low, high);
            if sum(middle) > total.as_f64() { high = middle } else { low = middle }
        }
        Some(FileSizes::LogNormal { median, sigma_millionths: (low * 1e6).round() as u32 })
    }
}

impl FileSet {
    /// The size of each file in bytes, in the order of their numbers. Every call gives the same sizes.
    #[must_use]
    pub fn file_sizes(&self) -> Vec<u64> {
        let drawn: Vec<f64> = match self.sizes {
            FileSizes::Fixed { size } => vec![size.as_f64(); self.count as usize],
            FileSizes::LogNormal { median, sigma_millionths } => {
                let sigma = f64::from(sigma_millionths) / 1e6;
                normal_draws(self.count, self.seed).iter().map(|z| median.as_f64() * (sigma * z).exp()).collect()
            }
            FileSizes::LogUniform { smallest, largest } => {
                let (low, high) = (smallest.as_f64().max(1.0).ln(), largest.as_f64().max(1.0).ln());
                let mut state = self.seed;
                (0..self.count).map(|_| (low + (high - low) * unit(&mut state)).exp()).collect()
            }
        };
        let sum: f64 = drawn.iter().sum();
        let factor = self.total.map_or(1.0, |total| total.as_f64() / sum.max(1.0));
        let mut sizes: Vec<u64> = drawn.iter().map(|size| ((size * factor).round() as u64).max(1)).collect();
        if let Some(total) = self.total {
            settle(&mut sizes, total.get());
        }
        sizes
    }

    /// Bytes of all files together.
    #[must_use]
    pub fn bytes(&self) -> Bytes {
        Bytes::new(self.file_sizes().iter().sum())
    }

    /// Space of the set on a file system with 4 KiB blocks, including an inode for each file.
    #[must_use]
    pub fn bytes_on_disk(&self) -> Bytes {
        const BLOCK: u64 = 4096;
        const INODE: u64 = 512;
        Bytes::new(self.file_sizes().iter().map(|size| size.next_multiple_of(BLOCK) + INODE).sum())
    }

    /// This set with at most `count` files and `total` bytes, for the form that only shows that everything works.
    #[must_use]
    pub fn at_most(&self, count: u32, total: Bytes) -> FileSet {
        let total = total.min(self.bytes());
        FileSet { count: self.count.min(count), total: Some(total), ..self.clone() }
    }
}

/// Rounding leaves a few bytes too many or too few: the largest files take the difference. Each file keeps at least
/// one byte.
fn settle(sizes: &mut [u64], total: u64) {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    order.sort_by_key(|file| std::cmp::Reverse(sizes[*file]));
    let sum: u64 = sizes.iter().sum();
    if sum <= total {
        if let Some(size) = order.first().and_then(|file| sizes.get_mut(*file)) {
            *size += total - sum;
        }
        return;
    }
    let mut excess = sum - total;
    for file in order {
        let taken = excess.min(sizes[file] - 1);
        sizes[file] -= taken;
        excess -= taken;
    }
}

/// The next number of a SplitMix64 sequence.
#[inline]
const fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

/// A number greater than 0 and at most 1.
fn unit(state: &mut u64) -> f64 {
    ((next(state) >> 11) + 1) as f64 / (1u64 << 53) as f64
}

/// Standard normal numbers in pairs of opposite sign (Box-Muller transform); a zero is added if their number is odd.
fn normal_draws(count: u32, seed: u64) -> Vec<f64> {
    let mut state = seed;
    let mut draws = Vec::with_capacity(count as usize + 1);
    for _ in 0..count / 2 {
        let (radius, angle) = ((-2.0 * unit(&mut state).ln()).sqrt(), std::f64::consts::TAU * unit(&mut state));
        let z = radius * angle.cos();
        draws.extend([z, -z]);
    }
    if count % 2 == 1 {
        draws.push(0.0);
    }
    draws
}

#[cfg(test)]
mod tests {
    //! Sizes compared with their distribution.

    use super::*;

    fn set(count: u32, sizes: FileSizes, total: Option<Bytes>) -> FileSet {
        FileSet { name: "set".into(), count, sizes, total, seed: 7, compress_percent: Percent::ZERO }
    }

    fn median(sizes: &[u64]) -> f64 {
        let mut sorted = sizes.to_vec();
        sorted.sort_unstable();
        f64::midpoint(sorted[(sorted.len() - 1) / 2] as f64, sorted[sorted.len() / 2] as f64)
    }

    #[test]
    fn a_log_normal_set_has_its_median_and_its_total() {
        let (median_size, total) = (Bytes::new(64 << 10), Bytes::new(5_000_000_000));
        let sizes = FileSizes::log_normal_of_total(median_size, 30_000, total, 7).expect("a spread");
        let FileSizes::LogNormal { sigma_millionths, .. } = sizes else { panic!("another distribution") };
        // mean / median = 166,667 / 65,536 = 2.543 = exp(sigma^2 / 2), so sigma is about 1.366.
        assert!((1_300_000..1_430_000).contains(&sigma_millionths), "{sigma_millionths}");
        let drawn = set(30_000, sizes, Some(total)).file_sizes();
        assert_eq!((drawn.len(), drawn.iter().sum::<u64>()), (30_000, total.get()));
        assert!((median(&drawn) / median_size.as_f64() - 1.0).abs() < 0.01, "{}", median(&drawn));
        assert!(FileSizes::log_normal_of_total(median_size, 1000, Bytes::new(1000 << 10), 7).is_none());
    }

    #[test]
    fn log_uniform_sizes_keep_their_bounds_and_are_spread_by_their_logarithm() {
        let law = FileSizes::LogUniform { smallest: Bytes::new(1024), largest: Bytes::new(256 << 10) };
        let drawn = set(5000, law, None).file_sizes();
        assert!(drawn.iter().all(|size| (1024..=256 << 10).contains(size)));
        // Half of the logarithms lie below the middle one, 16 KiB; 6 standard deviations of 5000 draws are 212.
        let below = drawn.iter().filter(|size| **size < 16 << 10).count();
        assert!(below.abs_diff(2500) < 212, "{below}");
        assert_eq!(drawn, set(5000, law, None).file_sizes(), "the same seed gives the same sizes");
        assert_ne!(drawn, FileSet { seed: 8, ..set(5000, law, None) }.file_sizes());
    }

    #[test]
    fn a_smaller_set_has_exactly_the_bytes_it_may_have_and_no_empty_file() {
        let law = FileSizes::Fixed { size: Bytes::new(3_000_000_000) };
        let small = set(10, law, None).at_most(64, Bytes::new(1_000_003));
        assert_eq!((small.count, small.bytes()), (10, Bytes::new(1_000_003)));
        let few = set(5, law, Some(Bytes::new(7))).file_sizes();
        assert_eq!(few.iter().sum::<u64>(), 7);
        assert!(few.iter().all(|size| *size > 0));
        assert_eq!(set(3, FileSizes::Fixed { size: Bytes::new(5000) }, None).bytes_on_disk().get(), 3 * (8192 + 512));
    }
}
