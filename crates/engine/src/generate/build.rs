//! From a workload to the streams of its threads: which thread has which stretch, and which options exclude each
//! other.

use std::sync::Arc;

use drivelab_core::load::Verify;
use drivelab_core::workload::{Pattern, Streams, Workload};

use super::feistel::Feistel;
use super::kinds::Kinds;
use super::law::Law;
use super::order::{Apart, Jumps, Layout, Once, Walk};
use super::shares::fair_shares;
use super::sizes::Sizes;
use super::stream::{Order, Places, Stream};
use super::{derive, threshold};

/// The part of a thread's key that does not belong to its own draws: it is for the permutation that all threads
/// share.
const COMMON: u64 = u64::MAX;

/// The streams of the threads of one group (`workload.beside` is ignored), in order. The error is a sentence for the
/// user: what, why, what to do.
pub(crate) fn streams(workload: &Workload, key: u64) -> Result<Vec<Stream>, String> {
    check_pattern(workload)?;
    let (threads, block) = (u64::from(workload.threads.get()), workload.block_size.get());
    Sizes::new(workload, 0)?;
    let span_blocks = workload.span.length.get() / block;
    if span_blocks == 0 {
        return Err(format!(
            "the span of {} has no whole block of {}: use smaller blocks or a larger span",
            workload.span.length, workload.block_size
        ));
    }
    let division = Division::of(workload)?;
    let divided = matches!(division, Division::Stretches | Division::Interleaved);
    if divided && span_blocks < threads {
        return Err(format!(
            "{threads} threads with blocks of their own need at least {threads} blocks of {}, the span has \
             {span_blocks}: use fewer threads, smaller blocks or a larger span",
            workload.block_size
        ));
    }
    if division == Division::One {
        let stream =
            Plan { workload, first: 0, blocks: span_blocks, index: (0, 1), key: derive(key, 0) }.stream(key)?;
        return Ok(vec![stream; workload.threads.get() as usize]);
    }
    let lengths = match division {
        Division::Stretches => fair_shares(span_blocks, threads),
        _ => vec![span_blocks; workload.threads.get() as usize].into(),
    };
    let mut next = 0;
    let plans = lengths.iter().zip(0..).map(|(blocks, thread)| {
        let first = if division == Division::Stretches { next } else { 0 };
        next += blocks;
        let own = derive(key, thread);
        let (index, order_key) =
            if division == Division::Interleaved { ((thread, threads), derive(key, COMMON)) } else { ((0, 1), own) };
        Plan { workload, first, blocks: *blocks, index, key: own }.stream(order_key)
    });
    plans.collect()
}

/// Which part of the span each thread has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Division {
    /// The whole span, each thread in an order of its own.
    Whole,
    /// A stretch each.
    Stretches,
    /// Every n-th index of one random order.
    Interleaved,
    /// The whole span, in one order for all threads.
    One,
}

impl Division {
    fn of(workload: &Workload) -> Result<Self, String> {
        let verified = workload.verify != Verify::Off && workload.threads.get() > 1;
        Ok(match (workload.streams, workload.pattern) {
            (Streams::Overlapping | Streams::Shared, _) if verified => {
                return Err(format!(
                    "verification needs threads that never touch each other's blocks, but {} threads share the same \
                 span: use streams = \"disjoint\" or one thread",
                    workload.threads.get()
                ));
            }
            (Streams::Shared, _) => Division::One,
            (Streams::Overlapping | Streams::ByKind, _) => Division::Whole,
            (Streams::Disjoint, Pattern::Sequential | Pattern::Reverse) => Division::Stretches,
            (Streams::Disjoint, _) if verified => Division::Stretches,
            (Streams::Disjoint, Pattern::Random) => Division::Whole,
            (Streams::Disjoint, Pattern::RandomOnce) => Division::Interleaved,
        })
    }
}

/// Refuses options that exclude each other.
fn check_pattern(workload: &Workload) -> Result<(), String> {
    let Workload { block_size, stride, seek_percent, pattern, places, .. } = workload;
    let (name, mixed) = (pattern.name(), !workload.block_size_mix.is_empty());
    if !pattern.is_sequential() && (stride.is_some() || !seek_percent.is_zero()) {
        let what = if stride.is_some() { "a stride" } else { "a seek percentage" };
        return Err(format!("{what} has no meaning in {name} order: use pattern = \"sequential\" or leave it out"));
    }
    if *pattern != Pattern::Random && !workload.locality.is_uniform() {
        return Err(format!("a locality has no meaning in {name} order: use pattern = \"random\" or leave it out"));
    }
    if *pattern == Pattern::RandomOnce && mixed {
        return Err("every block once in random order needs one block size: leave out the mix of sizes, or use \
                    pattern = \"random\""
            .to_owned());
    }
    let plain = pattern.is_sequential() && !mixed && stride.is_none() && seek_percent.is_zero();
    let apart = workload.streams == Streams::ByKind;
    if apart && (!plain || places.is_some() || workload.verify != Verify::Off) {
        return Err(
            "streams by kind need all blocks in order, with one block size, without stride, jumps, places and \
             verification: use pattern = \"sequential\" or \"reverse\", or streams = \"overlapping\""
                .to_owned(),
        );
    }
    if places.is_some() && !plain {
        return Err(
            "places need sequential or reverse order, with one block size, without stride and jumps: use pattern = \
                    \"sequential\" or \"reverse\", or leave the places out"
                .to_owned(),
        );
    }
    let Some(stride) = stride else { return Ok(()) };
    if mixed {
        return Err("a stride needs one block size: leave out the mix of sizes or the stride".to_owned());
    }
    if stride.get() == 0 || !stride.get().is_multiple_of(block_size.get().max(1)) {
        return Err(format!(
            "a stride of {stride} is not a multiple of the block size {block_size}, so it would not touch each \
             block once: use a multiple"
        ));
    }
    Ok(())
}

/// One stream, before it is made.
struct Plan<'a> {
    workload: &'a Workload,
    /// First block of the stretch and the number of blocks, in blocks of the largest size.
    first: u64,
    blocks: u64,
    /// First index and distance of indices, in a random order in which each block comes once.
    index: (u64, u64),
    key: u64,
}

impl Plan<'_> {
    fn stream(&self, order_key: u64) -> Result<Stream, String> {
        let workload = self.workload;
        let part = |part: u64| derive(self.key, part);
        let sizes = Sizes::new(workload, part(1))?;
        let kinds = Kinds::new(workload, part(2))?;
        let (block, unit) = (workload.block_size.get(), sizes.unit());
        let units = self.blocks * (block / unit);
        let order = self.order(&sizes, units, order_key)?;
        let flushes = kinds.any_flush() && !kinds.only_flush();
        let layout = match &order {
            Order::Uniform | Order::Law(_) => Layout::COUNTER,
            Order::Once(once) => Layout::new(once.indices, flushes),
            Order::Walk(walk) => Layout::new(units, flushes && walk.jumps.is_none()),
            Order::Places(places) => Layout::new(places.len(), flushes),
            Order::Apart(apart) => apart.layout(),
            Order::Forward | Order::Backward => Layout::new(units, flushes),
        };
        let start = workload.span.offset.get() + self.first * block;
        Ok(Stream { order, layout, key: part(0), start, blocks: units, unit, kinds, sizes })
    }

    fn order(&self, sizes: &Sizes, units: u64, order_key: u64) -> Result<Order, String> {
        let workload = self.workload;
        Ok(match workload.pattern {
            Pattern::Random if workload.locality.is_uniform() && sizes.only().is_some() => Order::Uniform,
            Pattern::Random => Order::Law(Box::new(Law::new(&workload.locality, units)?)),
            Pattern::RandomOnce => {
                let (first, of) = self.index;
                let permutation = Feistel::new(self.blocks, derive(order_key, COMMON));
                Order::Once(Box::new(Once { permutation, first, of, indices: (self.blocks - first).div_ceil(of) }))
            }
            Pattern::Sequential | Pattern::Reverse if workload.places.is_some() => self.places()?,
            Pattern::Sequential | Pattern::Reverse if workload.streams == Streams::ByKind => {
                Order::Apart(Apart::new(units, workload.pattern == Pattern::Reverse)?)
            }
            Pattern::Sequential | Pattern::Reverse => self.walk(sizes, units)?,
        })
    }

    /// The places of the span that lie in its stretch.
    fn places(&self) -> Result<Order, String> {
        let Workload { span, block_size, places, pattern, .. } = self.workload;
        let all = places.map(|places| places.blocks(*span, *block_size)).unwrap_or_default();
        let own = all.iter().filter_map(|block| block.checked_sub(self.first)).filter(|block| *block < self.blocks);
        let blocks: Box<[u64]> = own.collect();
        if blocks.is_empty() {
            return Err(format!(
                "one of the threads has none of the {} places in its stretch: use fewer threads or more places",
                all.len()
            ));
        }
        Ok(Order::Places(Arc::new(Places { blocks, backwards: *pattern == Pattern::Reverse })))
    }

    fn walk(&self, sizes: &Sizes, units: u64) -> Result<Order, String> {
        let workload = self.workload;
        let seek = u64::from(workload.seek_percent.get());
        let stride = workload.stride.map_or(0, |stride| stride.get() / sizes.unit());
        if stride > 1 && stride >= units {
            return Err(format!(
                "a stride of {stride} blocks does not fit into a thread's stretch of {units}: use a smaller stride, \
                 fewer threads or a larger span"
            ));
        }
        let backwards = workload.pattern == Pattern::Reverse;
        if stride <= 1 && seek == 0 && sizes.only().is_some() {
            return Ok(if backwards { Order::Backward } else { Order::Forward });
        }
        let jumps = (seek > 0).then(|| Jumps {
            key: derive(self.key, 3),
            place_key: derive(self.key, 4),
            below: threshold(seek, 100),
            landings: self.blocks,
            units: workload.block_size.get() / sizes.unit(),
        });
        Ok(Order::Walk(Box::new(Walk { units, backwards, stride: if stride > 1 { stride } else { 0 }, jumps })))
    }
}
