//! A terminal for the binary, to see what a person would see.

use std::fs::File;
use std::io::{Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::process::{Child, Stdio};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};

use crate::program::World;

/// A command whose three streams are a terminal.
pub(crate) struct OnTerminal {
    child: Child,
    controller: File,
}

impl OnTerminal {
    /// Starts a command on a terminal of this width.
    pub(crate) fn start(world: &World, columns: u16, arguments: &[&str]) -> Self {
        let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
        grantpt(&controller).unwrap();
        unlockpt(&controller).unwrap();
        let name = ptsname(&controller, Vec::new()).unwrap();
        let size = Winsize { ws_row: 40, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0 };
        let terminal = || -> OwnedFd {
            File::options().read(true).write(true).open(name.to_str().unwrap()).unwrap().into()
        };
        let first = terminal();
        tcsetwinsize(&first, size).unwrap();
        let child = world
            .command(arguments)
            .stdin(Stdio::from(terminal()))
            .stdout(Stdio::from(terminal()))
            .stderr(Stdio::from(first))
            .spawn()
            .unwrap();
        Self { child, controller: File::from(controller) }
    }

    /// Types a line.
    pub(crate) fn type_line(&mut self, line: &str) {
        self.controller.write_all(format!("{line}\n").as_bytes()).unwrap();
    }

    /// Reads until `text` has been shown.
    pub(crate) fn read_until(&mut self, text: &str) -> String {
        let mut seen = Vec::new();
        let mut buffer = [0; 1024];
        while !String::from_utf8_lossy(&seen).contains(text) {
            let length = self.controller.read(&mut buffer).unwrap_or(0);
            assert!(length > 0, "`{text}` was not shown: {}", String::from_utf8_lossy(&seen));
            seen.extend_from_slice(&buffer[..length]);
        }
        String::from_utf8_lossy(&seen).into_owned()
    }

    /// Everything that was shown until the command ended, and its exit code.
    pub(crate) fn finish(mut self) -> (String, Option<i32>) {
        let mut shown = Vec::new();
        let mut buffer = [0; 4096];
        // The other side of a terminal that is gone reads as an error.
        while let Ok(length @ 1..) = self.controller.read(&mut buffer) {
            shown.extend_from_slice(&buffer[..length]);
        }
        let status = self.child.wait().unwrap();
        (String::from_utf8_lossy(&shown).replace("\r\n", "\n"), status.code())
    }
}
