//! A section of facts: a heading, and names with their values.

/// A heading and what stands below it.
#[derive(Debug, Clone)]
pub(crate) struct Section {
    /// The heading.
    pub(crate) title: String,
    /// Name and value.
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

    /// Adds a fact that is there.
    pub(crate) fn some(&mut self, name: &str, value: Option<impl Into<String>>) -> &mut Self {
        if let Some(value) = value {
            self.fact(name, value);
        }
        self
    }

    /// Adds a list, where it is not empty.
    pub(crate) fn list(&mut self, name: &str, values: &[String]) -> &mut Self {
        if !values.is_empty() {
            self.fact(name, values.join(", "));
        }
        self
    }
}
