//! Public, private and odd addresses.

use super::*;
