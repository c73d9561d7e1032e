//! Whether a piece of code is compiled only for tests, by its attributes.

use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ImplItem, Item, Meta, Stmt, Token, TraitItem};

/// Whether one of the attributes is `#[test]`, or a `#[cfg(…)]` that only tests fulfil.
pub(super) fn only_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        path.is_ident("test")
            || (path.is_ident("cfg") && attribute.parse_args::<Meta>().is_ok_and(|condition| asks_for_test(&condition)))
    })
}

/// Whether a condition cannot hold outside tests.
fn asks_for_test(condition: &Meta) -> bool {
    let Meta::List(list) = condition else { return condition.path().is_ident("test") };
    let Ok(parts) = list.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated) else { return false };
    if list.path.is_ident("all") {
        parts.iter().any(asks_for_test)
    } else {
        list.path.is_ident("any") && !parts.is_empty() && parts.iter().all(asks_for_test)
    }
}

/// The attributes of an item.
pub(super) fn of_item(item: &Item) -> &[Attribute] {
    match item {
        Item::Const(item) => &item.attrs,
        Item::Enum(item) => &item.attrs,
        Item::ExternCrate(item) => &item.attrs,
        Item::Fn(item) => &item.attrs,
        Item::ForeignMod(item) => &item.attrs,
        Item::Impl(item) => &item.attrs,
        Item::Macro(item) => &item.attrs,
        Item::Mod(item) => &item.attrs,
        Item::Static(item) => &item.attrs,
        Item::Struct(item) => &item.attrs,
        Item::Trait(item) => &item.attrs,
        Item::TraitAlias(item) => &item.attrs,
        Item::Type(item) => &item.attrs,
        Item::Union(item) => &item.attrs,
        Item::Use(item) => &item.attrs,
        _ => &[],
    }
}

/// The attributes of something in an `impl`.
pub(super) fn of_impl_item(item: &ImplItem) -> &[Attribute] {
    match item {
        ImplItem::Const(item) => &item.attrs,
        ImplItem::Fn(item) => &item.attrs,
        ImplItem::Type(item) => &item.attrs,
        ImplItem::Macro(item) => &item.attrs,
        _ => &[],
    }
}

/// The attributes of something in a trait.
pub(super) fn of_trait_item(item: &TraitItem) -> &[Attribute] {
    match item {
        TraitItem::Const(item) => &item.attrs,
        TraitItem::Fn(item) => &item.attrs,
        TraitItem::Type(item) => &item.attrs,
        TraitItem::Macro(item) => &item.attrs,
        _ => &[],
    }
}

/// The attributes of a statement; of expressions, usually only those that are statements.
pub(super) fn of_statement(statement: &Stmt) -> &[Attribute] {
    match statement {
        Stmt::Local(local) => &local.attrs,
        Stmt::Item(item) => of_item(item),
        Stmt::Macro(called) => &called.attrs,
        Stmt::Expr(expression, _) => match expression {
            Expr::Block(inner) => &inner.attrs,
            Expr::Call(inner) => &inner.attrs,
            Expr::ForLoop(inner) => &inner.attrs,
            Expr::If(inner) => &inner.attrs,
            Expr::Loop(inner) => &inner.attrs,
            Expr::Macro(inner) => &inner.attrs,
            Expr::Match(inner) => &inner.attrs,
            Expr::MethodCall(inner) => &inner.attrs,
            Expr::Return(inner) => &inner.attrs,
            Expr::Unsafe(inner) => &inner.attrs,
            Expr::While(inner) => &inner.attrs,
            _ => &[],
        },
    }
}
