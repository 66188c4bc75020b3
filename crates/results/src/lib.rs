//! What a run yields: the versioned result document, histograms and series
