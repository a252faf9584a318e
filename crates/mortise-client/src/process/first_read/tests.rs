//! A process has read when its pipe is empty, and not before.
#![cfg(target_os = "linux")]

use std::io::{Read, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use futures::FutureExt;

use super::*;
use crate::secret::Secrets;

#[tokio::test(start_paused = true)]
async fn what_was_written_counts_as_read_when_the_pipe_is_empty() {
    let (mut reader, mut writer) = std::io::pipe().unwrap();
    let input = OwnedFd::from(writer.try_clone().unwrap());
    let stdin = ChildStdin::from_std(std::process::ChildStdin::from(input)).unwrap();
    let stderr = StderrRing::drain(tokio::io::empty(), Secrets::default());
    let signs = ProcessSigns::of(&stdin, stderr);
    let is_written = AtomicBool::new(false);
    let minute = || tokio::time::sleep(Duration::from_secs(60));
    let first_read = signs.first_read(|| is_written.load(Ordering::Relaxed));
    let mut first_read = std::pin::pin!(first_read);

    tokio::select! { () = &mut first_read => panic!("nothing is written yet"), () = minute() => {} }
    writer.write_all(b"probe\n").unwrap();
    is_written.store(true, Ordering::Relaxed);
    tokio::select! { () = &mut first_read => panic!("nothing is read yet"), () = minute() => {} }
    reader.read_exact(&mut [0; 6]).unwrap();
    tokio::select! { () = &mut first_read => {}, () = minute() => panic!("it has read") }
    assert!(signs.first_read(|| true).now_or_never().is_some());
}
