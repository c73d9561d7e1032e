//! Reads one Rust file into `Facts`: its names, its imports and its paths, without code that only tests compile.
//!
//! Owns: the walk through the syntax tree. Must not know: other files, or what a name means. The tree is `syn`'s;
//! macro arguments have no tree, and are searched for paths in `tokens`.

use std::collections::HashSet;

use proc_macro2::{Ident, TokenStream};
use syn::visit::{self, Visit};
use syn::{Item, Visibility};

use super::facts::{Declared, Facts, Import, Item as Named, Kind, Mention, Path, Scope};
use super::only_tests::{of_impl_item, of_item, of_statement, of_trait_item, only_tests};
use super::tokens::{self, plain};

/// The contents of a file; an error if it is not Rust.
pub(super) fn read(text: &str) -> syn::Result<Facts> {
    let file = syn::parse_file(text)?;
    let facts = Facts { scopes: vec![Scope::new(Kind::File, 0)], has_code: false };
    let mut reader = Reader { facts, at: 0, locals: HashSet::new(), imports: 0 };
    if !only_tests(&file.attrs) {
        file.items.iter().for_each(|item| reader.visit_item(item));
    }
    Ok(reader.facts)
}

/// The state of the walk through a file.
struct Reader {
    facts: Facts,
    /// The current scope.
    at: usize,
    /// Names from `let`, parameters and patterns so far in this function; these are not items.
    locals: HashSet<String>,
    /// Imports so far.
    imports: usize,
}

impl Reader {
    fn scope(&mut self) -> &mut Scope {
        &mut self.facts.scopes[self.at]
    }

    /// Walks through something that is a scope of its own.
    fn within(&mut self, kind: Kind, walk: impl FnOnce(&mut Self)) {
        let around = self.at;
        self.facts.scopes.push(Scope::new(kind, around));
        self.at = self.facts.scopes.len() - 1;
        walk(self);
        self.at = around;
    }

    /// Walks through a function, which has its own locals.
    fn in_function(&mut self, walk: impl FnOnce(&mut Self)) {
        let outer = std::mem::take(&mut self.locals);
        walk(self);
        self.locals = outer;
    }

    fn mention(&mut self, path: Path, is_macro: bool, first: &Ident) {
        if let [name] = path.as_slice()
            && !is_macro
            && self.locals.contains(name)
        {
            return;
        }
        self.scope().mentions.entry(Mention { path, is_macro }).or_insert_with(|| line_of(first));
    }

    fn found(&mut self, mentions: Vec<(Mention, usize)>) {
        for (mention, line) in mentions {
            let local = !mention.is_macro && mention.path.len() == 1 && self.locals.contains(&mention.path[0]);
            if !local {
                self.scope().mentions.entry(mention).or_insert(line);
            }
        }
    }

    /// Notes the name of an item.
    fn define(&mut self, item: &Item) {
        let (ident, visibility) = match item {
            Item::Const(item) => (&item.ident, &item.vis),
            Item::Enum(item) => (&item.ident, &item.vis),
            Item::Fn(item) => (&item.sig.ident, &item.vis),
            Item::Static(item) => (&item.ident, &item.vis),
            Item::Struct(item) => (&item.ident, &item.vis),
            Item::Trait(item) => (&item.ident, &item.vis),
            Item::TraitAlias(item) => (&item.ident, &item.vis),
            Item::Type(item) => (&item.ident, &item.vis),
            Item::Union(item) => (&item.ident, &item.vis),
            Item::Mod(_) | Item::Use(_) | Item::ExternCrate(_) => return,
            Item::Macro(item) => {
                self.facts.has_code = true;
                match &item.ident {
                    // Its place and the `use` lines that re-export it decide who may name it.
                    Some(ident) => self.name(ident, Named { public: true, is_macro: true }),
                    None => self.scope().made.extend(tokens::names(item.mac.tokens.clone())),
                }
                return;
            }
            _ => {
                self.facts.has_code = true;
                return;
            }
        };
        self.facts.has_code = true;
        let public = !matches!(visibility, Visibility::Inherited);
        self.name(ident, Named { public, is_macro: false });
    }

    fn name(&mut self, ident: &Ident, named: Named) {
        self.scope().items.entry(plain(ident)).or_default().push(named);
    }

    /// Notes the names of a `use`, or of a part of one after `path`.
    fn import(&mut self, tree: &syn::UseTree, path: &[String], public: bool) {
        match tree {
            syn::UseTree::Path(part) => {
                let mut longer = path.to_vec();
                longer.push(plain(&part.ident));
                self.import(&part.tree, &longer, public);
            }
            syn::UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree, path, public)),
            syn::UseTree::Name(part) => self.import_as(path, &part.ident, None, public),
            syn::UseTree::Rename(part) => self.import_as(path, &part.ident, Some(&part.rename), public),
            syn::UseTree::Glob(part) => {
                let line = part.star_token.spans[0].start().line;
                let import = self.numbered(path.to_vec(), public, false, line);
                self.scope().globs.push(import);
            }
        }
    }

    fn import_as(&mut self, before: &[String], ident: &Ident, rename: Option<&Ident>, public: bool) {
        let mut path = before.to_vec();
        let by_self = ident == "self" && !path.is_empty();
        if !by_self {
            path.push(plain(ident));
        }
        let name = rename.map(plain).or_else(|| path.last().cloned()).unwrap_or_default();
        let import = self.numbered(path, public, by_self, line_of(ident));
        self.scope().imports.entry(name).or_default().push(import);
    }

    fn numbered(&mut self, path: Path, public: bool, by_self: bool, line: usize) -> Import {
        self.imports += 1;
        Import { number: self.imports, path, public, by_self, line }
    }
}

impl<'ast> Visit<'ast> for Reader {
    fn visit_item(&mut self, item: &'ast Item) {
        if !only_tests(of_item(item)) {
            self.define(item);
            visit::visit_item(self, item);
        }
    }

    fn visit_impl_item(&mut self, item: &'ast syn::ImplItem) {
        if !only_tests(of_impl_item(item)) {
            visit::visit_impl_item(self, item);
        }
    }

    fn visit_trait_item(&mut self, item: &'ast syn::TraitItem) {
        if !only_tests(of_trait_item(item)) {
            visit::visit_trait_item(self, item);
        }
    }

    fn visit_stmt(&mut self, statement: &'ast syn::Stmt) {
        if !only_tests(of_statement(statement)) {
            visit::visit_stmt(self, statement);
        }
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        if !only_tests(&field.attrs) {
            visit::visit_field(self, field);
        }
    }

    fn visit_field_value(&mut self, field: &'ast syn::FieldValue) {
        if !only_tests(&field.attrs) {
            visit::visit_field_value(self, field);
        }
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        if !only_tests(&arm.attrs) {
            visit::visit_arm(self, arm);
        }
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        if !only_tests(&variant.attrs) {
            visit::visit_variant(self, variant);
        }
    }

    fn visit_item_mod(&mut self, module: &'ast syn::ItemMod) {
        let name = plain(&module.ident);
        match &module.content {
            Some((_, items)) => {
                let walk = |reader: &mut Self| items.iter().for_each(|item| reader.visit_item(item));
                self.within(Kind::Module(name), walk);
            }
            None => {
                let path = module.attrs.iter().find_map(path_attribute);
                self.scope().declared.push(Declared { name, path });
            }
        }
    }

    fn visit_item_use(&mut self, item: &'ast syn::ItemUse) {
        // `use ::name` is another crate.
        if item.leading_colon.is_none() {
            let public = !matches!(item.vis, Visibility::Inherited);
            self.import(&item.tree, &[], public);
        }
    }

    fn visit_item_fn(&mut self, function: &'ast syn::ItemFn) {
        self.in_function(|reader| visit::visit_item_fn(reader, function));
    }

    fn visit_impl_item_fn(&mut self, function: &'ast syn::ImplItemFn) {
        self.in_function(|reader| visit::visit_impl_item_fn(reader, function));
    }

    fn visit_trait_item_fn(&mut self, function: &'ast syn::TraitItemFn) {
        self.in_function(|reader| visit::visit_trait_item_fn(reader, function));
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        if block.stmts.iter().any(|statement| matches!(statement, syn::Stmt::Item(_))) {
            self.within(Kind::Block, |reader| visit::visit_block(reader, block));
        } else {
            visit::visit_block(self, block);
        }
    }

    fn visit_pat_ident(&mut self, pattern: &'ast syn::PatIdent) {
        let name = plain(&pattern.ident);
        // `NONE => …` compares with a constant.
        if name.starts_with(char::is_uppercase) {
            self.mention(vec![name], false, &pattern.ident);
        } else {
            self.locals.insert(name);
        }
        visit::visit_pat_ident(self, pattern);
    }

    fn visit_expr_path(&mut self, path: &'ast syn::ExprPath) {
        match &path.qself {
            // `<Type>::name`: the name belongs to the type.
            Some(of) if of.position == 0 => visit::visit_qself(self, of),
            _ => visit::visit_expr_path(self, path),
        }
    }

    fn visit_type_path(&mut self, path: &'ast syn::TypePath) {
        match &path.qself {
            Some(of) if of.position == 0 => visit::visit_qself(self, of),
            _ => visit::visit_type_path(self, path),
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        if path.leading_colon.is_none()
            && let Some(first) = path.segments.first()
        {
            let names = path.segments.iter().map(|segment| plain(&segment.ident)).collect();
            self.mention(names, false, &first.ident);
        }
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, called: &'ast syn::Macro) {
        if called.path.leading_colon.is_none()
            && let Some(first) = called.path.segments.first()
            && !called.path.is_ident("macro_rules")
        {
            let names = called.path.segments.iter().map(|segment| plain(&segment.ident)).collect();
            self.mention(names, true, &first.ident);
        }
        self.visit_token_stream(&called.tokens);
    }

    fn visit_token_stream(&mut self, tokens: &'ast TokenStream) {
        self.found(tokens::mentions(tokens.clone()));
    }

    fn visit_attribute(&mut self, attribute: &'ast syn::Attribute) {
        if let syn::Meta::List(list) = &attribute.meta {
            // Its words are mostly keys of its own; only what is written as a path is certainly one.
            let paths = tokens::mentions(list.tokens.clone());
            self.found(paths.into_iter().filter(|(mention, _)| mention.path.len() > 1).collect());
            self.found(tokens::in_strings(list.tokens.clone()));
        }
    }

    /// `pub(in crate::a)` takes nothing.
    fn visit_visibility(&mut self, _: &'ast Visibility) {}
}

fn line_of(ident: &Ident) -> usize {
    ident.span().start().line
}

/// The file that `#[path = "…"]` names.
fn path_attribute(attribute: &syn::Attribute) -> Option<String> {
    match &attribute.meta {
        syn::Meta::NameValue(pair) if pair.path.is_ident("path") => match &pair.value {
            syn::Expr::Lit(syn::ExprLit { lit: syn::Lit::Str(text), .. }) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}
