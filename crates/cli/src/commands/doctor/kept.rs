//! Which measurement is kept for later runs: the newest, unless the host was busy and an earlier one shows more.

use drivelab_core::ceilings::{Ceiling, HostCeilings};
use drivelab_core::environment::TestbedFacts;
use drivelab_lab::lab::{ceilings_of, now};
use drivelab_report::format;
use drivelab_store::write_ceilings;

use crate::context::{Context, tool};

/// Spread of a measurement's rounds, as a share of their median, above which the host counts as busy.
const CALM_SPREAD: f64 = 0.2;

/// Whether the host had little else to do: a busy host can generate less.
pub(super) fn calm(ceilings: &[Ceiling]) -> bool {
    ceilings.iter().all(|ceiling| ceiling.spread <= CALM_SPREAD)
}

/// Keeps the measurement for later runs, which record it. A host without a place for it still gets its answer.
pub(super) fn keep(context: &Context, testbed: &TestbedFacts, ceilings: Vec<Ceiling>) {
    let voice = &context.settings.voice;
    let new = HostCeilings {
        measured: now(),
        version: tool().version,
        kernel: testbed.kernel.clone(),
        cpu_model: testbed.cpu_model.clone(),
        cpus: testbed.cpus,
        ceilings,
    };
    if let Some(before) = ceilings_of(&context.settings.data.value, testbed).filter(|before| is_better(before, &new)) {
        let kilo = |of: &HostCeilings| format::count((of.bound_iops().unwrap_or(0.0) / 1e3).round() as u64);
        voice.say(format!(
            "not kept: the host was busy, and on {} it generated more ({} kIOPS, now {}); the earlier measurement \
             stays. Measure again when the host is idle to replace it",
            before.measured,
            kilo(&before),
            kilo(&new)
        ));
        return;
    }
    let kept = context.data().and_then(|data| Ok(write_ceilings(&data, &new)?));
    match kept {
        Ok(()) => voice.say("kept: runs on this host record these ceilings with their own figures"),
        Err(failure) => voice.warn(format!("not kept for later runs: {}", failure.message)),
    }
}

/// Whether the stored measurement of the same host is better than the new one.
fn is_better(before: &HostCeilings, new: &HostCeilings) -> bool {
    !calm(&new.ceilings) && before.bound_iops() > new.bound_iops()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measured(iops: Option<f64>, spread: f64) -> HostCeilings {
        let bound = Ceiling {
            name: "writes".to_owned(),
            iops,
            spread,
            user_ns_per_io: 0.0,
            system_ns_per_io: 0.0,
            operations_per_syscall: 1.0,
            is_bound: true,
            error: None,
        };
        HostCeilings {
            measured: "2026-01-01T00:00:00Z".to_owned(),
            version: "1.0.0".to_owned(),
            kernel: "6.1".to_owned(),
            cpu_model: None,
            cpus: 4,
            ceilings: vec![bound],
        }
    }

    #[test]
    fn a_busy_host_replaces_only_what_was_less() {
        let before = measured(Some(900e3), 0.05);
        assert!(is_better(&before, &measured(Some(500e3), 0.4)), "less, and the host was busy");
        assert!(is_better(&before, &measured(None, 0.4)), "nothing, and the host was busy");
        assert!(!is_better(&before, &measured(Some(950e3), 0.4)), "a lower bound that is higher");
        assert!(!is_better(&before, &measured(Some(500e3), 0.1)), "a calm host knows better");
        assert!(!is_better(&measured(None, 0.0), &measured(Some(500e3), 0.4)), "nothing was known");
    }
}
