//! Only the user may read, and a write is whole or not there.

use super::*;
