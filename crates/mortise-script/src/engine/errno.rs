//! The error numbers of WASI preview 1 that the shim gives.

/// A WASI error number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Errno(pub(super) u16);

impl Errno {
    pub(super) const SUCCESS: Self = Self(0);
    pub(super) const BADF: Self = Self(8);
    pub(super) const FAULT: Self = Self(21);
    pub(super) const ILSEQ: Self = Self(25);
    pub(super) const INVAL: Self = Self(28);
    pub(super) const IO: Self = Self(29);
    pub(super) const ISDIR: Self = Self(31);
    pub(super) const MFILE: Self = Self(33);
    pub(super) const NAMETOOLONG: Self = Self(37);
    pub(super) const NOENT: Self = Self(44);
    pub(super) const NOTDIR: Self = Self(54);
    pub(super) const NOTSUP: Self = Self(58);
    pub(super) const ROFS: Self = Self(69);
    pub(super) const SPIPE: Self = Self(70);
}

/// What a shim function hands back to the guest.
pub(super) fn code(result: Result<(), Errno>) -> i32 {
    i32::from(result.err().unwrap_or(Errno::SUCCESS).0)
}
