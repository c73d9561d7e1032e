//! What goes into an article, and what comes out of it.

use drivelab_analysis::digest::Digest;

use crate::figure::input::ReportInput;
use crate::views::across::sides::Sides;

/// A mistake, a gap or a remark, with its line.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Remark {
    /// Line of the file, from 1.
    pub line: usize,
    /// What is there.
    pub what: String,
}

/// The largest picture, in bytes: it becomes a part of the page.
pub const LARGEST_PICTURE: usize = 5_000_000;

/// A picture of the author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Picture {
    /// `image/png`, `image/jpeg`, `image/webp`, `image/gif`.
    pub kind: &'static str,
    /// The file.
    pub bytes: Vec<u8>,
}

impl Picture {
    /// Why a picture of this many bytes cannot be embedded, as part of a sentence; `None` if it can.
    #[must_use]
    pub fn too_large(bytes: u64) -> Option<String> {
        let megabytes = |bytes: u64| bytes as f64 / 1e6;
        let (size, most) = (megabytes(bytes), megabytes(LARGEST_PICTURE as u64));
        let too_large = bytes > LARGEST_PICTURE as u64;
        too_large.then(|| format!("is {size:.1} MB; the limit is {most:.1} MB: make it smaller"))
    }

    /// The picture in a file, told by its first bytes.
    ///
    /// # Errors
    /// Why it cannot be a part of the page, as a part of a sentence.
    pub fn read(bytes: Vec<u8>) -> Result<Picture, String> {
        if let Some(why) = Picture::too_large(bytes.len() as u64) {
            return Err(why);
        }
        let kind = match bytes.as_slice() {
            [0x89, b'P', b'N', b'G', ..] => "image/png",
            [0xff, 0xd8, 0xff, ..] => "image/jpeg",
            [b'G', b'I', b'F', b'8', ..] => "image/gif",
            [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => "image/webp",
            _ => return Err("is not a PNG, JPEG, WebP or GIF file".to_owned()),
        };
        Ok(Picture { kind, bytes })
    }
}

/// What an article is about.
#[derive(Debug, Clone, Copy)]
pub struct Material<'a> {
    /// Its runs, in the order of the front matter.
    pub runs: &'a [ReportInput<'a>],
    /// What they are compared with: the digests of all sides.
    pub digests: &'a [&'a Digest],
    /// The sides.
    pub sides: &'a Sides,
}

/// A chart that the article shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownChart {
    /// Its name, by test and figure.
    pub name: String,
    /// What it shows, as the page's script reads it.
    pub json: String,
}

/// A table that the article shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownTable {
    /// Its name, by test and figure.
    pub name: String,
    /// As Markdown.
    pub markdown: String,
    /// As HTML.
    pub html: String,
}

/// A finished article.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Built {
    /// The page.
    pub page: String,
    /// Its charts.
    pub charts: Vec<ShownChart>,
    /// Its tables.
    pub tables: Vec<ShownTable>,
    /// What the author has still to write.
    pub gaps: Vec<Remark>,
    /// Figures in the text that no run has.
    pub remarks: Vec<Remark>,
}
