//! Paths in text that no parser has parsed: macro arguments, macro bodies, attributes.

use proc_macro2::{Delimiter, Ident, TokenStream, TokenTree};

use super::facts::{Mention, Path};

/// The paths in tokens, each with its line, including those in groups. A name after a dot is a field or a method, one
/// before a colon or an equals sign is a field or an argument, one after `$` stands for something else.
pub(super) fn mentions(tokens: TokenStream) -> Vec<(Mention, usize)> {
    let mut found = Vec::new();
    collect(tokens, &mut found);
    found
}

fn collect(tokens: TokenStream, found: &mut Vec<(Mention, usize)>) {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut at = 0;
    while at < tokens.len() {
        match &tokens[at] {
            TokenTree::Group(group) => {
                // `#[doc = "…"]` and the like are not code.
                let attribute = group.delimiter() == Delimiter::Bracket && is_sign(&tokens, at.wrapping_sub(1), '#');
                if !attribute {
                    collect(group.stream(), found);
                }
                at += 1;
            }
            TokenTree::Ident(first) => {
                let (path, behind) = path_from(&tokens, at, first);
                if begins_a_path(&tokens, at, first) {
                    let is_macro = is_sign(&tokens, behind, '!') && !is_sign(&tokens, behind + 1, '=');
                    if is_macro || path.len() > 1 || !names_a_part(&tokens, behind) {
                        found.push((Mention { path, is_macro }, first.span().start().line));
                    }
                }
                at = behind;
            }
            _ => at += 1,
        }
    }
}

/// The path that begins at `at`, and where it ends.
fn path_from(tokens: &[TokenTree], at: usize, first: &Ident) -> (Path, usize) {
    let mut path = vec![plain(first)];
    let mut behind = at + 1;
    while is_sign(tokens, behind, ':') && is_sign(tokens, behind + 1, ':') {
        let Some(TokenTree::Ident(next)) = tokens.get(behind + 2) else { break };
        path.push(plain(next));
        behind += 3;
    }
    (path, behind)
}

/// Whether the text before a name allows a path of this crate to begin there.
fn begins_a_path(tokens: &[TokenTree], at: usize, first: &Ident) -> bool {
    let before = |back: usize, sign: char| at >= back && is_sign(tokens, at - back, sign);
    let field = before(1, '.') && !before(2, '.');
    let continued = before(1, ':') && before(2, ':');
    let stands_for = before(1, '$') && first != "crate";
    !(field || continued || stands_for || before(1, '\''))
}

/// Whether `name:` or `name =` is there, which names a field or an argument.
fn names_a_part(tokens: &[TokenTree], behind: usize) -> bool {
    let colon = is_sign(tokens, behind, ':') && !is_sign(tokens, behind + 1, ':');
    let equals = is_sign(tokens, behind, '=') && !is_sign(tokens, behind + 1, '=') && !is_sign(tokens, behind + 1, '>');
    colon || equals
}

fn is_sign(tokens: &[TokenTree], at: usize, sign: char) -> bool {
    matches!(tokens.get(at), Some(TokenTree::Punct(punct)) if punct.as_char() == sign)
}

/// A name without `r#`.
pub(super) fn plain(ident: &Ident) -> String {
    let text = ident.to_string();
    match text.strip_prefix("r#") {
        Some(plain) => plain.to_owned(),
        None => text,
    }
}

/// Every single name in tokens: a macro between items may make an item of it.
pub(super) fn names(tokens: TokenStream) -> Vec<String> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => found.extend(names(group.stream())),
            TokenTree::Ident(ident) => {
                let (path, _) = path_from(&tokens, at, ident);
                if path.len() == 1 && begins_a_path(&tokens, at, ident) {
                    found.extend(path);
                }
            }
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
    found
}

/// The paths in strings of an attribute, as in `#[serde(with = "crate::units::as_text")]`.
pub(super) fn in_strings(tokens: TokenStream) -> Vec<(Mention, usize)> {
    let mut found = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) => found.extend(in_strings(group.stream())),
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                let inside = text.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
                let word = |part: &str| !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || c == '_');
                let path: Path = inside.unwrap_or_default().split("::").map(str::to_owned).collect();
                if path.len() > 1 && path.iter().all(|part| word(part)) {
                    found.push((Mention { path, is_macro: false }, literal.span().start().line));
                }
            }
            TokenTree::Ident(_) | TokenTree::Punct(_) => {}
        }
    }
    found
}
