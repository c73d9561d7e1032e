//! How a job file names its target, if fio can read the name at all.

/// A target that a job file cannot name: fio ends a line at `#` and `;`, and replaces what follows a `$`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unnameable(pub char);

impl std::fmt::Display for Unnameable {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            formatter,
            "a fio job file cannot name a target with {:?} in its name: fio would open another file",
            self.0
        )
    }
}

impl std::error::Error for Unnameable {}

/// The target as the value of `filename`.
///
/// # Errors
/// fio would read a different name.
pub(super) fn named(target: &str) -> Result<String, Unnameable> {
    match unnameable(target) {
        Some(sign) => Err(Unnameable(sign)),
        None => Ok(target.replace(':', "\\:")),
    }
}

/// The first character of a target's name that fio 3.33 reads as something else.
fn unnameable(target: &str) -> Option<char> {
    let reads_other = |sign: char| matches!(sign, '#' | ';' | '$' | char::REPLACEMENT_CHARACTER) || sign.is_control();
    let ends = [target.chars().next(), target.chars().next_back()];
    let cut_off = ends.into_iter().flatten().find(|sign| sign.is_whitespace());
    target.chars().find(|sign| reads_other(*sign)).or(cut_off)
}
