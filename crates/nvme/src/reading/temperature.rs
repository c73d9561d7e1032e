//! Temperatures: NVMe reports whole kelvins.

/// 0 °C in whole kelvins, as NVMe reports them (Base, section 5.16.1.3: 273 is used, not 273.15).
const ZERO_CELSIUS_K: i32 = 273;

/// Degrees Celsius of whole kelvins.
#[must_use]
pub fn celsius(kelvin: u16) -> i32 {
    i32::from(kelvin) - ZERO_CELSIUS_K
}

/// A reported temperature; 0 K means that the controller reports none.
pub(crate) fn reported_k(kelvin: u16) -> Option<u16> {
    (kelvin != 0).then_some(kelvin)
}
