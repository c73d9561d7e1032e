//! (room of its own; see ARCHITECTURE.md)
