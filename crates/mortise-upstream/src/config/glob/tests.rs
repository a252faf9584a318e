//! What a pattern matches and what it does not.

use super::*;
