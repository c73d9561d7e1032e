//! The Markdown of an article as HTML: raw HTML stays text, pictures become a part of the page, links lead to the web
//! or to a place on the page.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use pulldown_cmark::{CowStr, Event, Options, Parser, Tag, html as render};

use super::types::{Picture, Remark};

/// Around the number of a block in the text, so that Markdown takes it for a word.
pub(super) const BEGIN: char = '\u{e000}';
pub(super) const END: char = '\u{e001}';

/// The text as HTML, with its mistakes.
pub(super) struct Prose {
    pub(super) html: String,
    pub(super) mistakes: Vec<Remark>,
}

fn events(text: &str) -> impl Iterator<Item = (Event<'_>, std::ops::Range<usize>)> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    Parser::new_ext(text, options).into_offset_iter()
}

fn line_of(text: &str, at: usize, first_line: usize) -> usize {
    first_line + text.get(..at).unwrap_or_default().matches('\n').count()
}

/// The pictures that a text names, each with its line.
pub(super) fn pictures(text: &str, first_line: usize) -> Vec<(usize, String)> {
    let named = events(text).filter_map(|(event, range)| match event {
        Event::Start(Tag::Image { dest_url, .. }) => {
            Some((line_of(text, range.start, first_line), dest_url.to_string()))
        }
        _ => None,
    });
    named.collect()
}

/// Whether an address leads to the web, to a mailbox or to a place on the page; nothing else opens from a file, and a
/// script must not.
fn is_link(address: &str) -> bool {
    ["https://", "http://", "mailto:", "#"].iter().any(|begin| address.to_ascii_lowercase().starts_with(begin))
}

/// The text as HTML. `blocks` replace their numbers.
pub(super) fn html(
    text: &str,
    first_line: usize,
    pictures: &BTreeMap<String, Result<Picture, String>>,
    blocks: &[String],
) -> Prose {
    let mut mistakes = Vec::new();
    let mut wrong = |range: &std::ops::Range<usize>, what: String| {
        mistakes.push(Remark { line: line_of(text, range.start, first_line), what });
    };
    let mut kept = Vec::new();
    for (event, range) in events(text) {
        kept.push(match event {
            // Raw HTML is shown as it was written.
            Event::Html(raw) | Event::InlineHtml(raw) => Event::Text(raw),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                if !is_link(&dest_url) {
                    wrong(&range, format!("'{dest_url}' is no link of a page: https://, mailto: or #place"));
                }
                Event::Start(Tag::Link { link_type, dest_url, title, id })
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                let dest_url = match picture(&dest_url, pictures) {
                    Ok(data) => data,
                    Err(what) => {
                        wrong(&range, what);
                        dest_url
                    }
                };
                Event::Start(Tag::Image { link_type, dest_url, title, id })
            }
            other => other,
        });
    }
    let mut html = String::new();
    render::push_html(&mut html, kept.into_iter());
    for (number, block) in blocks.iter().enumerate() {
        let place = format!("{BEGIN}{number}{END}");
        // A block has a paragraph of its own, which it is not.
        html = html.replace(&format!("<p>{place}</p>"), block).replace(&place, block);
    }
    Prose { html, mistakes }
}

/// A picture as a part of the page.
fn picture<'t>(address: &str, pictures: &BTreeMap<String, Result<Picture, String>>) -> Result<CowStr<'t>, String> {
    if address.contains("://") || address.starts_with("data:") {
        return Err(format!(
            "the picture '{address}' is not a file: the page opens offline, so save it beside the article"
        ));
    }
    match pictures.get(address) {
        Some(Ok(picture)) => Ok(format!("data:{};base64,{}", picture.kind, STANDARD.encode(&picture.bytes)).into()),
        Some(Err(why)) => Err(format!("the picture '{address}' {why}")),
        None => Err(format!("the picture '{address}' was not read")),
    }
}
