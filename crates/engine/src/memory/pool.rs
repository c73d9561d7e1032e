//! Which part of the pool of random bytes a write uses.
//!
//! The pool must be small: every write stamps it, and memory that is not in a cache delays the system call that
//! follows. But no bytes of it may appear twice near each other on the target, or a compressor would find them. So
//! the address of a write determines its part of the pool: the pool is a ring of cells, and the cell of an address is
//! the address modulo the ring. Two blocks contain the same bytes only if they lie a whole ring (or several) apart,
//! whatever the order of the writes and however many threads write, since each thread has a pool with different
//! bytes.
//!
//! With several operations in flight, two of them may need the same cells. For that a thread has copies of the ring,
//! each with different bytes, and enough of them that one is nearly always free. Otherwise a slot falls back on its
//! spare block, which no other slot uses.

/// Most copies of one ring: each is one bit in the map of taken cells.
const COPIES_MAX: u32 = 32;
/// A slot may find its cells taken in all copies this often: one write in a thousand.
const FALLBACKS: f64 = 1e-3;

/// Sizes of a pool; all threads of a step have the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct PoolShape {
    /// Addresses count in units of `1 << unit_shift` bytes.
    unit_shift: u32,
    /// Bytes of a cell: a unit, or more if blocks or the alignment of buffers do not fit into one.
    cell: usize,
    /// Cells after which the ring begins again; at least 1.
    ring: u32,
    /// Cells of the longest operation.
    longest: u32,
    copies: u32,
    /// Distance in bytes, in the order of addresses, after which the same bytes may come again.
    apart: u64,
    /// Each slot also has a block of its own.
    spares: bool,
}

/// What is to be written, as far as the pool needs to know.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Demand {
    /// Distance in bytes, in the order of addresses, within which nothing may repeat.
    pub(crate) window: u64,
    /// A power of two by which addresses are told apart. With one size: the largest that is not larger than it; with
    /// several: the largest that all are multiples of.
    pub(crate) unit: u64,
    /// Whether there is only one size.
    pub(crate) one_size: bool,
    /// Bytes from buffer to buffer: the largest size, aligned.
    pub(crate) stride: u64,
    /// What buffers must be aligned to; at least a sector.
    pub(crate) align: u64,
    pub(crate) slots: u64,
}

impl PoolShape {
    /// For data whose bytes do not depend on where it is written: a block for each slot.
    pub(crate) const BLOCKS: PoolShape =
        PoolShape { unit_shift: 0, cell: 0, ring: 0, longest: 0, copies: 0, apart: 0, spares: true };

    /// The smallest pool that is sufficient.
    pub(crate) fn new(demand: Demand) -> Self {
        let Demand { window, unit, one_size, stride, align, slots } = demand;
        let unit_shift = unit.max(1).ilog2();
        let cell = if one_size { stride } else { unit.max(align) };
        let longest = stride.div_ceil(cell);
        // If cells are larger than units, the bytes of an operation of several cells lie earlier in the ring than its
        // addresses.
        let earlier = if longest > 1 && cell > unit { stride } else { 0 };
        let ring = ((window + earlier) >> unit_shift) + 1;
        let number = |count: u64| u32::try_from(count).unwrap_or(u32::MAX);
        let copies = copies(slots, longest, ring);
        PoolShape {
            unit_shift,
            cell: usize::try_from(cell).unwrap_or(usize::MAX),
            ring: number(ring),
            longest: number(longest),
            copies,
            apart: (ring << unit_shift) - earlier,
            spares: u64::from(copies) < slots,
        }
    }

    /// This shape for an arena with one slot.
    pub(crate) const fn for_one_slot(self) -> Self {
        if self.copies == 0 { self } else { PoolShape { copies: 1, spares: false, ..self } }
    }

    /// Distance in bytes, in the order of addresses, within which nothing comes twice; `None` if nothing is random.
    pub(crate) const fn apart(&self) -> Option<u64> {
        if self.copies == 0 { None } else { Some(self.apart) }
    }

    /// Bytes of a cell.
    pub(crate) const fn cell(&self) -> usize {
        self.cell
    }

    /// Cells of one copy. Operations that begin in the last cells of the ring continue past its end.
    const fn cells(&self) -> usize {
        if self.copies == 0 { 0 } else { self.ring as usize + self.longest as usize - 1 }
    }

    /// Bytes of one copy.
    pub(crate) const fn copy_bytes(&self) -> usize {
        self.cells().saturating_mul(self.cell)
    }

    /// Bytes of all copies.
    pub(crate) const fn ring_bytes(&self) -> usize {
        self.copy_bytes().saturating_mul(self.copies as usize)
    }

    /// Bytes of the pool of a thread, before it is known that they fit into memory.
    pub(crate) const fn bytes(&self, slots: u64, stride: u64) -> u128 {
        let rings = self.cells() as u128 * self.cell as u128 * self.copies as u128;
        rings + if self.spares { slots as u128 * stride as u128 } else { 0 }
    }
}

/// Number of copies of a ring for which a write finds its cells taken in all of them with a probability of at most
/// [`FALLBACKS`]. With random addresses, the number of other operations on the same cells is nearly Poisson
/// distributed; with sequential addresses it is 0, and the first copy is enough.
fn copies(slots: u64, longest: u64, ring: u64) -> u32 {
    let others = slots.saturating_sub(1) as f64;
    let mean = (others * (2 * longest - 1) as f64 / ring as f64).min(others);
    let (mut fewer, mut exactly) = (0.0, (-mean).exp());
    for copies in 1..COPIES_MAX {
        fewer += exactly;
        if u64::from(copies) >= slots || 1.0 - fewer <= FALLBACKS {
            return copies;
        }
        exactly *= mean / f64::from(copies);
    }
    COPIES_MAX
}

/// The lowest set bit.
const fn lowest(bits: u32) -> u32 {
    bits & bits.wrapping_neg()
}

/// The cells that a slot has until its next write.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Part {
    first: u32,
    cells: u32,
    /// The copy's bit; 0 if the slot uses its spare block instead.
    copy: u32,
}

/// Which slot has which cells of the pool of one thread.
#[derive(Debug)]
pub(crate) struct Pool {
    shape: PoolShape,
    /// For each cell, the copies in which a slot has it.
    taken: Box<[u32]>,
    /// Bits of all copies.
    all: u32,
    /// `2^64 / ring`, rounded up: used to compute the remainder by the ring.
    reciprocal: u64,
    copy_bytes: usize,
}

impl Pool {
    /// `None` if there are no rings.
    pub(crate) fn new(shape: PoolShape) -> Option<Self> {
        if shape.copies == 0 {
            return None;
        }
        let all = if shape.copies == COPIES_MAX { u32::MAX } else { (1 << shape.copies) - 1 };
        let reciprocal = if shape.ring > 1 { u64::MAX / u64::from(shape.ring) + 1 } else { 0 };
        // One slot never finds its own cells taken.
        let cells = if shape.copies > 1 || shape.spares { shape.cells() } else { 0 };
        Some(Pool { shape, taken: vec![0; cells].into_boxed_slice(), all, reciprocal, copy_bytes: shape.copy_bytes() })
    }

    /// The cell of an address: its unit modulo the ring, by a multiplication, since a division takes as long as the
    /// rest of making an operation.
    #[inline(always)]
    fn cell_of(&self, address: u64) -> u32 {
        let (unit, ring) = (address >> self.shape.unit_shift, u64::from(self.shape.ring));
        let quotient = ((u128::from(unit) * u128::from(self.reciprocal)) >> 64) as u64;
        let rest = unit.wrapping_sub(quotient.wrapping_mul(ring));
        // The quotient is exact below some 2^50 units. A ring of one cell has no reciprocal, and only cell 0.
        if rest < ring { rest as u32 } else { 0 }
    }

    /// Gives `part` back and takes the cells for `length` bytes at `address`. Returns where the part begins among the
    /// bytes of the rings; `None` if its cells are taken in every copy.
    #[inline(always)]
    pub(crate) fn take(&mut self, part: &mut Part, address: u64, length: u32) -> Option<usize> {
        let first = self.cell_of(address) as usize;
        if self.taken.is_empty() {
            return Some(first * self.shape.cell);
        }
        let copy = if self.shape.longest == 1 {
            self.taken[part.first as usize] &= !part.copy;
            let cell = &mut self.taken[first];
            let copy = lowest(!*cell & self.all);
            *cell |= copy;
            *part = Part { first: first as u32, cells: 1, copy };
            copy
        } else {
            self.take_several(part, first, (length as usize).div_ceil(self.shape.cell).max(1))
        };
        let place = first * self.shape.cell;
        (copy != 0).then(|| copy.trailing_zeros() as usize * self.copy_bytes + place)
    }

    /// The bit of the copy for operations of several cells; 0 if no copy has all of them free.
    #[inline(never)]
    fn take_several(&mut self, part: &mut Part, first: usize, cells: usize) -> u32 {
        let held = &mut self.taken[part.first as usize..(part.first + part.cells) as usize];
        held.iter_mut().for_each(|cell| *cell &= !part.copy);
        let wanted = &mut self.taken[first..first + cells];
        let copy = lowest(!wanted.iter().fold(0, |taken, cell| taken | cell) & self.all);
        wanted.iter_mut().for_each(|cell| *cell |= copy);
        *part = Part { first: first as u32, cells: cells as u32, copy };
        copy
    }
}

#[cfg(test)]
mod tests;
