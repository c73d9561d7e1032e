//! Laws against what they promise.
