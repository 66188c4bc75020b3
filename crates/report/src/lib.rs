//! Results as tables, JSON and sentences
