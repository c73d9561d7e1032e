//! Settings and the origin of each: flag > environment > project file > user file > system file > default.
//!
//! The project file is `drivelab.toml` in the current folder, the user file `drivelab/config.toml` in
//! $XDG_CONFIG_HOME, the system file /etc/drivelab/config.toml. An unknown key in any of them is an error.

use std::io::ErrorKind;
use std::path::PathBuf;

use drivelab_core::excerpt::{LONGEST_SHOWN, shortened};
use drivelab_core::units::Nanos;
use drivelab_lab::{Failure, Loudness, Result, TelemetryChoice, Voice};
use etcetera::BaseStrategy;
use serde::Deserialize;

use crate::args::{BackendArg, Color, Global};
use crate::say;

/// Largest settings file, in bytes.
const LONGEST: u64 = 1 << 20;
/// Longest error text, in characters.
const LONGEST_MESSAGE: usize = 4000;

/// A value and the name of what set it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Setting<T> {
    /// The value in force.
    pub value: T,
    /// What set it: `flag --data`, `DRIVELAB_DATA`, a file, `default`.
    pub source: String,
}

/// Everything that can be set.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Folder for bundles and catalog.
    pub data: Setting<PathBuf>,
    /// When to use colour.
    pub color: Setting<Color>,
    /// Plain lines instead of the panel.
    pub plain: Setting<bool>,
    /// Engine.
    pub backend: Setting<BackendArg>,
    /// What is sampled during the I/O.
    pub telemetry: Setting<TelemetryChoice>,
    /// Part of a drive's rated endurance, in per cent, that a run may write without asking.
    pub endurance_ask_percent: Setting<f64>,
    /// Run time from which a key of the live panel asks before it stops the run.
    pub stop_ask_after: Setting<Nanos>,
    /// The user's own drive facts files, `drives/` beside the user's settings file; `None` without a home folder.
    pub drives: Option<PathBuf>,
    /// How much is printed.
    pub voice: Voice,
}

/// What a settings file can contain.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    data: Option<PathBuf>,
    color: Option<String>,
    plain: Option<bool>,
    backend: Option<String>,
    telemetry: Option<String>,
    endurance_ask_percent: Option<f64>,
    stop_ask_after: Option<String>,
}

/// The part of the endurance at which a run asks: in five years of rated use, a drive uses up one per cent in eighteen
/// days.
const ENDURANCE_ASK_PERCENT: f64 = 1.0;
/// A run that has taken less time is quickly repeated.
const STOP_ASK_AFTER: Nanos = Nanos::new(60_000_000_000);

impl Settings {
    /// Reads everything once.
    ///
    /// # Errors
    /// A settings file that cannot be parsed, or an environment variable with an unknown value.
    pub fn read(global: &Global) -> Result<Settings> {
        let color = anstream::AutoStream::choice(&std::io::stderr()) != anstream::ColorChoice::Never;
        let voice = Voice::new(loudness(global), color, say::line);
        let layers = files(&voice)?;
        let layers = layers.as_slice();
        let data = pick(
            global.data.clone().map(|value| ("flag --data", value)),
            environment("DRIVELAB_DATA").map(PathBuf::from).map(|value| ("DRIVELAB_DATA", value)),
            layers,
            |file| file.data.clone(),
        );
        let data = match data {
            Some(data) => data,
            None => default_data(),
        };
        // Without a current folder, the path stays as written.
        let value = std::path::absolute(&data.value).unwrap_or(data.value);
        Ok(Settings {
            data: Setting { value, source: data.source },
            color: word(global.color, "color", "DRIVELAB_COLOR", layers, |file| file.color.clone(), Color::Auto)?,
            plain: pick(
                global.plain.then_some(("flag --plain", true)),
                environment("DRIVELAB_PLAIN")
                    .map(|value| ("DRIVELAB_PLAIN", !matches!(value.as_str(), "0" | "false" | "no" | "off"))),
                layers,
                |file| file.plain,
            )
            .unwrap_or(Setting { value: false, source: "default".to_owned() }),
            backend: word(None, "backend", "DRIVELAB_BACKEND", layers, |file| file.backend.clone(), BackendArg::Auto)?,
            telemetry: telemetry(layers)?,
            endurance_ask_percent: endurance_ask_percent(layers)?,
            stop_ask_after: stop_ask_after(layers)?,
            drives: base().map(|base| base.config.join("drivelab/drives")),
            voice,
        })
    }
}

const fn loudness(global: &Global) -> Loudness {
    match (global.quiet, global.verbose) {
        (true, _) => Loudness::Quiet,
        (false, true) => Loudness::Verbose,
        (false, false) => Loudness::Normal,
    }
}

/// The user's folders: those of the caller under sudo, otherwise by the XDG rules.
struct Base {
    data: PathBuf,
    config: PathBuf,
}

fn base() -> Option<Base> {
    if let Some(caller) = drivelab_lab::output::caller::behind_sudo() {
        return Some(Base { data: caller.home.join(".local/share"), config: caller.home.join(".config") });
    }
    let strategy = etcetera::choose_base_strategy().ok()?;
    // A relative home folder would be a different one in each current folder.
    if !strategy.home_dir().is_absolute() {
        return None;
    }
    Some(Base { data: strategy.data_dir(), config: strategy.config_dir() })
}

/// Where results go by default. Without a home folder there is no such place, which only matters to a command that
/// needs it: [`crate::context::Context::data`] then reports it.
fn default_data() -> Setting<PathBuf> {
    match base() {
        Some(base) => Setting { value: base.data.join("drivelab"), source: "default".to_owned() },
        None => Setting { value: PathBuf::new(), source: "none: there is no home folder".to_owned() },
    }
}

fn environment(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

/// The settings files that exist, strongest first. A file in a place where this user may not look (somebody else's
/// home folder, as after `su`) cannot be theirs: it is reported, and is no reason to refuse every command.
fn files(voice: &Voice) -> Result<Vec<(String, File)>> {
    let mut paths = vec![PathBuf::from("drivelab.toml")];
    if let Some(base) = base() {
        paths.push(base.config.join("drivelab/config.toml"));
    }
    paths.push(PathBuf::from("/etc/drivelab/config.toml"));
    let mut files = Vec::new();
    for path in paths {
        let text = match drivelab_core::input::read_text(&path, LONGEST) {
            Ok(text) => text,
            Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => continue,
            Err(error) if error.kind() == ErrorKind::PermissionDenied => {
                voice.warn(format!("the settings file {} is left out: {error}; is HOME right?", path.display()));
                continue;
            }
            Err(error) => {
                return Err(Failure::usage(format!("cannot read the settings file {}: {error}", path.display())));
            }
        };
        let file = toml::from_str(&text).map_err(|error| {
            let error = shortened(&error.to_string(), LONGEST_MESSAGE);
            Failure::usage(format!("the settings file {} is wrong: {error}\nsee docs/settings.md", path.display()))
        })?;
        files.push((path.display().to_string(), file));
    }
    Ok(files)
}

/// The strongest layer that has a value.
fn pick<T>(
    flag: Option<(&str, T)>,
    environment: Option<(&str, T)>,
    files: &[(String, File)],
    read: impl Fn(&File) -> Option<T>,
) -> Option<Setting<T>> {
    if let Some((source, value)) = flag.or(environment) {
        return Some(Setting { value, source: source.to_owned() });
    }
    files.iter().find_map(|(path, file)| Some(Setting { value: read(file)?, source: path.clone() }))
}

/// The limit above which a run asks before it wears a drive.
fn endurance_ask_percent(files: &[(String, File)]) -> Result<Setting<f64>> {
    let wrong = |value: &str, source: &str| {
        Failure::usage(format!(
            "'{}' is not a valid value for 'endurance_ask_percent' (set by {source}); expected a percentage from 0 to 100",
            shortened(value, LONGEST_SHOWN)
        ))
    };
    let source = "DRIVELAB_ENDURANCE_ASK_PERCENT";
    let variable = match environment(source) {
        Some(value) => Some((source, value.parse::<f64>().map_err(|_| wrong(&value, source))?)),
        None => None,
    };
    let setting = pick(None, variable, files, |file| file.endurance_ask_percent)
        .unwrap_or(Setting { value: ENDURANCE_ASK_PERCENT, source: "default".to_owned() });
    if (0.0..=100.0).contains(&setting.value) {
        Ok(setting)
    } else {
        Err(wrong(&setting.value.to_string(), &setting.source))
    }
}

/// The run time from which a key asks.
fn stop_ask_after(files: &[(String, File)]) -> Result<Setting<Nanos>> {
    let environment = environment("DRIVELAB_STOP_ASK_AFTER").map(|value| ("DRIVELAB_STOP_ASK_AFTER", value));
    let Some(setting) = pick(None, environment, files, |file| file.stop_ask_after.clone()) else {
        return Ok(Setting { value: STOP_ASK_AFTER, source: "default".to_owned() });
    };
    let value = setting.value.parse::<Nanos>().map_err(|error| {
        Failure::usage(format!(
            "'{}' is not a valid value for 'stop_ask_after' (set by {}): {}; expected a time such as '1 min'",
            shortened(&setting.value, LONGEST_SHOWN),
            setting.source,
            shortened(&error.to_string(), LONGEST_MESSAGE)
        ))
    })?;
    Ok(Setting { value, source: setting.source })
}

/// What is sampled during the I/O; its flag belongs to the commands that measure.
fn telemetry(files: &[(String, File)]) -> Result<Setting<TelemetryChoice>> {
    let environment = environment("DRIVELAB_TELEMETRY").map(|value| ("DRIVELAB_TELEMETRY", value));
    let Some(setting) = pick(None, environment, files, |file| file.telemetry.clone()) else {
        return Ok(Setting { value: TelemetryChoice::Default, source: "default".to_owned() });
    };
    let wrong = |error: String| {
        Failure::usage(format!("{} ('telemetry', set by {})", shortened(&error, LONGEST_MESSAGE), setting.source))
    };
    Ok(Setting { value: setting.value.parse().map_err(wrong)?, source: setting.source })
}

/// A setting that is one of a few words.
fn word<T: clap::ValueEnum + Copy>(
    flag: Option<T>,
    key: &str,
    variable: &str,
    files: &[(String, File)],
    read: impl Fn(&File) -> Option<String>,
    default: T,
) -> Result<Setting<T>> {
    if let Some(value) = flag {
        return Ok(Setting { value, source: format!("flag --{key}") });
    }
    let environment = environment(variable).map(|value| (variable, value));
    let Some(setting) = pick(None, environment, files, read) else {
        return Ok(Setting { value: default, source: "default".to_owned() });
    };
    let value = T::from_str(&setting.value, true).map_err(|_| {
        let words: Vec<String> =
            T::value_variants().iter().filter_map(|v| Some(v.to_possible_value()?.get_name().to_owned())).collect();
        Failure::usage(format!(
            "'{}' is not a valid value for '{key}' (set by {}); expected one of {}",
            shortened(&setting.value, LONGEST_SHOWN),
            setting.source,
            words.join(", ")
        ))
    })?;
    Ok(Setting { value, source: setting.source })
}
