//! Checks and detection of output formats: code, extraction rules, and what tools return.
