//! What drives that were measured on two testbeds say about figures from both.

use drivelab_analysis::bridge::Bridge;

use crate::figure::format::ratio_text;

/// A sentence for each bridge; if there is none, that the share of the testbed is unknown.
pub(crate) fn notes(bridges: &[Bridge]) -> Vec<String> {
    if bridges.is_empty() {
        let unknown = "Testbeds: no drive with a serial number has runs of this methodology on both in this catalog, so how \
                       much of a difference the testbed causes is unknown.";
        return vec![unknown.to_owned()];
    }
    bridges.iter().map(note).collect()
}

fn note(bridge: &Bridge) -> String {
    let Bridge { drive, state, from, to, runs, rates, ratio, least, most } = bridge;
    let state = if state.is_empty() { String::new() } else { format!(" ({state})") };
    let [own, others] = runs.map(|runs| if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") });
    let rates = if *rates == 1 { "one headline rate".to_owned() } else { format!("mean of {rates} headline rates") };
    let [ratio, least, most] = [ratio, least, most].map(|ratio| ratio_text(*ratio));
    format!(
        "Testbeds: {drive}{state} was measured on both, {own} on {from} and {others} on {to}. Its rates on {to} are \
         {ratio} times those on {from} ({rates}, {least} to {most})."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bridge_names_drive_testbeds_and_ratio_and_its_absence_is_said() {
        let [drive, state, from, to] = ["X 1TB", "full", "v1", "v2"].map(str::to_owned);
        let bridge = Bridge { drive, state, from, to, runs: [1, 3], rates: 4, ratio: 1.05, least: 0.98, most: 1.2 };
        let says = "Testbeds: X 1TB (full) was measured on both, 1 run on v1 and 3 runs on v2. Its rates on v2 are 1.050 \
                    times those on v1 (mean of 4 headline rates, 0.980 to 1.20).";
        assert_eq!(notes(&[bridge]), [says]);
        assert!(notes(&[])[0].contains("is unknown"));
    }
}
