//! Prices of drives: per GB, and for what drives do. Prices are stated, not measured: nothing here has an interval.

use drivelab_core::drive_facts::Price;
use drivelab_core::units::Bytes;

/// Bytes in the GB of a price per GB.
const GB: f64 = 1e9;

/// The price of one GB (10^9 bytes), in the currency of the price; `None` without a capacity.
#[must_use]
pub fn per_gb(price: &Price, capacity: Bytes) -> Option<f64> {
    let found = price.amount / (capacity.get() as f64 / GB);
    found.is_finite().then_some(found)
}

/// A figure for each unit of the currency; `None` for a drive that costs nothing.
#[must_use]
pub fn for_money(value: f64, price: &Price) -> Option<f64> {
    let found = value / price.amount;
    found.is_finite().then_some(found)
}

/// The currency of all prices; `None` if there is no price, or prices of several currencies.
#[must_use]
pub fn one_currency<'p>(prices: impl IntoIterator<Item = &'p Price>) -> Option<&'p str> {
    let mut all = prices.into_iter().map(|price| price.currency.as_str());
    let first = all.next()?;
    all.all(|currency| currency == first).then_some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn price(amount: f64, currency: &str) -> Price {
        Price { amount, currency: currency.to_owned(), date: "2026-11-20".to_owned() }
    }

    #[test]
    fn a_price_per_gb_counts_decimal_gigabytes_and_money_buys_a_part_of_the_rate() {
        // 50 EUR for 500 * 10^9 bytes: 0.10 EUR per GB. 3500 MB/s for 50 EUR: 70 MB/s for each.
        assert_eq!(per_gb(&price(50.0, "EUR"), Bytes::new(500_000_000_000)), Some(0.1));
        assert_eq!(for_money(3500.0, &price(50.0, "EUR")), Some(70.0));
        assert_eq!((per_gb(&price(50.0, "EUR"), Bytes::new(0)), for_money(1.0, &price(0.0, "EUR"))), (None, None));
    }

    #[test]
    fn prices_of_two_currencies_have_none_in_common() {
        assert_eq!(one_currency([&price(1.0, "EUR"), &price(2.0, "EUR")]), Some("EUR"));
        assert_eq!(one_currency([&price(1.0, "EUR"), &price(2.0, "USD")]), None);
        assert_eq!(one_currency([]), None);
    }
}
