//! How a run is shown: which screen fits the request and the kind of stdout.

/// How a run is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// A live panel below lines of finished steps.
    Panel,
    /// Lines of text.
    Plain,
    /// One event per line, as JSON.
    JsonLines,
    /// Nothing.
    Quiet,
}

/// Chooses how a run is shown. JSON lines are data, so `quiet` does not silence them; the panel needs a terminal that
/// can move its cursor, which an unset or `dumb` `TERM` denies.
#[must_use]
pub fn choose(events_json: bool, quiet: bool, plain: bool, stdout_is_tty: bool, term: Option<&str>) -> Style {
    let can_draw = stdout_is_tty && term.is_some_and(|term| !matches!(term, "" | "dumb"));
    match (events_json, quiet, plain || !can_draw) {
        (true, _, _) => Style::JsonLines,
        (false, true, _) => Style::Quiet,
        (false, false, true) => Style::Plain,
        (false, false, false) => Style::Panel,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_panel_needs_a_terminal_and_data_are_never_silenced() {
        let xterm = Some("xterm-256color");
        assert_eq!(choose(false, false, false, true, xterm), Style::Panel);
        assert_eq!(choose(false, false, true, true, xterm), Style::Plain);
        assert_eq!(choose(false, false, false, false, xterm), Style::Plain);
        assert_eq!(choose(false, false, false, true, Some("dumb")), Style::Plain);
        assert_eq!(choose(false, false, false, true, Some("")), Style::Plain);
        assert_eq!(choose(false, false, false, true, None), Style::Plain);
        assert_eq!(choose(false, true, false, true, xterm), Style::Quiet);
        assert_eq!(choose(true, true, true, true, xterm), Style::JsonLines);
        assert_eq!(choose(true, false, false, false, None), Style::JsonLines);
    }
}
