//! The name of a distribution of offsets: in labels, on axes and in the content hash.
//!
//! Must not know: how it is written in a file.

use drivelab_core::load::Locality;

use crate::tree::rate::thousandths;

/// A distribution as named in labels, on axes and in the content hash: one text for each value.
pub(crate) fn locality_text(locality: &Locality) -> String {
    let lying = |scattered: &bool| if *scattered { "" } else { " not scattered" };
    match locality {
        Locality::Uniform => "uniform".to_owned(),
        Locality::Zipf { theta_thousandths, scattered } => {
            format!("zipf {}{}", thousandths(u64::from(*theta_thousandths)), lying(scattered))
        }
        Locality::Pareto { h_thousandths, scattered } => {
            format!("pareto {}{}", thousandths(u64::from(*h_thousandths)), lying(scattered))
        }
        Locality::Normal { deviation_percent } => format!("normal {deviation_percent} %"),
        Locality::Zoned { zones } => {
            let shares: Vec<String> = zones.iter().map(|zone| format!("{}/{}", zone.accesses, zone.span)).collect();
            format!("zones {}", shares.join(" "))
        }
        Locality::HotBand { accesses, from_percent, to_percent } => {
            format!("hot band {accesses} % in {from_percent} to {to_percent} %")
        }
    }
}
