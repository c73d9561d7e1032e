//! Names of steps: the slug in their id and the short text for people.

use drivelab_core::units::Bytes;
use drivelab_core::workload::Pattern;

/// What a name is made of, as written in the file.
#[derive(Debug, Clone)]
pub(crate) struct Naming {
    pub(crate) pattern: Pattern,
    pub(crate) block_size: Bytes,
    pub(crate) queue_depth: u32,
    pub(crate) threads: u32,
    pub(crate) write_percent: u8,
    /// Values of axes that the rest does not show: data, span.
    pub(crate) extra: Vec<String>,
}

impl Naming {
    /// `seq-1m-q8t1-read`
    pub(crate) fn slug(&self) -> String {
        let pattern = match self.pattern {
            Pattern::Sequential => "seq",
            Pattern::Reverse => "rev",
            Pattern::Random => "rnd",
            Pattern::RandomOnce => "once",
        };
        let op = match self.write_percent {
            0 => "read".to_owned(),
            100 => "write".to_owned(),
            percent => format!("w{percent}"),
        };
        let block = compact(&self.block_size.to_string());
        let mut slug = format!("{pattern}-{block}-q{}t{}-{op}", self.queue_depth, self.threads);
        for extra in &self.extra {
            slug.push('-');
            slug.push_str(&compact(extra));
        }
        slug
    }

    /// `SEQ 1 MiB Q8T1 read`
    pub(crate) fn label(&self) -> String {
        let pattern = match self.pattern {
            Pattern::Sequential => "SEQ",
            Pattern::Reverse => "REV",
            Pattern::Random => "RND",
            Pattern::RandomOnce => "RND once",
        };
        let op = match self.write_percent {
            0 => "read".to_owned(),
            100 => "write".to_owned(),
            percent => format!("{percent} % write"),
        };
        let mut label = format!("{pattern} {} Q{}T{} {op}", self.block_size, self.queue_depth, self.threads);
        for extra in &self.extra {
            label.push_str(", ");
            label.push_str(extra);
        }
        label
    }
}

/// "4 KiB" -> `4k`, "25 % at 10 %" -> `25pct-at-10pct`: only what a step id may hold, still one text for each value.
fn compact(text: &str) -> String {
    let text = text.replace(" %", "pct");
    let units = [(" TiB", "t"), (" GiB", "g"), (" MiB", "m"), (" KiB", "k"), (" B", "b")];
    let text = units.iter().fold(text, |text, (unit, letter)| text.replace(unit, letter));
    let text = [" TB", " GB", " MB", " kB"].iter().fold(text, |text, unit| text.replace(unit, &unit[1..]));
    text.to_lowercase().replace(' ', "-")
}
