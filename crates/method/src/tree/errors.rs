//! The list that every check adds its errors to: the first errors of the file are kept, the others are counted.
//!
//! A file of some megabytes can contain millions of mistakes, of which [`drivelab_core::excerpt::MOST_SHOWN`] are
//! shown, so the others need no text. Must not know: what the errors are about.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;

use crate::tree::diagnostic::Diagnostic;

/// Errors that are kept in full. When the list reaches twice this number, the errors that come last in the file are
/// dropped and counted.
pub(crate) const MOST_KEPT: usize = 1_000;

/// Errors, in the order in which they were found.
#[derive(Debug, Clone, Default)]
pub(crate) struct Errors {
    kept: Vec<Diagnostic>,
    /// Start of the last error of the full list; errors after it are only counted.
    last: Option<usize>,
    /// Hashes that distinguish the dropped errors from each other.
    made: HashSet<u64>,
    /// Errors that were counted but never made.
    unmade: usize,
    /// Missing keys are not errors.
    may_lack: bool,
}

impl Errors {
    /// A list for a file that includes another one, which may have what this one lacks.
    pub(crate) fn that_may_lack() -> Self {
        Errors { may_lack: true, ..Errors::default() }
    }

    /// Whether missing keys are accepted.
    pub(crate) const fn may_lack(&self) -> bool {
        self.may_lack
    }

    /// How many errors there are so far.
    pub(crate) fn len(&self) -> usize {
        self.kept.len() + self.made.len() + self.unmade
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first error that was found.
    pub(crate) fn first(&self) -> Option<&Diagnostic> {
        self.kept.first()
    }

    /// Whether an error at this place is only counted.
    pub(crate) fn only_counts(&self, at: &Range<usize>) -> bool {
        self.last.is_some_and(|last| at.start > last)
    }

    /// Adds an error.
    pub(crate) fn push(&mut self, error: Diagnostic) {
        if self.only_counts(error.span()) {
            self.note(&error);
            return;
        }
        self.kept.push(error);
        if self.kept.len() >= 2 * MOST_KEPT {
            self.let_go();
        }
    }

    /// Adds an error at this place that is made only if it is kept. It must be reported only once, because nothing
    /// distinguishes it from others.
    pub(crate) fn add(&mut self, at: &Range<usize>, make: impl FnOnce() -> Diagnostic) {
        if self.only_counts(at) { self.unmade += 1 } else { self.push(make()) }
    }

    /// Adds all of these errors.
    pub(crate) fn extend(&mut self, errors: impl IntoIterator<Item = Diagnostic>) {
        errors.into_iter().for_each(|error| self.push(error));
    }

    /// Adds another list.
    pub(crate) fn join(&mut self, other: Errors) {
        self.made.extend(other.made);
        self.unmade += other.unmade;
        self.extend(other.kept);
        // The errors that the other list dropped were behind its last one, so errors behind that are not among the
        // first.
        self.last = [self.last, other.last].into_iter().flatten().min();
    }

    /// The list with all errors moved this many bytes further.
    #[must_use]
    pub(crate) fn moved(mut self, by: usize) -> Self {
        self.kept = self.kept.into_iter().map(|error| error.moved(by)).collect();
        self.last = self.last.map(|last| last + by);
        self
    }

    /// The kept errors in the order of the file, without duplicates, and how many more there are.
    pub(crate) fn sorted(mut self) -> (Vec<Diagnostic>, usize) {
        if self.last.is_some() || self.kept.len() > MOST_KEPT {
            self.let_go();
        } else {
            sort(&mut self.kept);
        }
        let more = self.made.len() + self.unmade;
        (self.kept, more)
    }

    /// Keeps the errors that come first in the file.
    fn let_go(&mut self) {
        sort(&mut self.kept);
        let behind = self.kept.split_off(self.kept.len().min(MOST_KEPT));
        behind.iter().for_each(|error| self.note(error));
        let last = self.kept.last().filter(|_| self.kept.len() == MOST_KEPT).map(|error| error.span().start);
        self.last = [self.last, last].into_iter().flatten().min();
    }

    fn note(&mut self, error: &Diagnostic) {
        let mut hasher = DefaultHasher::new();
        (error.span(), error.title()).hash(&mut hasher);
        self.made.insert(hasher.finish());
    }
}

impl From<Diagnostic> for Errors {
    fn from(error: Diagnostic) -> Self {
        Errors { kept: vec![error], ..Errors::default() }
    }
}

/// Sorts in the order of the file, without duplicates.
fn sort(errors: &mut Vec<Diagnostic>) {
    errors.sort_by_key(|one| (one.span().start, one.span().end));
    let (mut before, mut here) = (HashSet::new(), 0..0);
    let twice: Vec<bool> = errors
        .iter()
        .map(|one| {
            if *one.span() != here {
                here = one.span().clone();
                before.clear();
            }
            !before.insert(one.title())
        })
        .collect();
    let mut twice = twice.into_iter();
    errors.retain(|_| !twice.next().unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(start: usize, title: &str) -> Diagnostic {
        Diagnostic::new(start..start + 1, title, "expected less")
    }

    /// Adds errors from the start to the end of the file, in reverse, and in two lists.
    #[test]
    fn the_first_of_the_file_are_kept_and_all_are_counted() {
        let many = 5 * MOST_KEPT + 7;
        let starts = |errors: Errors| {
            let (kept, more) = errors.sorted();
            assert_eq!(kept.len(), MOST_KEPT);
            (kept.iter().map(|one| one.span().start).collect::<Vec<_>>(), kept.len() + more)
        };
        let first: Vec<usize> = (0..MOST_KEPT).collect();
        let (mut up, mut down, mut lazy, mut two) =
            (Errors::default(), Errors::default(), Errors::default(), Errors::default());
        (0..many).for_each(|start| up.push(at(start, "wrong")));
        (0..many).rev().for_each(|start| down.push(at(start, "wrong")));
        (0..many).for_each(|start| lazy.add(&(start..start + 1), || at(start, "wrong")));
        for half in [1, 0] {
            let mut one = Errors::default();
            (half..many).step_by(2).for_each(|start| one.push(at(start, "wrong")));
            two.join(one);
        }
        let mut again = up.clone();
        (0..many).for_each(|start| again.push(at(start, "wrong")));
        for (what, errors) in [("up", up), ("down", down), ("lazy", lazy), ("again", again)] {
            assert!(errors.len() > MOST_KEPT);
            assert_eq!(starts(errors), (first.clone(), many), "{what}");
        }
        let (kept, all) = starts(two);
        assert!(kept[..drivelab_core::excerpt::MOST_SHOWN].iter().copied().eq(0..drivelab_core::excerpt::MOST_SHOWN));
        assert_eq!(all, many);
    }

    #[test]
    fn one_place_can_have_several_and_the_same_one_counts_once() {
        let mut errors = Errors::default();
        errors.extend([at(3, "b"), at(1, "c"), at(3, "a"), at(3, "b")]);
        assert_eq!(errors.len(), 4);
        let (kept, more) = errors.sorted();
        assert_eq!(kept.iter().map(Diagnostic::title).collect::<Vec<_>>(), ["c", "b", "a"]);
        assert_eq!(more, 0);
    }

    #[test]
    fn what_is_never_made_counts_and_places_move() {
        let mut errors = Errors::default();
        for start in 0..3 * MOST_KEPT {
            errors.add(&(start..start + 1), || {
                assert!(start <= 2 * MOST_KEPT, "it is not shown");
                at(start, "wrong")
            });
        }
        let (kept, more) = errors.moved(10).sorted();
        assert_eq!((kept[0].span().start, kept.len() + more), (10, 3 * MOST_KEPT));
    }
}
