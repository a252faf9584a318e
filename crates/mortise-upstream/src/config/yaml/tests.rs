//! Complaints point at the place.

use super::*;
