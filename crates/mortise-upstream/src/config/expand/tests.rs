//! Variables that exist, do not exist, and have defaults.

use super::*;
