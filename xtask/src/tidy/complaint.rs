//! A complaint of tidy: where, which rule, what is wrong, why that matters, what to do.

use std::fmt;

/// Something that breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Complaint {
    /// File, from the root of the tree.
    pub(crate) path: String,
    /// Line, from 1.
    pub(crate) line: usize,
    /// Name of the rule.
    pub(crate) rule: &'static str,
    /// What is wrong.
    pub(crate) what: String,
    /// Why that is a problem.
    pub(crate) why: String,
    /// What to do instead.
    pub(crate) todo: String,
}

impl Complaint {
    /// All its parts.
    pub(crate) fn new(path: &str, line: usize, rule: &'static str, what: &str, why: &str, todo: &str) -> Self {
        Complaint {
            path: path.to_owned(),
            line,
            rule,
            what: what.to_owned(),
            why: why.to_owned(),
            todo: todo.to_owned(),
        }
    }
}

impl fmt::Display for Complaint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Complaint { path, line, rule, what, why, todo } = self;
        write!(f, "{path}:{line}: {rule}: {what}; {why}; {todo}")
    }
}
