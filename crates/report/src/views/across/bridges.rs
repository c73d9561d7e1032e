//! What drives that were measured on two testbeds say about figures from both.

use drivelab_analysis::bridge::Bridge;

use crate::views::across::against::ratio_text;

/// A sentence for each bridge; if there is none, that the share of the testbed is unknown.
pub(crate) fn notes(bridges: &[Bridge]) -> Vec<String> {
    if bridges.is_empty() {
        let unknown = "Testbeds: no drive in the catalog has runs of this methodology on both, so how much of a difference \
                       the testbed causes is unknown.";
        return vec![unknown.to_owned()];
    }
    bridges.iter().map(note).collect()
}

fn note(bridge: &Bridge) -> String {
    let Bridge { drive, from, to, runs, rates, ratio, least, most } = bridge;
    let [own, others] = runs.map(|runs| if runs == 1 { "1 run".to_owned() } else { format!("{runs} runs") });
    let rates =
        if *rates == 1 { "one headline rate".to_owned() } else { format!("the mean of {rates} headline rates") };
    let [ratio, least, most] = [ratio, least, most].map(|ratio| ratio_text(*ratio));
    format!(
        "Testbeds: {drive} was measured on both ({own} on {from}, {others} on {to}). Its throughput on {to} is {ratio} \
         times that on {from}, {rates} ({least} to {most})."
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bridge_names_drive_testbeds_and_ratio_and_its_absence_is_said() {
        let (drive, from, to) = ("X 1TB".to_owned(), "v1".to_owned(), "v2".to_owned());
        let bridge = Bridge { drive, from, to, runs: [1, 3], rates: 4, ratio: 1.05, least: 0.98, most: 1.2 };
        assert_eq!(
            notes(&[bridge]),
            [
                "Testbeds: X 1TB was measured on both (1 run on v1, 3 runs on v2). Its throughput on v2 is 1.050 times that \
              on v1, the mean of 4 headline rates (0.980 to 1.20)."
            ]
        );
        assert!(notes(&[])[0].contains("is unknown"));
    }
}
