//! Energy counters of the host's processor through powercap (Documentation/power/powercap/powercap.rst). They never
//! include the drive.

use std::path::PathBuf;

use drivelab_core::clock::RunClock;
use drivelab_core::telemetry::{
    About, Disturbs, Quantity, Sample, SeriesDescription, SourceDescription, SourceId, SourceKind, TelemetrySource,
};
use drivelab_core::units::Nanos;
use drivelab_device::Roots;
use drivelab_device::roots::read_trim;

use crate::reading::{names, read_number, stamped};

/// One counter, with its wraps.
#[derive(Debug)]
struct Zone {
    energy: PathBuf,
    name: String,
    /// Microjoules at which the counter wraps.
    range: f64,
    last: f64,
    /// Microjoules of all wraps so far.
    before: f64,
}

impl Zone {
    /// Joules since the counter's start, including its wraps.
    fn joules(&mut self) -> Option<f64> {
        let now = read_number(&self.energy).ok()?;
        if now < self.last {
            self.before += self.range;
        }
        self.last = now;
        Some((self.before + now) / 1e6)
    }
}

/// The packages of the processor and their parts.
#[derive(Debug)]
pub(crate) struct Rapl {
    folder: PathBuf,
    zones: Vec<Zone>,
    every: Nanos,
}

impl Rapl {
    /// Finds the zones that may be read.
    pub(crate) fn open(roots: &Roots, every: Nanos) -> Result<Self, String> {
        let folder = roots.sys.join("class/powercap");
        let mut refused = None;
        let mut zone = |name: String| {
            let zone = folder.join(&name);
            let energy = zone.join("energy_uj");
            let title = read_trim(&zone.join("name"))?;
            match read_number(&energy) {
                Ok(last) => {
                    let range = read_number(&zone.join("max_energy_range_uj")).unwrap_or(0.0);
                    Some(Zone { energy, name: format!("{title} ({name})"), range, last, before: 0.0 })
                }
                Err(error) => {
                    refused = Some(error);
                    None
                }
            }
        };
        let zones: Vec<Zone> = names(&folder).into_iter().filter_map(&mut zone).collect();
        match (zones.is_empty(), refused) {
            (false, _) => Ok(Rapl { folder, zones, every }),
            (true, Some(error)) => Err(format!("{error} (only root may read energy counters since Linux 5.10)")),
            (true, None) => Err("no energy counters (powercap) in sysfs".to_owned()),
        }
    }
}

impl TelemetrySource for Rapl {
    fn describe(&self) -> SourceDescription {
        let series = |zone: &Zone| SeriesDescription::new(zone.name.clone(), Quantity::Energy);
        SourceDescription {
            id: SourceId::new("rapl"),
            kind: SourceKind::Rapl,
            about: About::Host,
            origin: self.folder.display().to_string(),
            accuracy:
                "the processor's own model or meter, updated about every millisecond; the host only, never the drive"
                    .to_owned(),
            disturbs: Disturbs::Host,
            every: self.every,
            cost: None,
            series: self.zones.iter().map(series).collect(),
        }
    }

    fn read(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String> {
        let zones = &mut self.zones;
        stamped(clock, || {
            let values: Vec<Option<f64>> = zones.iter_mut().map(Zone::joules).collect();
            if values.iter().all(Option::is_none) {
                return Err("no energy counter can be read any more".to_owned());
            }
            Ok(values)
        })
    }
}
