//! When a thermometer is asked and how its answer is used, on a clock that the test controls.

use std::sync::Mutex;
use std::sync::mpsc::sync_channel;

use drivelab_core::clock::VirtualClock;
use drivelab_core::telemetry::{About, Quantity, SeriesDescription, SourceDescription, SourceId, SourceKind};

use super::*;

const SECOND: u64 = 1_000_000_000;

/// A drive's thermometer that gives prepared answers, and counts how often it is asked.
struct Thermometer(Arc<Mutex<Told>>);

struct Told {
    answer: Result<Option<f64>, String>,
    asked: u32,
}

impl TelemetrySource for Thermometer {
    fn describe(&self) -> SourceDescription {
        SourceDescription {
            id: SourceId::new("hwmon:nvme0n1"),
            kind: SourceKind::Hwmon,
            about: About::Drive("nvme0n1".to_owned()),
            origin: "a test".to_owned(),
            accuracy: "exact".to_owned(),
            disturbs: Disturbs::Drive,
            every: Nanos::from_secs(2),
            cost: None,
            series: vec![SeriesDescription::new("Composite", Quantity::Temperature)],
        }
    }

    fn read(&mut self, clock: &dyn RunClock) -> Result<Vec<Sample>, String> {
        let mut told = self.0.lock().unwrap();
        told.asked += 1;
        let value = told.answer.clone()?;
        Ok(vec![Sample { at_ns: clock.now_ns(), read_ns: 0, values: vec![value] }])
    }
}

/// A reader of one thermometer with a limit of 70 °C, in a step with one operation in flight.
fn guarded(answer: Result<Option<f64>, String>) -> (Reader, Arc<Mutex<Told>>, Arc<VirtualClock>, Receiver<Item>) {
    let told = Arc::new(Mutex::new(Told { answer, asked: 0 }));
    let clock = Arc::new(VirtualClock::starting_at(SECOND));
    let source: Box<dyn TelemetrySource> = Box::new(Thermometer(Arc::clone(&told)));
    let described = TelemetryDescribed {
        sources: vec![source.describe()],
        remarks: Vec::new(),
        abort_above: Some(TemperatureLimit { celsius: 70.0, because: "a test".to_owned() }),
        always: false,
    };
    let (queue, items) = sync_channel(1 << 10);
    let of_reader: Arc<dyn RunClock> = Arc::<VirtualClock>::clone(&clock);
    let mut reader =
        Reader::new(vec![source], &described, of_reader, StopToken::default(), queue, Arc::new(Shared::default()));
    reader.enter(Phase::LatencyCritical);
    (reader, told, clock, items)
}

#[test]
fn a_thermometer_that_fails_is_asked_no_more_often_beside_one_operation_in_flight() {
    let asked = |answer| {
        let (mut reader, told, clock, _items) = guarded(answer);
        told.lock().unwrap().asked = 0;
        for _ in 0..600 {
            clock.advance(SECOND / 10);
            reader.read_due();
        }
        told.lock().unwrap().asked
    };
    assert_eq!(asked(Ok(Some(40.0))), 6, "every 10 s of a minute");
    assert_eq!(asked(Err("the sensor is gone".to_owned())), 6);
}

#[test]
fn a_reading_without_the_temperature_leaves_no_old_one_behind() {
    let (mut reader, told, _clock, _items) = guarded(Ok(Some(41.0)));
    assert_eq!(reader.temperature_now().map(|(_, celsius)| celsius), Some(41.0));
    for none in [None, Some(f64::NAN)] {
        told.lock().unwrap().answer = Ok(none);
        assert_eq!(reader.temperature_now(), None, "{none:?}");
    }
    told.lock().unwrap().answer = Ok(Some(42.0));
    assert_eq!(reader.temperature_now().map(|(_, celsius)| celsius), Some(42.0));
}
