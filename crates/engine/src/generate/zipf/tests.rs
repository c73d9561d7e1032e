//! Zipf's law against the exact shares of its ranks.
