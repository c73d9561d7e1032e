//! What a scenario left behind: files, numbers in JSON documents, and how close one figure is to another.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};
use serde_json::Value;

/// The files of one scenario.
#[derive(Debug)]
pub(crate) struct Results {
    folder: PathBuf,
}

impl Results {
    /// The files in this folder.
    pub(crate) fn new(folder: &Path) -> Results {
        Results { folder: folder.to_path_buf() }
    }

    /// A file's bytes.
    pub(crate) fn bytes(&self, name: &str) -> Result<Vec<u8>> {
        std::fs::read(self.folder.join(name)).with_context(|| format!("the VM left no {name}"))
    }

    /// A text file, without the space at its ends.
    pub(crate) fn text(&self, name: &str) -> Result<String> {
        Ok(String::from_utf8_lossy(&self.bytes(name)?).trim().to_owned())
    }

    /// A JSON document. fio prints notes before it; they are left out.
    pub(crate) fn json(&self, name: &str) -> Result<Value> {
        let text = self.text(name)?;
        let begin = text.find('{').with_context(|| format!("{name} holds no JSON:\n{text}"))?;
        serde_json::from_str(&text[begin..]).with_context(|| format!("{name} is no JSON document"))
    }
}

/// The number at a JSON pointer such as `/engine/depth_mean`.
pub(crate) fn number(document: &Value, pointer: &str) -> Result<f64> {
    let found = document.pointer(pointer).with_context(|| format!("there is no {pointer} in {document}"))?;
    found.as_f64().with_context(|| format!("{pointer} is {found}, not a number"))
}

/// The middle one of an odd number of figures.
pub(crate) fn median(mut figures: Vec<f64>) -> Result<f64> {
    ensure!(figures.len() % 2 == 1, "a median of {} figures", figures.len());
    figures.sort_by(f64::total_cmp);
    Ok(figures[figures.len() / 2])
}

/// An error unless `measured` differs from `expected` by at most `share` of it.
pub(crate) fn within(what: &str, measured: f64, expected: f64, share: f64) -> Result<()> {
    let off = (measured / expected - 1.0).abs();
    ensure!(
        off <= share,
        "{what}: {measured:.4} is {:.1} % from {expected:.4}, at most {:.1} % are allowed",
        off * 100.0,
        share * 100.0
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_is_near_on_both_sides() {
        assert!(within("a", 105.0, 100.0, 0.051).is_ok() && within("a", 95.0, 100.0, 0.051).is_ok());
        assert!(within("a", 106.0, 100.0, 0.05).is_err() && within("a", 94.0, 100.0, 0.05).is_err());
        assert!(within("a", f64::NAN, 100.0, 0.05).is_err());
    }

    #[test]
    fn a_median_needs_a_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]).expect("odd"), 2.0);
        assert!(median(vec![1.0, 2.0]).is_err() && median(Vec::new()).is_err());
    }
}
