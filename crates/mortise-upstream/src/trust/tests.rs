//! A changed file must be trusted again.

use super::*;
