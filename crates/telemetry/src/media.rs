//! Bytes that a drive wrote to its media, and bytes that hosts wrote to it: the two counters of write amplification.
//!
//! Three logs contain them, and the most precise one that the drive has is read: the FDP statistics (log page 22h of
//! the NVM Express Base Specification 2.1; bytes), the OCP SMART log (C0h of the OCP Datacenter NVMe SSD
//! Specification; bytes, together with the data units of the SMART log, of 512,000 bytes), and the endurance group's
//! log (09h; units of 1,000,000,000 bytes).

use drivelab_core::clock::RunClock;
use drivelab_core::telemetry::{
    About, Disturbs, Quantity, Sample, SeriesDescription, SourceDescription, SourceId, SourceKind, TelemetrySource,
};
use drivelab_core::units::Nanos;
use drivelab_nvme::{Controller, Counter, NvmeError, Transport};

/// The first endurance group: several groups of a drive are not distinguished.
const GROUP: u16 = 1;

/// The log that is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Log {
    Fdp,
    Ocp,
    EnduranceGroup,
}

impl Log {
    /// Most precise first.
    const ALL: [Log; 3] = [Log::Fdp, Log::Ocp, Log::EnduranceGroup];

    const fn accuracy(self) -> &'static str {
        match self {
            Log::Fdp => "bytes, as the drive counts them in its FDP statistics (22h)",
            Log::Ocp => {
                "media bytes of the OCP log (C0h; that the unit is a byte is commonly reported) and host writes in units \
                 of 512,000 bytes (02h)"
            }
            Log::EnduranceGroup => "units of 1,000,000,000 bytes of the endurance group log (09h)",
        }
    }
}

/// The counters of one controller.
pub(crate) struct MediaWrites<T: Transport> {
    controller: Controller<T>,
    log: Log,
    disk: String,
    origin: String,
    every: Nanos,
}

impl<T: Transport> MediaWrites<T> {
    /// Finds the log that the drive has.
    ///
    /// # Errors
    /// No log counts media writes: a sentence fragment.
    pub(crate) fn open(controller: Controller<T>, disk: &str, origin: String, every: Nanos) -> Result<Self, String> {
        // Endurance groups without media counters report 0; in the other two logs, 0 may come from a new drive.
        let tells = |log: &Log| {
            read(&controller, *log).is_ok_and(|counters| *log != Log::EnduranceGroup || counters.media.get() > 0)
        };
        let log = Log::ALL.into_iter().find(tells);
        let log = log.ok_or_else(|| {
            format!(
                "{origin}: no log of the drive counts what it writes to its media (FDP statistics 22h, OCP C0h, endurance \
                 group 09h), so there is no write amplification"
            )
        })?;
        Ok(MediaWrites { controller, log, disk: disk.to_owned(), origin, every })
    }
}

/// Bytes that hosts wrote, and bytes that were written to the media.
struct Written {
    host: Counter,
    media: Counter,
}

fn read<T: Transport>(controller: &Controller<T>, log: Log) -> Result<Written, NvmeError> {
    Ok(match log {
        Log::Fdp => {
            let page = controller.fdp_statistics(GROUP)?.decoded;
            Written { host: page.host_bytes_written, media: page.media_bytes_written }
        }
        Log::Ocp => {
            // The host's counter first: writes in between increase the media counter at most by their amount.
            let host = controller.smart()?.decoded.bytes_written();
            Written { host, media: controller.ocp_smart()?.decoded.media_bytes_written }
        }
        Log::EnduranceGroup => {
            let page = controller.endurance_group(GROUP)?.decoded;
            Written { host: page.bytes_written(), media: page.media_bytes_written() }
        }
    })
}

impl<T: Transport + Send> TelemetrySource for MediaWrites<T> {
    fn describe(&self) -> SourceDescription {
        SourceDescription {
            id: SourceId::new(format!("media:{}", self.disk)),
            kind: SourceKind::MediaWrites,
            about: About::Drive(self.disk.clone()),
            origin: self.origin.clone(),
            accuracy: self.log.accuracy().to_owned(),
            disturbs: Disturbs::Drive,
            every: self.every,
            cost: None,
            series: vec![
                SeriesDescription::new("host written", Quantity::Volume),
                SeriesDescription::new("media written", Quantity::Volume),
            ],
        }
    }

    fn read(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String> {
        let at_ns = clock.now_ns();
        let written = read(&self.controller, self.log).map_err(|error| error.to_string())?;
        let read_ns = clock.now_ns().saturating_sub(at_ns);
        // Lifetime bytes, of which only differences are used: the lowest digits of very old drives are lost.
        #[expect(clippy::cast_precision_loss, reason = "see above")]
        let values = [written.host, written.media].map(|counter| Some(counter.get() as f64)).to_vec();
        Ok(vec![Sample { at_ns, read_ns, values }])
    }
}

#[cfg(test)]
mod tests;
