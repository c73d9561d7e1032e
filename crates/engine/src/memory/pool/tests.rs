//! What the pool guarantees: no two operations share cells, and the same cells appear only a ring apart.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;

const SECTOR: u64 = 512;

/// Loads of one size and of several, in units as `fit` computes them.
fn demands() -> impl Strategy<Value = (Demand, Vec<u64>)> {
    let sizes = prop::collection::btree_set(0_u32..9, 1..4);
    let align = prop::sample::select(vec![SECTOR, 4096]);
    (sizes, 1_u64..40, 16_u32..22, align).prop_map(|(sizes, slots, window, align)| {
        let sizes: Vec<u64> = sizes.into_iter().map(|power| SECTOR << power).collect();
        let stride = sizes.iter().max().unwrap().next_multiple_of(align);
        let (unit, one_size) = (sizes[0], sizes.len() == 1);
        (Demand { window: 1 << window, unit, one_size, stride, align, slots }, sizes)
    })
}

/// A block on the target: its address, its length, and where in the pool it was made.
#[derive(Debug, Clone, Copy)]
struct Written {
    address: u64,
    length: u64,
    place: usize,
}

proptest! {
    /// Any load, any order of addresses, operations that end in any order: operations in flight share no byte of the
    /// pool, and no two blocks within a window share one.
    #[test]
    fn parts_in_flight_are_apart_and_the_same_bytes_come_again_only_behind_the_window(
        (demand, sizes) in demands(),
        writes in prop::collection::vec((any::<u16>(), any::<u8>(), any::<u8>()), 1..400),
    ) {
        let shape = PoolShape::new(demand);
        let mut pool = Pool::new(shape).unwrap();
        let slots = usize::try_from(demand.slots).unwrap();
        let (mut parts, mut in_flight) = (vec![Part::default(); slots], vec![None::<Written>; slots]);
        let mut lies: Vec<Written> = Vec::new();
        for (address, size, slot) in writes {
            let length = sizes[usize::from(size) % sizes.len()];
            let address = u64::from(address) * demand.unit;
            let slot = usize::from(slot) % slots;
            // The slot's last write has ended: only now does it give up its part.
            in_flight[slot] = None;
            let Some(place) = pool.take(&mut parts[slot], address, u32::try_from(length).unwrap()) else { continue };
            prop_assert!((place as u64).is_multiple_of(demand.align));
            prop_assert!(place + length as usize <= shape.ring_bytes());
            for other in in_flight.iter().flatten() {
                let apart = place as u64 + length <= other.place as u64
                    || other.place as u64 + other.length <= place as u64;
                prop_assert!(apart, "{other:?} and {address} + {length} at {place}");
            }
            let now = Written { address, length, place };
            in_flight[slot] = Some(now);
            lies.retain(|other| other.address + other.length <= address || address + length <= other.address);
            lies.push(now);
        }
        prop_assert!(shape.apart().unwrap() > demand.window);
        for (index, one) in lies.iter().enumerate() {
            for other in &lies[index + 1..] {
                let from = one.place.max(other.place);
                if from < (one.place + one.length as usize).min(other.place + other.length as usize) {
                    let lies_at = |block: &Written| block.address + (from - block.place) as u64;
                    let distance = lies_at(one).abs_diff(lies_at(other));
                    prop_assert!(distance > demand.window, "{one:?} and {other:?} have the same bytes {distance} apart");
                }
            }
        }
    }

    /// The remainder by multiplication is exact, for every address that a device can have.
    #[test]
    fn the_cell_of_an_address_is_its_unit_modulo_the_ring(window in 0_u64..(64 << 20), unit in 9_u32..21, at in 0_u64..1 << 60) {
        let demand = Demand { window, unit: 1 << unit, one_size: true, stride: 1 << unit, align: SECTOR, slots: 1 };
        let pool = Pool::new(PoolShape::new(demand)).unwrap();
        prop_assert_eq!(u64::from(pool.cell_of(at)), (at >> unit) % u64::from(pool.shape.ring));
    }
}

/// Random addresses of 4 KiB, the hardest case at each depth: fewer than one write in three hundred uses a spare
/// block.
#[test]
fn a_write_finds_its_cells_free_in_one_of_the_copies() {
    for slots in [1_u64, 2, 8, 32, 128, 512] {
        let demand = Demand { window: 1 << 20, unit: 4096, one_size: true, stride: 4096, align: SECTOR, slots };
        let shape = PoolShape::new(demand);
        let mut pool = Pool::new(shape).unwrap();
        let mut parts = vec![Part::default(); usize::try_from(slots).unwrap()];
        let mut fell_back = 0;
        for write in 0..100_000_u64 {
            let random = write.wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(23).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            let part = &mut parts[usize::try_from(write % slots).unwrap()];
            fell_back += u64::from(pool.take(part, random >> 20 << 12, 4096).is_none());
        }
        assert!(fell_back < 333, "{slots} slots: {fell_back} of 100,000 had to fall back, {shape:?}");
        assert!(u64::from(shape.copies) <= slots);
    }
}

/// With sequential addresses only the first copy is used.
#[test]
fn writes_in_order_use_one_copy() {
    let demand = Demand { window: 1 << 20, unit: 4096, one_size: true, stride: 4096, align: SECTOR, slots: 32 };
    let shape = PoolShape::new(demand);
    let mut pool = Pool::new(shape).unwrap();
    let mut parts = [Part::default(); 32];
    let places: HashMap<usize, u64> = (0..10_000_u64).fold(HashMap::new(), |mut seen, write| {
        let place = pool.take(&mut parts[usize::try_from(write % 32).unwrap()], write * 4096, 4096).unwrap();
        *seen.entry(place / shape.copy_bytes()).or_default() += 1;
        seen
    });
    assert_eq!(places, HashMap::from([(0, 10_000)]));
}

/// The largest blocks need no ring: each is longer than the window.
#[test]
fn blocks_longer_than_the_window_have_one_cell_for_each_slot() {
    let stride = 4 << 20;
    let demand = Demand { window: 1 << 20, unit: stride, one_size: true, stride, align: SECTOR, slots: 4 };
    let shape = PoolShape::new(demand);
    assert_eq!((shape.ring, shape.copies, shape.spares), (1, 4, false));
    assert_eq!(shape.ring_bytes(), 4 * (4 << 20));
    assert_eq!(shape.apart(), Some(4 << 20));
}
