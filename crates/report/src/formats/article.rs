//! An article about runs: the author's Markdown with references to charts, tables and figures, as one page that opens
//! offline.
//!
//! Owns the form of such a file (docs/guide/articles.md). Pure: pictures are handed in, and the page, charts and tables
//! are handed out as text.

mod draft;
mod front;
mod items;
mod numbers;
mod page;
mod prose;
mod published_values;
mod references;
mod scan;
mod types;

use std::collections::BTreeMap;

use crate::error::ReportError;
use crate::figure::escape;

pub use draft::draft;
pub use front::Front;
use front::Parts;
use items::Items;
use prose::Prose;
use references::Expanded;
pub use types::{Built, LARGEST_PICTURE, Material, Picture, Remark, ShownChart, ShownTable};

/// An article as its author wrote it.
#[derive(Debug, Clone, PartialEq)]
pub struct Article {
    /// What the file says about itself.
    pub front: Front,
    /// The same as it was written.
    front_text: String,
    /// The Markdown behind it.
    body: String,
    /// Line of the file on which the body begins, from 1.
    first_line: usize,
}

/// The names of everything that an article about this can show, for a terminal.
#[must_use]
pub fn article_items(material: &Material<'_>) -> String {
    let items = Items::of(material);
    let mut text = String::new();
    for (title, names) in [
        ("Charts: {{ chart NAME }}", items.chart_names()),
        ("Tables: {{ table NAME }}", items.table_names()),
        (items.finding_words(), items.finding_codes()),
    ] {
        if !names.is_empty() {
            let longest = names.iter().map(String::len).max().unwrap_or(0);
            let line = |name: &String| {
                escape::terminal(&format!("  {name:<longest$}  {}", items.title(name))).trim_end().to_owned() + "\n"
            };
            text += &format!("{title}\n{}\n", names.iter().map(line).collect::<String>());
        }
    }
    text += "Others: {{ short }}, {{ verdicts }}, {{ choice }}, {{ corners }}, {{ scores }}, {{ sheet }}, {{ how }},\n\
             {{ value ADDRESS = TEXT }} (addresses: `drivelab report last --format csv`; of a published drive: P1 \
             TEST:METRIC), {{ gap TEXT }}\n";
    text
}

impl Article {
    /// Reads an article.
    ///
    /// # Errors
    /// What is wrong with its front matter.
    pub fn parse(text: &str) -> Result<Article, Remark> {
        let Parts { front, front_text, body, first_line } = front::split(text)?;
        // The signs that stand for blocks mean nothing in a text.
        let body = body.chars().filter(|sign| ![prose::BEGIN, prose::END].contains(sign)).collect();
        Ok(Article { front, front_text: front_text.to_owned(), body, first_line })
    }

    /// The line of the file, from 1, on which a key of the front matter has this word, or that of the key's value.
    #[must_use]
    pub fn line_of(&self, key: &str, word: &str) -> usize {
        front::line_of(&self.front_text, key, word)
    }

    /// The files of its pictures as the text names them, each with its line; those on other servers too.
    #[must_use]
    pub fn pictures(&self) -> Vec<(usize, String)> {
        prose::pictures(&self.body, self.first_line)
    }

    /// Makes the page.
    ///
    /// # Errors
    /// Every mistake: a reference to something that the runs do not have, a value that is another one now, a picture
    /// that is missing, a link that is none.
    pub fn build(
        &self,
        material: &Material<'_>,
        pictures: &BTreeMap<String, Result<Picture, String>>,
    ) -> Result<Result<Built, Vec<Remark>>, ReportError> {
        let items = Items::of(material);
        let Expanded { text, blocks, gaps, mut mistakes, charts, tables, findings } =
            references::expand(&self.body, self.first_line, &items, material)?;
        let Prose { html, mistakes: wrong } = prose::html(&text, self.first_line, pictures, &blocks);
        mistakes.extend(wrong);
        if !mistakes.is_empty() {
            mistakes.sort();
            return Ok(Err(mistakes));
        }
        let remarks = numbers::unknown(&self.body, self.first_line, material);
        let charts = charts.into_iter().map(|chart| items.chart_json(&chart)).collect::<Result<Vec<_>, _>>()?;
        let page = page::html(&self.front, material, (&html, &charts, &findings))?;
        let tables = tables.into_iter().filter_map(|name| items.shown_table(&name)).collect::<Result<Vec<_>, _>>()?;
        Ok(Ok(Built { page, charts, tables, gaps, remarks }))
    }
}

#[cfg(test)]
mod tests;
