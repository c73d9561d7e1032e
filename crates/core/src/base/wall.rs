//! The time of day and the ids of runs: one place, which a test or a simulation can control.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::ids::RunId;

/// Source of wall-clock times and ids of runs.
pub trait WallClock: Send + Sync {
    /// Milliseconds since 1970 in UTC.
    fn now_ms(&self) -> u64;

    /// A unique id for a run that begins now.
    fn run_id(&self) -> RunId;
}

/// The host's clock, and ids with random bits.
#[derive(Debug, Clone, Copy, Default)]
pub struct HostTime;

impl WallClock for HostTime {
    fn now_ms(&self) -> u64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
    }

    fn run_id(&self) -> RunId {
        RunId::now()
    }
}

/// A fixed time, and ids that follow from a seed: identical in every run of a program.
#[derive(Debug)]
pub struct SetTime {
    now_ms: u64,
    seed: u32,
    next: AtomicU32,
}

impl SetTime {
    /// A fixed time, and ids that contain `seed` (its lowest 24 bits) and a counter.
    #[must_use]
    pub const fn new(now_ms: u64, seed: u32) -> SetTime {
        SetTime { now_ms, seed, next: AtomicU32::new(0) }
    }
}

impl WallClock for SetTime {
    fn now_ms(&self) -> u64 {
        self.now_ms
    }

    fn run_id(&self) -> RunId {
        let number = self.next.fetch_add(1, Ordering::SeqCst);
        let mut bits = [0; 10];
        // A UUID reserves bits in the bytes 0 and 2.
        bits[3..6].copy_from_slice(&self.seed.to_be_bytes()[1..]);
        bits[6..].copy_from_slice(&number.to_be_bytes());
        RunId::of(self.now_ms, bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_time_gives_the_same_ids_again_and_never_one_twice() {
        let (one, other) = (SetTime::new(1_772_359_200_000, 7), SetTime::new(1_772_359_200_000, 7));
        let ids = [one.run_id(), one.run_id()];
        assert_eq!(ids, [other.run_id(), other.run_id()]);
        assert_ne!(ids[0], ids[1]);
        assert_eq!(ids[0].began_ms(), 1_772_359_200_000);
        let next = SetTime::new(1_772_359_200_000, 8);
        for _ in 0..4 {
            assert!(!ids.contains(&next.run_id()), "another seed, other ids");
        }
    }

    #[test]
    fn the_host_has_a_time_and_its_ids_begin_with_it() {
        let before = HostTime.now_ms();
        let id = HostTime.run_id();
        assert!(before > 1_700_000_000_000 && id.began_ms() >= before, "{id}");
    }
}
