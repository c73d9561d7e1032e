//! Fills a file system that drivelab created to a given share of its size, with a file of incompressible data.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

use drivelab_core::clock::StopToken;
use drivelab_core::units::{Bytes, Percent};

use crate::error::ConditionsError;

/// The file that takes up the space.
const FILE: &str = "ballast";
/// The folder next to it in which the run measures.
const TEST: &str = "test";

/// The folder in which the run measures, created if it does not exist.
pub(crate) fn test_folder(mounted: &Path) -> Result<PathBuf, ConditionsError> {
    let folder = mounted.join(TEST);
    fs::create_dir_all(&folder).map_err(ConditionsError::system("cannot make", &folder))?;
    Ok(folder)
}

/// Writes until this share of the file system is used; returns the number of written bytes, durable.
pub(crate) fn fill(mounted: &Path, percent: Percent, stop: &StopToken) -> Result<Bytes, ConditionsError> {
    let space =
        rustix::fs::statvfs(mounted).map_err(ConditionsError::system("cannot determine the free space of", mounted))?;
    let total = u128::from(space.f_blocks) * u128::from(space.f_frsize);
    let taken = u128::from(space.f_blocks - space.f_bfree.min(space.f_blocks)) * u128::from(space.f_frsize);
    let wanted = (total * u128::from(percent.get()) / 100).saturating_sub(taken);
    let wanted = Bytes::new(u64::try_from(wanted).unwrap_or(u64::MAX)).align_down(Bytes::MIB);
    let path = mounted.join(FILE);
    let failed = || ConditionsError::system("cannot write", &path);
    let mut file = File::create_new(&path).map_err(failed())?;
    let mut noise = Noise(wanted.get() | 1);
    let mut block = vec![0; 1 << 20];
    for _ in 0..wanted.get() >> 20 {
        if stop.is_stopped() {
            return Err(ConditionsError::Stopped);
        }
        noise.fill(&mut block);
        file.write_all(&block).map_err(failed())?;
    }
    file.sync_all().map_err(failed())?;
    Ok(wanted)
}

/// SplitMix64 (Steele, Lea and Flood 2014): no eight bytes repeat within 2^64 of them.
struct Noise(u64);

impl Noise {
    fn fill(&mut self, block: &mut [u8]) {
        for word in block.chunks_exact_mut(8) {
            self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            word.copy_from_slice(&(mixed ^ (mixed >> 31)).to_le_bytes());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::uniform::{chi_square, is_uniform};

    #[test]
    fn what_takes_the_room_cannot_be_compressed() {
        let mut block = vec![0; 1 << 20];
        Noise(1).fill(&mut block);
        assert!(is_uniform(block.len(), chi_square(&block)));
        let words: std::collections::HashSet<&[u8]> = block.chunks_exact(8).collect();
        assert_eq!(words.len(), block.len() / 8);
    }
}
