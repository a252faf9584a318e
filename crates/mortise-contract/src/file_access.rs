//! Who besides the user can read or change a file, by its owner and its mode.
//!
//! The one rule for tokens, trust records, caches and the interpreter's image. The crates that open those files look
//! up owner and mode.

/// The owner and the mode of a file or directory, as Unix has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileAccess {
    /// The user id of the owner.
    pub owner: u32,
    /// The mode. Only the permission bits count.
    pub mode: u32,
}

impl FileAccess {
    /// The permission bits of the mode.
    pub fn permissions(self) -> u32 {
        self.mode & 0o777
    }

    /// Whether a user other than `user` and root owns the file, and can change it at will.
    ///
    /// ```
    /// use mortise_contract::file_access::FileAccess;
    ///
    /// let file = FileAccess { owner: 1000, mode: 0o100_640 };
    /// assert!(file.is_foreign_to(1001) && !file.is_foreign_to(1000));
    /// assert!(file.is_open_to_others() && !file.is_writable_by_others());
    /// ```
    pub fn is_foreign_to(self, user: u32) -> bool {
        self.owner != user && self.owner != 0
    }

    /// Whether the group or others can write it.
    pub fn is_writable_by_others(self) -> bool {
        self.mode & 0o022 != 0
    }

    /// Whether the group or others can read, write or enter it.
    pub fn is_open_to_others(self) -> bool {
        self.mode & 0o077 != 0
    }
}
