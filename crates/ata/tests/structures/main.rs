//! Structures against the standards' offsets, which are written a second time here: every field has a row that says where
//! it is. Then: bytes of any kind never panic, and the corpus of the fuzz targets is replayed.

mod any_bytes;
mod drive;
mod identify;
mod pages;
#[path = "../../../nvme/tests/structures/rows.rs"]
mod rows;
mod smart;
