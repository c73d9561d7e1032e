//! The Markdown of an article as HTML: raw HTML is an error, pictures are embedded, links lead to the web or to a place
//! on the page.

use std::collections::BTreeMap;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use drivelab_core::excerpt::LineStarts;
use pulldown_cmark::{CowStr, Event, LinkType, Options, Parser, Tag, TagEnd, html as render};

use super::types::{Picture, Remark};

/// Around the number of a block in the text, so that Markdown takes it for a word.
pub(super) const BEGIN: char = '\u{e000}';
pub(super) const END: char = '\u{e001}';

/// Most bytes of pictures in a page, as text.
const MOST_PICTURES: usize = 60_000_000;

/// The text as HTML, with its mistakes.
pub(super) struct Prose {
    pub(super) html: String,
    pub(super) mistakes: Vec<Remark>,
}

fn events(text: &str) -> impl Iterator<Item = (Event<'_>, std::ops::Range<usize>)> {
    let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
    Parser::new_ext(text, options).into_offset_iter()
}

/// The places of code, in order.
pub(super) fn code(text: &str) -> Vec<std::ops::Range<usize>> {
    let is_code = |event: &Event<'_>| matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_)));
    events(text).filter(|(event, _)| is_code(event)).map(|(_, range)| range).collect()
}

/// The pictures that a text names, each with its line.
pub(super) fn pictures(text: &str, first_line: usize) -> Vec<(usize, String)> {
    let lines = LineStarts::of(text);
    let named = events(text).filter_map(|(event, range)| match event {
        Event::Start(Tag::Image { dest_url, .. }) => {
            Some((first_line - 1 + lines.line(range.start), dest_url.replace("%20", " ")))
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

/// Places of every page of an article.
const PLACES: [&str; 2] = ["content", "measured"];

/// An id for each heading, in order: its letters and digits with hyphens, and a number if there are twins.
fn heading_ids(text: &str) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    let mut open: Option<String> = None;
    for (event, _) in events(text) {
        match (event, &mut open) {
            (Event::Start(Tag::Heading { .. }), _) => open = Some(String::new()),
            (Event::Text(text) | Event::Code(text), Some(words)) => words.push_str(&text),
            (Event::End(TagEnd::Heading(_)), Some(words)) => {
                let id = slug(words);
                let is_new = |id: &String| !ids.contains(id) && !PLACES.contains(&id.as_str());
                let numbered = (2_usize..).map(|number| format!("{id}-{number}"));
                let free = std::iter::once(id.clone()).chain(numbered).find(is_new);
                ids.push(free.unwrap_or(id));
                open = None;
            }
            _ => {}
        }
    }
    ids
}

/// Letters and digits in lower case, with single hyphens between them.
pub(super) fn slug(text: &str) -> String {
    let mut out = String::new();
    for sign in text.chars().flat_map(char::to_lowercase) {
        if sign.is_ascii_alphanumeric() {
            out.push(sign);
        } else if !out.ends_with('-') {
            out.push('-');
        }
    }
    out.trim_matches('-').to_owned()
}

/// The text as HTML. `blocks` replace their numbers.
pub(super) fn html(
    text: &str,
    first_line: usize,
    pictures: &BTreeMap<String, Result<Picture, String>>,
    blocks: &[String],
) -> Prose {
    let lines = LineStarts::of(text);
    let ids = heading_ids(text);
    let mut unused = ids.iter();
    let mut mistakes = Vec::new();
    let mut wrong = |range: &std::ops::Range<usize>, what: String| {
        mistakes.push(Remark { line: first_line - 1 + lines.line(range.start), what });
    };
    let mut kept: Vec<Event<'_>> = Vec::new();
    let (mut in_picture, mut bytes) = (0_usize, 0_usize);
    for (event, range) in events(text) {
        match event {
            // Nothing of raw HTML reaches the page.
            Event::Start(Tag::HtmlBlock) | Event::InlineHtml(_) => wrong(
                &range,
                "raw HTML is not allowed: write Markdown, put it in code to show it, or use {{ gap TEXT }} for a note"
                    .to_owned(),
            ),
            Event::Html(_) | Event::End(TagEnd::HtmlBlock) => {}
            Event::Text(text) => place(&mut kept, &text, blocks, in_picture > 0),
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => {
                let place = dest_url.strip_prefix('#');
                let in_block = |place: &str| blocks.iter().any(|block| block.contains(&format!("id=\"{place}\"")));
                let leads =
                    |place: &str| ids.iter().any(|id| id == place) || PLACES.contains(&place) || in_block(place);
                if place.is_some_and(|place| !leads(place)) {
                    let known = ids.iter().map(|id| format!("#{id}")).collect::<Vec<_>>().join(", ");
                    wrong(&range, format!("no heading matches the link '{dest_url}'; headings: {known}"));
                } else if link_type != LinkType::Email && !is_link(&dest_url) {
                    wrong(&range, format!("'{dest_url}' is not a valid link (https://, mailto: or #heading)"));
                }
                kept.push(Event::Start(Tag::Link { link_type, dest_url, title, id }));
            }
            Event::Start(Tag::Heading { level, id, classes, attrs }) => {
                let id = id.or_else(|| unused.next().map(|id| id.clone().into()));
                kept.push(Event::Start(Tag::Heading { level, id, classes, attrs }));
            }
            Event::Start(Tag::Image { link_type, dest_url, title, id }) => {
                in_picture += 1;
                let dest_url = match picture(&dest_url, pictures) {
                    Ok(_) if bytes > MOST_PICTURES => {
                        let most = MOST_PICTURES / 1_000_000;
                        wrong(&range, format!("the pictures exceed {most} MB, the limit for one page: remove some"));
                        break;
                    }
                    Ok(data) => data,
                    Err(what) => {
                        wrong(&range, what);
                        dest_url
                    }
                };
                bytes += dest_url.len();
                kept.push(Event::Start(Tag::Image { link_type, dest_url, title, id }));
            }
            Event::End(TagEnd::Image) => {
                in_picture = in_picture.saturating_sub(1);
                kept.push(Event::End(TagEnd::Image));
            }
            // A block has a paragraph of its own, which it is not.
            Event::End(TagEnd::Paragraph) => match kept.as_slice() {
                [.., Event::Start(Tag::Paragraph), Event::InlineHtml(_)] => {
                    let block = kept.pop();
                    kept.pop();
                    kept.extend(block);
                }
                _ => kept.push(Event::End(TagEnd::Paragraph)),
            },
            other => kept.push(other),
        }
    }
    let mut html = String::new();
    render::push_html(&mut html, kept.into_iter());
    Prose { html, mistakes }
}

/// Adds a text with its blocks in place of their numbers. The words of a picture cannot hold one.
fn place<'t>(kept: &mut Vec<Event<'t>>, text: &str, blocks: &[String], in_picture: bool) {
    let words = |text: &str| {
        let clean: String = text.chars().filter(|sign| ![BEGIN, END].contains(sign)).collect();
        (!clean.is_empty()).then(|| Event::Text(clean.into()))
    };
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(BEGIN) {
        kept.extend(words(before));
        let numbered = after.split_once(END);
        let block = numbered.and_then(|(number, behind)| Some((blocks.get(number.parse::<usize>().ok()?)?, behind)));
        rest = match block {
            Some((block, behind)) => {
                if !in_picture {
                    kept.push(Event::InlineHtml(block.clone().into()));
                }
                behind
            }
            None => after,
        };
    }
    kept.extend(words(rest));
}

/// A picture as a part of the page.
fn picture<'t>(address: &str, pictures: &BTreeMap<String, Result<Picture, String>>) -> Result<CowStr<'t>, String> {
    if address.contains("://") || address.starts_with("data:") {
        return Err(format!(
            "the picture '{address}' is not a file: the page opens offline, so save it beside the article"
        ));
    }
    // As a link has to be written, a blank is `%20`.
    match pictures.get(&address.replace("%20", " ")) {
        Some(Ok(picture)) => Ok(format!("data:{};base64,{}", picture.kind, STANDARD.encode(&picture.bytes)).into()),
        Some(Err(why)) => Err(format!("the picture '{address}' {why}")),
        None => Err(format!("the picture '{address}' was not read")),
    }
}
