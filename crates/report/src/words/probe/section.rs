//! A section of facts: a heading and pairs of name and value.

/// A heading and its facts.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    /// The heading.
    pub(crate) title: String,
    /// Pairs of name and value.
    pub(crate) facts: Vec<(String, String)>,
}

impl Section {
    pub(crate) fn new(title: impl Into<String>) -> Self {
        Section { title: title.into(), facts: Vec::new() }
    }

    /// Adds a fact.
    pub(crate) fn fact(&mut self, name: impl Into<String>, value: impl Into<String>) -> &mut Self {
        self.facts.push((name.into(), value.into()));
        self
    }

    /// Adds a fact if it has a value.
    pub(crate) fn some(&mut self, name: &str, value: Option<impl Into<String>>) -> &mut Self {
        if let Some(value) = value {
            self.fact(name, value);
        }
        self
    }

    /// Adds a list if it is not empty.
    pub(crate) fn list(&mut self, name: &str, values: &[String]) -> &mut Self {
        if !values.is_empty() {
            self.fact(name, values.join(", "));
        }
        self
    }
}
