//! How often the first ranks of Zipf's law occur, by summing it.

/// The sum of k^-theta for k from 1 to a limit: one by one, and from 10,000 on by the area below the curve with its
/// first correction (Euler and Maclaurin), which is accurate to ten digits there.
pub(crate) fn harmonic(theta: f64, terms: u64) -> f64 {
    const ONE_BY_ONE: u64 = 10_000;
    let term = |rank: u64| (rank as f64).powf(-theta);
    let head: f64 = (1..=terms.min(ONE_BY_ONE)).map(term).sum();
    if terms <= ONE_BY_ONE {
        return head;
    }
    let (from, to) = (ONE_BY_ONE as f64, terms as f64);
    let area = if (theta - 1.0).abs() < 1e-9 {
        (to / from).ln()
    } else {
        (to.powf(1.0 - theta) - from.powf(1.0 - theta)) / (1.0 - theta)
    };
    head + area + (term(terms) - term(ONE_BY_ONE)) / 2.0
}
