//! What steps leave on the target, and which tests need what an earlier test left there: data to read, headers to
//! check.
//!
//! Compares what a test would find in the complete methodology with what it finds when some tests are left out. Must
//! not know: why a test is left out.

use drivelab_core::load::Verify;
use drivelab_core::plan::{Action, Step, TestPlan};
use drivelab_core::units::Bytes;
use drivelab_core::workload::{Pattern, Span, Workload};

use crate::expand::verified::{Written, checkable, overlap, single};

/// A test by its index in its methodology; `before` means the preparation that runs before it alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Part {
    pub(crate) at: usize,
    pub(crate) before: bool,
}

/// A test that stays, and the part that wrote what it needs and is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Lack {
    pub(crate) test: usize,
    pub(crate) of: Part,
}

/// What a step does to the target, or needs of it.
#[derive(Debug, Clone)]
enum Effect {
    Reads(Span),
    Checks(Box<Workload>),
    /// Only writes in this span; `whole` means that it covers all of the span rather than ending after a time.
    Fills {
        span: Span,
        whole: bool,
    },
    Empties(Span),
    Writes(Box<Written>),
}

/// Everything that the tests of a methodology do to the target, in order; `None` is the preparation of all tests.
#[derive(Debug, Clone)]
pub(crate) struct Sequence(Vec<(Option<Part>, Vec<Effect>)>);

/// Parts of the target, each with its writer; the last writer comes last.
#[derive(Debug, Default)]
struct Pieces(Vec<(Span, Option<Part>)>);

/// What the target holds at one moment, and who wrote it.
#[derive(Debug, Default)]
struct Held {
    /// Spans that are completely filled with data.
    full: Pieces,
    /// Spans that were written to, at least in part.
    touched: Pieces,
    writes: Vec<Written>,
    writers: Vec<Option<Part>>,
}

impl Sequence {
    /// Made of the preparation of all tests, and of each test with its own preparation. If the target is used as
    /// found, reads need no earlier writes.
    pub(crate) fn new<'p>(
        shared: &[TestPlan],
        tests: impl Iterator<Item = (&'p [TestPlan], &'p TestPlan)>,
        as_found: bool,
    ) -> Self {
        let of = |plans: &[TestPlan]| -> Vec<Effect> {
            plans.iter().flat_map(|plan| &plan.steps).flat_map(|step| effects(step, as_found)).collect()
        };
        let mut all = vec![(None, of(shared))];
        for (at, (before, test)) in tests.enumerate() {
            all.push((Some(Part { at, before: true }), of(before)));
            all.push((Some(Part { at, before: false }), of(std::slice::from_ref(test))));
        }
        let is_check = |effect: &Effect| matches!(effect, Effect::Checks(_));
        if !all.iter().any(|(_, effects)| effects.iter().any(is_check)) {
            all.iter_mut().for_each(|(_, effects)| effects.retain(|effect| !matches!(effect, Effect::Writes(_))));
        }
        Sequence(all)
    }

    /// The tests that leave something that another test may need, or whose preparation does.
    pub(crate) fn writers(&self) -> impl Iterator<Item = usize> {
        let leaves = |effect: &Effect| matches!(effect, Effect::Fills { .. } | Effect::Writes(_));
        self.0.iter().filter(move |(_, effects)| effects.iter().any(leaves)).filter_map(|(part, _)| Some((*part)?.at))
    }

    /// The first remaining test that lacks data which a test that is left out would have written for it.
    pub(crate) fn lacking(&self, stays: &[bool]) -> Option<Lack> {
        let is_there = |part: Option<Part>| part.is_none_or(|part| stays.get(part.at) == Some(&true));
        let (mut whole, mut left) = (Held::default(), Held::default());
        for (part, effects) in &self.0 {
            for effect in effects {
                if let Some(reader) = part.filter(|_| is_there(*part))
                    && let Some(of) = effect.missing(&whole, &left).filter(|writer| !is_there(Some(*writer)))
                {
                    return Some(Lack { test: reader.at, of });
                }
                whole.after(effect, *part);
                if is_there(*part) {
                    left.after(effect, *part);
                }
            }
        }
        None
    }
}

impl Effect {
    /// Who wrote what this effect needs, if it exists after all tests but not after the remaining ones.
    fn missing(&self, whole: &Held, left: &Held) -> Option<Part> {
        match self {
            Effect::Reads(span) => {
                whole.full.lost(*span, &left.full).or_else(|| whole.touched.lost(*span, &left.touched))
            }
            Effect::Checks(load) => {
                let last = |held: &Held| held.writes.iter().rposition(|other| overlap(other.load.span, load.span));
                let writer = whole.writers[last(whole)?];
                // On a target that is used as found, blocks that nobody wrote would pass.
                let fails = last(left).is_none() || checkable(load, &left.writes, false).is_err();
                writer.filter(|_| fails)
            }
            Effect::Fills { .. } | Effect::Empties(_) | Effect::Writes(_) => None,
        }
    }
}

impl Held {
    fn after(&mut self, effect: &Effect, part: Option<Part>) {
        match effect {
            Effect::Fills { span, whole } => {
                self.touched.put(*span, part);
                if *whole {
                    self.full.put(*span, part);
                }
            }
            Effect::Empties(span) => {
                self.full.take(*span);
                self.touched.take(*span);
            }
            Effect::Writes(written) => {
                self.writes.push(Written::clone(written));
                self.writers.push(part);
            }
            Effect::Reads(_) | Effect::Checks(_) => {}
        }
    }
}

impl Pieces {
    fn put(&mut self, span: Span, part: Option<Part>) {
        self.take(span);
        self.0.push((span, part));
    }

    fn take(&mut self, span: Span) {
        let before = std::mem::take(&mut self.0);
        let rest = |(piece, part): (Span, Option<Part>)| without(piece, span).map(move |piece| (piece, part));
        self.0 = before.into_iter().flat_map(rest).collect();
    }

    /// The last writer of a part of this span that the remaining pieces do not cover.
    fn lost(&self, span: Span, left: &Pieces) -> Option<Part> {
        let is_lost = |(piece, _): &&(Span, Option<Part>)| {
            let offset = piece.offset.max(span.offset);
            let length = Bytes::new(piece.end().min(span.end()).saturating_sub(offset.get()));
            !left.covers(Span { offset, length })
        };
        self.0.iter().rev().find(is_lost)?.1
    }

    fn covers(&self, span: Span) -> bool {
        let mut open = vec![span];
        for (piece, _) in &self.0 {
            open = open.into_iter().flat_map(|part| without(part, *piece)).collect();
        }
        open.iter().all(|part| part.length.get() == 0)
    }
}

/// The parts of a piece outside a span.
fn without(piece: Span, span: Span) -> impl Iterator<Item = Span> {
    let between = |from: u64, to: u64| Span { offset: Bytes::new(from), length: Bytes::new(to.saturating_sub(from)) };
    let below = between(piece.offset.get(), piece.end().min(span.offset.get()));
    let above = between(piece.offset.get().max(span.end()), piece.end());
    [below, above].into_iter().filter(|part| part.length.get() > 0)
}

fn effects(step: &Step, as_found: bool) -> Vec<Effect> {
    let Some(workload) = step.workload().filter(|load| load.files.is_none()) else { return Vec::new() };
    let loads: Vec<Workload> = workload.on_target().map(single).collect();
    let reads = |load: &&Workload| !as_found && load.read_percent() > 0 && load.verify != Verify::Check;
    let mut all: Vec<Effect> = loads.iter().filter(reads).map(|load| Effect::Reads(load.span)).collect();
    let checks = loads.iter().filter(|load| load.verify == Verify::Check);
    all.extend(checks.map(|load| Effect::Checks(Box::new(load.clone()))));
    let writes_only = |load: &&Workload| load.write_percent.get() == 100;
    let touched = workload.on_target().filter(writes_only);
    all.extend(touched.map(|load| Effect::Fills { span: load.span, whole: false }));
    all.extend(filled(step).map(|span| Effect::Fills { span, whole: true }));
    all.extend(emptied(step).map(Effect::Empties));
    let writes = loads.into_iter().filter(Workload::writes);
    all.extend(writes.map(|load| Effect::Writes(Box::new(Written { step: step.id.to_string(), load }))));
    all
}

/// The span of a step that covers all of it once.
fn gone_over(step: &Step) -> Option<(&Workload, Span)> {
    let Action::Io { workload, stop, .. } = &step.action else { return None };
    let once = stop.passes.is_some() || stop.volume.is_some_and(|volume| volume >= workload.span.length);
    // Jumps and random offsets repeat some blocks and miss others.
    let in_order = workload.pattern != Pattern::Random && workload.seek_percent.is_zero();
    let whole = once && in_order && workload.places.is_none();
    whole.then_some((workload, workload.span))
}

/// The span that a step leaves full of data: the step only writes, and covers all of the span.
fn filled(step: &Step) -> Option<Span> {
    gone_over(step).filter(|(load, _)| load.write_percent.get() == 100).map(|(_, span)| span)
}

fn emptied(step: &Step) -> Option<Span> {
    gone_over(step).filter(|(load, _)| load.other.trim_percent.get() == 100).map(|(_, span)| span)
}

/// Whether a test leaves data in all of the target, except for a last partial block. A step with a time may end
/// before that and does not count, except in the smoke form, where every step has a time.
pub(crate) fn fills(test: &TestPlan, usable: Bytes, smoke: bool) -> bool {
    let to_the_end = |step: &&Step| match &step.action {
        Action::Io { stop, .. } => smoke || stop.time.is_none(),
        Action::Idle { .. } | Action::CoolDown(_) => false,
    };
    test.steps.iter().filter(to_the_end).any(|step| {
        let Some((span, load)) = filled(step).zip(step.workload()) else { return false };
        span.offset.get() == 0 && span.length.get().saturating_add(load.block_size.get()) > usable.get()
    })
}
