//! Fits a load to its target: the span in bytes, alignment, room for every stream.
//!
//! Owns what the smoke form changes if its target is too small. Must not know: where values come from.

use std::ops::Range;

use drivelab_core::load::SizeShare;
use drivelab_core::plan::Approximation;
use drivelab_core::units::Bytes;
use drivelab_core::workload::{Span, Streams, Workload};

use crate::load::workload::extent;
use crate::scope::Scope;
use crate::tree::diagnostic::Diagnostic;
use crate::tree::value::Extent;
use crate::values::Values;

/// Trace operations are multiples of this many bytes, if the target asks for less.
const LEAST_UNIT: u64 = 512;

/// What a load needs from its target, with the places that errors point to.
pub(crate) struct Needs {
    block_at: Range<usize>,
    span_at: Range<usize>,
    stride_at: Range<usize>,
    extent: Extent,
}

impl Needs {
    pub(crate) fn of(values: &Values<'_, '_>) -> Needs {
        let key = if values.get("block_size_mix").is_some() { "block_size_mix" } else { "block_size" };
        Needs {
            block_at: values.at(key),
            span_at: values.at("span"),
            stride_at: values.at("stride"),
            extent: extent(values),
        }
    }
}

/// The workload with its span in bytes, fitted to the target.
pub(crate) fn fitted(
    scope: &Scope<'_>,
    mut workload: Workload,
    needs: &Needs,
    approximations: &mut Vec<Approximation>,
) -> Result<Workload, Diagnostic> {
    let align = scope.shape.offset_align.get().max(1);
    let unaligned = |size: &Bytes| !size.get().is_multiple_of(align);
    if let Some(size) = workload.block_sizes().into_iter().find(|size| workload.direct && unaligned(size)) {
        let title = format!("{size} is not a multiple of the target's logical block, {align} bytes");
        return Err(Diagnostic::new(needs.block_at.clone(), title, format!("expected a multiple of {align} bytes"))
            .help("direct I/O moves whole logical blocks; choose another size, or direct = false"));
    }
    if workload.replay.is_some() && workload.block_size > scope.usable {
        // Longer operations of a trace are shortened one by one, and counted.
        workload.block_size = scope.usable.align_down(Bytes::new(align.max(LEAST_UNIT)));
    }
    if scope.smoke() && workload.block_size > scope.usable {
        shrink(&mut workload, scope.usable.align_down(Bytes::new(align)));
        note(approximations, "block_size", "the smoke form's target is smaller than one block");
    }
    workload.span = span(scope, needs, workload.block_size)?;
    room(scope, &mut workload, needs, approximations)?;
    Ok(workload)
}

/// Like [`fitted`], for a load that has to reach the very end of its span, which is seldom a multiple of the block
/// size: the load, and a second one for what its last whole block leaves.
pub(crate) fn fitted_to_the_end(
    scope: &Scope<'_>,
    workload: Workload,
    needs: &Needs,
    approximations: &mut Vec<Approximation>,
) -> Result<(Workload, Option<Workload>), Diagnostic> {
    let unit = Bytes::new(scope.shape.offset_align.get().max(LEAST_UNIT));
    let odd = !workload.block_size_mix.is_empty() || workload.stride.is_some() || workload.threads.get() > 1;
    if odd || scope.smoke() || scope.usable < unit {
        return Ok((fitted(scope, workload, needs, approximations)?, None));
    }
    let all = span(scope, needs, unit)?;
    let block_size = workload.block_size.min(all.length);
    let blocks = Span { length: all.length.align_down(block_size), ..all };
    let load = fitted(scope, Workload { block_size, ..workload }, needs, approximations)?;
    let rest = Bytes::new(all.end() - blocks.end());
    let behind = (rest.get() > 0).then(|| Workload {
        block_size: rest,
        span: Span { offset: Bytes::new(blocks.end()), length: rest },
        ..load.clone()
    });
    Ok((Workload { span: blocks, ..load }, behind))
}

fn note(approximations: &mut Vec<Approximation>, parameter: &str, reason: &str) {
    approximations.push(Approximation { parameter: parameter.to_owned(), reason: reason.to_owned() });
}

/// Reduces sizes that are larger than `most` to `most`, and drops the stride, which would be larger still.
fn shrink(workload: &mut Workload, most: Bytes) {
    workload.block_size = most;
    let mut mix: Vec<SizeShare> = Vec::new();
    for share in workload.block_size_mix.drain(..) {
        let size = share.block_size.min(most);
        match mix.iter_mut().find(|other| other.block_size == size) {
            Some(other) => other.operations = other.operations.saturating_add(share.operations),
            None => mix.push(SizeShare { block_size: size, ..share }),
        }
    }
    workload.stride = None;
    workload.block_size_mix = if mix.len() > 1 { mix } else { Vec::new() };
}

/// Checks the room for a block of each stream, or for a stride.
fn room(
    scope: &Scope<'_>,
    workload: &mut Workload,
    needs: &Needs,
    approximations: &mut Vec<Approximation>,
) -> Result<(), Diagnostic> {
    let block = workload.block_size;
    let threads = u64::from(workload.threads.get());
    let own_stretch = workload.pattern.has_passes() && workload.streams == Streams::Disjoint;
    if own_stretch && workload.span.length.get() < block.get().saturating_mul(threads) {
        if !scope.smoke() {
            let title = format!(
                "the span of {} is too small for {} streams of {block} blocks",
                workload.span.length, workload.threads
            );
            let label = format!("expected at least {}", Bytes::new(block.get().saturating_mul(threads)));
            return Err(Diagnostic::new(needs.span_at.clone(), title, label)
                .help("choose fewer threads, a larger span, or streams = \"overlapping\""));
        }
        workload.streams = Streams::Overlapping;
        note(approximations, "streams", "the smoke form's target is too small for streams of their own");
    }
    let streams = if workload.streams == Streams::Disjoint { threads } else { 1 };
    let stretch = workload.span.length.get() / streams;
    if let Some(stride) = workload.stride.filter(|stride| stride.get() >= stretch) {
        if !scope.smoke() {
            let title =
                format!("a stride of {stride} is not shorter than a stream's stretch of {}", Bytes::new(stretch));
            return Err(Diagnostic::new(needs.stride_at.clone(), title, "expected room for at least two strides"));
        }
        workload.stride = None;
        note(approximations, "stride", "the smoke form's target is smaller than one stride");
    }
    Ok(())
}

/// The extent in bytes; its ends are multiples of the block size.
fn span(scope: &Scope<'_>, needs: &Needs, block: Bytes) -> Result<Span, Diagnostic> {
    let usable = scope.usable.get();
    let (mut offset, mut length) = (needs.extent.offset.of(scope.usable), needs.extent.length.of(scope.usable));
    if scope.smoke() {
        // The smoke form keeps the sequence, but not the sizes.
        length = length.max(block.get()).min(usable);
        offset = offset.min(usable - length);
    }
    if offset.saturating_add(length) > usable {
        let title = format!("the span {} is larger than the target, {}", needs.extent, scope.usable);
        return Err(Diagnostic::new(needs.span_at.clone(), title, "expected a part of the target")
            .help("a share such as \"50 %\" fits every target"));
    }
    let (offset, length) = (Bytes::new(offset).align_down(block), Bytes::new(length).align_down(block));
    if length.get() == 0 {
        let title = format!("the span {} of a target of {} holds no block of {block}", needs.extent, scope.usable);
        return Err(Diagnostic::new(needs.span_at.clone(), title, "expected room for at least one block"));
    }
    Ok(Span { offset, length })
}
