//! The rules of the check, one file each.
//!
//! A rule is a method of [`Scene`](crate::walk::Scene). The walk calls it for the nodes that it judges, or
//! [`diagnostics`](crate::diagnostics) for what ty finds fault with. It asks the [`evidence`](crate::evidence) and
//! notes what it finds with `remark` or `remark_at`.
//!
//! To add a rule:
//!
//! 1. Write right programs that look like the mistake into `tests/cases/programs/right_tricky.txt` and wrong ones into
//!    `wrong.txt`.
//! 2. Write `rules/NAME.rs`: a `judge_…` method, and in its `//!` line one example of the mistake.
//! 3. Call it from `walk.rs`, at the node that it judges.
//! 4. Set `is_sure` only if every possibility fails: every value is of one kind (`group`), and that kind follows from
//!    declarations and values in plain sight (`is_exact`).
//! 5. A sentence of ty that must be matched goes into [`said`](crate::said), with a row in its test.

mod awaits;
mod bounds;
mod calls;
mod doubts;
mod formats;
mod hashing;
mod idle;
mod keys;
mod maybe;
mod nothing;
mod operations;
mod unpacking;
