//! Which of a drive's runs stands for it in a comparison: the newest of those that are most like the other sides.

use drivelab_core::plan::{Form, OWN_LOAD};
use drivelab_store::RunRow;

/// Depth of the deepest comparison.
const DEEPEST: usize = 2;

/// What a run must be like, as far as the catalog knows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Likeness<'r> {
    /// How much is compared: 0 to [`DEEPEST`].
    depth: usize,
    /// Methodology, profile, title of a load given by flags, form: without them runs cannot be compared.
    kind: (&'r str, &'r str, &'r str, Form),
    /// From depth 1 on: the content of the methodology with its parameters.
    hash: &'r str,
    /// From depth 2 on: the testbed.
    testbed: &'r str,
}

impl<'r> Likeness<'r> {
    fn of(row: &'r RunRow, depth: usize) -> Likeness<'r> {
        // Only its title tells one load given by flags from another.
        let load = if row.method == OWN_LOAD { row.title.as_str() } else { "" };
        Likeness {
            depth,
            kind: (&row.method, &row.profile, load, row.form),
            hash: if depth > 0 { &row.method_hash } else { "" },
            testbed: if depth > 1 { &row.testbed } else { "" },
        }
    }

    /// Whether a run is like this.
    pub(super) fn fits(&self, row: &RunRow) -> bool {
        Likeness::of(row, self.depth) == *self
    }
}

/// The deepest likeness that every drive has a run of: to a run that was named, else to one of the first drive, the
/// newest first. `None` if the drives have nothing in common.
pub(super) fn likest<'r>(named: Option<&'r RunRow>, drives: &[&'r Vec<RunRow>]) -> Option<Likeness<'r>> {
    let in_all = |wanted: &Likeness<'_>| drives.iter().all(|rows| rows.iter().any(|row| wanted.fits(row)));
    let at_depth = |depth| match named {
        Some(row) => Some(Likeness::of(row, depth)).filter(in_all),
        None => drives.first()?.iter().map(|row| Likeness::of(row, depth)).find(in_all),
    };
    (0..=DEEPEST).rev().find_map(at_depth)
}

#[cfg(test)]
mod tests {
    use drivelab_core::condition::Arm;

    use super::super::read::tests::run;
    use super::*;

    fn row(method: &str, hash: &str, testbed: &str) -> RunRow {
        let (method, method_hash, testbed) = (method.to_owned(), hash.to_owned(), testbed.to_owned());
        RunRow { method, method_hash, testbed, ..run(Arm::None).row }
    }

    /// The place of the first run of the last drive that fits.
    fn chosen(named: Option<&RunRow>, drives: &[&Vec<RunRow>]) -> Option<usize> {
        let wanted = likest(named, drives)?;
        drives.last()?.iter().position(|row| wanted.fits(row))
    }

    #[test]
    fn an_older_run_stands_for_a_drive_if_it_is_more_like_the_other_sides() {
        let named = row("quick", "a", "desk");
        let newest_first = vec![
            row("seq", "z", "desk"),
            row("quick", "b", "desk"),
            row("quick", "a", "lab"),
            row("quick", "a", "desk"),
        ];
        assert_eq!(chosen(Some(&named), &[&newest_first]), Some(3), "parameters and testbed");
        assert_eq!(chosen(Some(&named), &[&newest_first[..3].to_vec()]), Some(2), "parameters");
        assert_eq!(chosen(Some(&named), &[&newest_first[..2].to_vec()]), Some(1), "methodology");
        assert_eq!(chosen(Some(&named), &[&newest_first[..1].to_vec()]), None);
    }

    #[test]
    fn drives_alone_are_compared_by_what_they_have_in_common() {
        let first = vec![row("quick", "b", "lab"), row("quick", "a", "desk")];
        let second = vec![row("quick", "c", "lab"), row("quick", "a", "desk")];
        assert_eq!(chosen(None, &[&first, &second]), Some(1), "both have quick with these parameters on the desk");
        assert_eq!(chosen(None, &[&first, &vec![row("seq", "a", "desk")]]), None);
    }
}
