//! The picture: what the panel's rows show. A pure function of the progress; the figures come from the records.

use std::collections::VecDeque;

use drivelab_core::clock::StopToken;
use drivelab_core::event::RunState;
use drivelab_report::format;
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Sparkline, SparklineBar};

use crate::screens::figures::{Figures, rough, run_time};
use crate::screens::lines::{self, Tone};
use crate::screens::progress::{Phase, Progress};

/// Rows of the panel.
pub(super) const HEIGHT: u16 = 11;
/// Most columns of the panel: rows that a narrower terminal does not wrap leave nothing behind when the width changes.
const WIDTH: u16 = 78;
/// Columns of a row with a bar: its name and percentage, and the longest text beside it.
const NAME_AND_PER_CENT: u16 = 16;
const WORDS: u16 = 44;

/// What is shown.
pub(super) struct View<'a> {
    pub(super) progress: &'a Progress,
    /// Now, on the run clock.
    pub(super) now_ns: u64,
    /// Time of day at which the run ends.
    pub(super) ends: Option<String>,
    pub(super) finding: Option<&'a (Tone, String)>,
    /// The run is in progress; otherwise this is a replay.
    pub(super) live: bool,
    /// Whether the run was told to stop, or the person is being asked.
    pub(super) stopping: Stopping,
    pub(super) color: bool,
}

/// How far a stop has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stopping {
    /// No stop was requested.
    No,
    /// A key was pressed, and the panel asks what it means.
    Asking,
    /// Stop when the step has ended.
    AfterStep,
    /// Stop now.
    Now,
}

impl Stopping {
    /// From what was requested, and whether the question is open.
    pub(super) fn of(stop: &StopToken, asking: bool) -> Stopping {
        match (stop.is_stopped(), asking, stop.stops_after_step()) {
            (true, ..) => Stopping::Now,
            (false, true, _) => Stopping::Asking,
            (false, false, true) => Stopping::AfterStep,
            (false, false, false) => Stopping::No,
        }
    }
}

/// The style of a tone.
pub(super) fn style(tone: Tone, color: bool) -> Style {
    match tone {
        Tone::Plain => Style::default(),
        Tone::Warning => paint(color, Color::Yellow),
        Tone::Bad => paint(color, Color::Red).add_modifier(Modifier::BOLD),
    }
}

fn paint(color: bool, paint: Color) -> Style {
    if color { Style::default().fg(paint) } else { Style::default() }
}

/// Draws the panel over the whole frame.
pub(super) fn draw(frame: &mut Frame<'_>, view: &View<'_>) {
    let rows = Layout::vertical([
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(2),
        Constraint::Length(2),
        Constraint::Length(2),
        Constraint::Length(1),
        Constraint::Length(1),
        Constraint::Length(1),
    ])
    .split(Rect { width: frame.area().width.min(WIDTH), ..frame.area() });
    let [title, step, figures, curve, bars, next, finding, keys] = rows[..] else { return };
    frame.render_widget(title_line(view, title.width), title);
    frame.render_widget(step_line(view), step);
    let [read, write] = Layout::vertical([Constraint::Length(1); 2]).areas(figures);
    for (line, row) in figure_lines(view).into_iter().zip([read, write]) {
        frame.render_widget(line, row);
    }
    draw_curve(frame, view, curve);
    let [here, whole] = Layout::vertical([Constraint::Length(1); 2]).areas(bars);
    frame.render_widget(step_bar(view, here.width), here);
    frame.render_widget(run_bar(view, whole.width), whole);
    frame.render_widget(next_line(view, next.width), next);
    if let Some((tone, text)) = view.finding {
        frame.render_widget(Line::styled(cut(text, finding.width), style(*tone, view.color)), finding);
    }
    let plain = matches!(view.stopping, Stopping::No | Stopping::Now);
    let tone = if plain { Style::default().add_modifier(Modifier::DIM) } else { style(Tone::Bad, view.color) };
    frame.render_widget(Line::styled(keys_text(view), tone), keys);
}

/// `── First look ─ quick form ─ ./scratch, 4 GiB ─────`.
fn title_line(view: &View<'_>, width: u16) -> Line<'static> {
    let text = view.progress.head().map_or_else(
        || " drivelab ".to_owned(),
        |head| {
            let (title, form, length) = (cut(&head.title, 24), head.form, head.length.about());
            let fixed = format!(" {title}, {form}, , {length} ").chars().count();
            let room = usize::from(width).saturating_sub(fixed + 6).max(12);
            format!(" {title}, {form}, {}, {length} ", tail(&head.target, room))
        },
    );
    let rest = usize::from(width).saturating_sub(text.chars().count() + 2);
    let rule = paint(view.color, Color::Cyan);
    Line::from(vec![
        Span::styled("──", rule),
        Span::styled(text, Style::default().add_modifier(Modifier::BOLD)),
        Span::styled("─".repeat(rest), rule),
    ])
}

fn step_line(view: &View<'_>) -> Line<'static> {
    let bold = Style::default().add_modifier(Modifier::BOLD);
    let progress = view.progress;
    let text = match (progress.resting(), lines::running(progress)) {
        (Some(resting), _) => {
            return Line::from(format!("resting, {} of it left", rough(resting.until_ns.saturating_sub(view.now_ns))));
        }
        (None, Some(text)) => text,
        (None, None) => {
            return Line::from(match progress.phase() {
                Phase::Before => "starting",
                Phase::Going => "between steps",
                Phase::Interrupted => "interrupted; what was measured is kept",
                Phase::Ended(_) => "at the end",
            });
        }
    };
    let ramp = progress.running().and_then(|running| running.latest).is_some_and(|latest| latest.ramp);
    let mut spans = vec![Span::styled(text, bold)];
    if ramp {
        spans.push(Span::raw("  warming up, not counted"));
    }
    if progress.has_pauses() {
        spans.push(Span::raw("  rates with the trace's pauses"));
    }
    Line::from(spans)
}

/// A row for each kind of operation, from the newest interval; the panel has room for two.
fn figure_lines(view: &View<'_>) -> Vec<Line<'static>> {
    let Some(running) = view.progress.running() else { return Vec::new() };
    let Some(latest) = running.latest else {
        let words = if view.progress.is_idle() { "  no I/O in this step" } else { "  no interval is over yet" };
        return vec![Line::from(words)];
    };
    let hue = |name: &str| match name {
        "read" => Color::Green,
        "write" => Color::Magenta,
        _ => Color::Cyan,
    };
    let line = |(name, figures): (&str, Option<Figures>)| {
        figures.map(|figures| figure_line(name, paint(view.color, hue(name)), figures))
    };
    let lines: Vec<_> = latest.kinds().into_iter().filter_map(line).collect();
    if lines.is_empty() { vec![Line::from("  nothing completed in the last interval")] } else { lines }
}

fn figure_line(name: &str, hue: Style, figures: Figures) -> Line<'static> {
    let big = hue.add_modifier(Modifier::BOLD);
    let mut spans = vec![
        Span::styled(format!("  {name:<5}"), hue),
        Span::styled(format!("{:>9}", figures.mb_s().unwrap_or_else(|| "-".to_owned())), big),
        Span::raw(if figures.mb_s.is_some() { " MB/s" } else { "     " }),
        Span::styled(format!("{:>12}", format::iops(figures.iops)), big),
        Span::raw(" IOPS"),
        Span::raw("   p99"),
        Span::styled(format!("{:>9}", figures.p99_us().unwrap_or_else(|| "-".to_owned())), big),
        Span::raw(if figures.p99.is_some() { " µs" } else { "" }),
    ];
    if figures.errors > 0 {
        spans.push(Span::raw(format!("   {} errors", figures.errors)));
    }
    Line::from(spans)
}

/// The rate of each interval of the step, newest at the right, scaled from zero to the largest one shown.
fn draw_curve(frame: &mut Frame<'_>, view: &View<'_>, area: Rect) {
    let Some(running) = view.progress.running().filter(|running| !running.history.is_empty()) else { return };
    let [_, curve, scale] =
        Layout::horizontal([Constraint::Length(2), Constraint::Fill(1), Constraint::Length(16)]).areas(area);
    let shown = newest(&running.history, usize::from(curve.width));
    let top = shown.iter().flatten().copied().max().unwrap_or(0);
    let bars: Vec<SparklineBar> = shown.into_iter().map(SparklineBar::from).collect();
    let sparkline =
        Sparkline::default().data(bars).max(top.max(1)).absent_value_symbol("·").style(paint(view.color, Color::Cyan));
    frame.render_widget(sparkline, curve);
    let [high, low] = Layout::vertical([Constraint::Length(1); 2]).areas(scale);
    frame.render_widget(Line::from(format!(" {} MB/s", format::mb_s(mb_s(top)))), high);
    frame.render_widget(Line::from(" 0"), low);
}

fn newest(history: &VecDeque<Option<u64>>, width: usize) -> Vec<Option<u64>> {
    history.iter().skip(history.len().saturating_sub(width)).copied().collect()
}

#[expect(clippy::cast_precision_loss, reason = "rates stay far below 2^53 bytes per second")]
fn mb_s(bytes_per_second: u64) -> f64 {
    bytes_per_second as f64 / 1e6
}

fn step_bar(view: &View<'_>, width: u16) -> Line<'static> {
    let Some(running) = view.progress.running() else { return Line::default() };
    let elapsed = view.now_ns.saturating_sub(running.started_ns);
    match view.progress.left_here(view.now_ns) {
        None => Line::from(format!("  step  {} so far", run_time(elapsed))),
        Some(left) => {
            let text = format!("{} left", rough(left.get()));
            bar("step", (elapsed, left.get()), text, width, view.color)
        }
    }
}

fn run_bar(view: &View<'_>, width: u16) -> Line<'static> {
    let Some(left) = view.progress.left(view.now_ns) else {
        return Line::from(format!("  run   {} so far", run_time(view.now_ns)));
    };
    let whole = match view.progress.phase() {
        Phase::Ended(RunState::Complete) => "complete".to_owned(),
        Phase::Ended(_) => "ended early".to_owned(),
        Phase::Before | Phase::Going | Phase::Interrupted => format!("{} left", left.text()),
    };
    let with_end = view.ends.as_ref().map(|ends| format!("{whole}, ends about {ends}"));
    // The first text that fits beside the bar; a cut estimate would be a different one.
    let room = usize::from(width.saturating_sub(NAME_AND_PER_CENT + bar_columns(width)));
    let words = with_end.into_iter().chain([whole]).find(|words| words.chars().count() <= room);
    let words = words.unwrap_or_else(|| format!("at most {} left", rough(left.at_most.get())));
    bar("run", (view.now_ns, left.at_most.get()), words, width, view.color)
}

/// Columns of a bar in a panel of this width.
fn bar_columns(width: u16) -> u16 {
    width.saturating_sub(NAME_AND_PER_CENT + WORDS).max(6)
}

/// `  step  ██████░░░░░  52 %  about 35 s left`.
fn bar(name: &str, (elapsed, left): (u64, u64), text: String, width: u16, color: bool) -> Line<'static> {
    let columns = bar_columns(width);
    let whole = u128::from(elapsed) + u128::from(left);
    // Rounded down: full means finished.
    let per_cent = (u128::from(elapsed) * 100).checked_div(whole).unwrap_or(100);
    let filled = (u128::from(elapsed) * u128::from(columns)).checked_div(whole).unwrap_or(columns.into());
    let filled = usize::try_from(filled).unwrap_or(0);
    let hue = paint(color, Color::Cyan);
    Line::from(vec![
        Span::raw(format!("  {name:<6}")),
        Span::styled("█".repeat(filled), hue),
        Span::styled("░".repeat(usize::from(columns) - filled), hue),
        Span::raw(format!(" {per_cent:>3} %  {text}")),
    ])
}

fn next_line(view: &View<'_>, width: u16) -> Line<'static> {
    let next = view.progress.next(2);
    let over = matches!(view.progress.phase(), Phase::Ended(_) | Phase::Interrupted);
    let text = match (over, next.is_empty(), view.progress.head()) {
        (true, ..) | (_, true, None) => return Line::default(),
        (_, true, Some(_)) => "the results".to_owned(),
        (_, false, _) => next.join(", then "),
    };
    Line::from(cut(&format!("  next  {text}"), width))
}

fn keys_text(view: &View<'_>) -> &'static str {
    match (view.progress.phase(), view.live, view.stopping) {
        (Phase::Ended(_) | Phase::Interrupted, ..) => "",
        (Phase::Before | Phase::Going, false, _) => "  a replay; q or Ctrl-C ends it",
        (Phase::Before | Phase::Going, true, Stopping::Now) => "  stopping; q or Ctrl-C leaves immediately",
        (Phase::Before | Phase::Going, true, Stopping::Asking) => {
            "  Stop?  s: after this step   n or q: now   g: go on"
        }
        (Phase::Before | Phase::Going, true, Stopping::AfterStep) => {
            "  stops after this step; g: go on   q or Ctrl-C: stop now"
        }
        (Phase::Before | Phase::Going, true, Stopping::No) => "  q or Ctrl-C stops; what was measured is kept",
    }
}

/// The beginning of a text that is too long.
fn cut(text: &str, width: u16) -> String {
    let width = usize::from(width);
    if text.chars().count() <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

/// The end of a path that is too long, because the file's name matters most.
fn tail(text: &str, width: usize) -> String {
    let length = text.chars().count();
    if length <= width {
        return text.to_owned();
    }
    std::iter::once('…').chain(text.chars().skip(length + 1 - width)).collect()
}
