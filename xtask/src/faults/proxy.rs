//! A TCP proxy that spoils what passes through it.

use std::io::{Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Result;

/// What the proxy does to answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Weather {
    /// Passes everything on.
    Fair,
    /// Passes each piece on after a pause.
    Delay,
    /// Closes the connection after some bytes.
    Cut,
    /// Passes nothing on and keeps the connection open.
    Swallow,
    /// Resets the connection at the first byte.
    Reset,
    /// Passes on one byte a second.
    Trickle,
}

impl Weather {
    pub(super) const BAD: [Self; 5] = [Self::Delay, Self::Cut, Self::Swallow, Self::Reset, Self::Trickle];

    fn from(number: u8) -> Self {
        Self::BAD.into_iter().find(|weather| *weather as u8 == number).unwrap_or(Self::Fair)
    }
}

pub(super) const DELAY: Duration = Duration::from_millis(300);
const CUT_AFTER: usize = 100;
/// How often a connection that swallows looks whether the weather has changed.
const LOOK: Duration = Duration::from_millis(50);

/// Listens until the process ends.
pub(super) struct Proxy {
    pub(super) address: SocketAddr,
    weather: Arc<AtomicU8>,
}

impl Proxy {
    pub(super) fn start(target: SocketAddr) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let weather = Arc::new(AtomicU8::new(Weather::Fair as u8));
        let shared = Arc::clone(&weather);
        thread::spawn(move || {
            for client in listener.incoming().flatten() {
                if let Ok(server) = TcpStream::connect(target) {
                    join(client, server, &shared);
                }
            }
        });
        Ok(Self { address, weather })
    }

    pub(super) fn set(&self, weather: Weather) {
        self.weather.store(weather as u8, Ordering::Relaxed);
    }
}

/// Copies both ways; only what the server sends is spoiled.
fn join(client: TcpStream, server: TcpStream, weather: &Arc<AtomicU8>) {
    let (Ok(client_again), Ok(server_again)) = (client.try_clone(), server.try_clone()) else { return };
    thread::spawn(move || copy(client, server, &AtomicU8::new(Weather::Fair as u8)));
    let weather = Arc::clone(weather);
    thread::spawn(move || copy(server_again, client_again, &weather));
}

fn copy(mut from: TcpStream, mut to: TcpStream, weather: &AtomicU8) {
    let mut buffer = [0; 16 * 1024];
    while let Ok(read @ 1..) = from.read(&mut buffer) {
        if pass_on(&buffer[..read], &mut to, weather).is_err() {
            break;
        }
    }
    to.shutdown(Shutdown::Both).ok();
    from.shutdown(Shutdown::Both).ok();
}

/// An error means that the connection is to be closed.
fn pass_on(bytes: &[u8], to: &mut TcpStream, weather: &AtomicU8) -> std::io::Result<()> {
    let now = || Weather::from(weather.load(Ordering::Relaxed));
    match now() {
        Weather::Fair => to.write_all(bytes),
        Weather::Delay => {
            thread::sleep(DELAY);
            to.write_all(bytes)
        }
        Weather::Cut => {
            to.write_all(&bytes[..bytes.len().min(CUT_AFTER)])?;
            Err(std::io::ErrorKind::ConnectionAborted.into())
        }
        Weather::Swallow => {
            while now() == Weather::Swallow {
                thread::sleep(LOOK);
            }
            Err(std::io::ErrorKind::ConnectionAborted.into())
        }
        Weather::Reset => {
            // Closed with unread bytes or without lingering, the kernel sends a reset.
            rustix::net::sockopt::set_socket_linger(&*to, Some(Duration::ZERO))?;
            Err(std::io::ErrorKind::ConnectionReset.into())
        }
        Weather::Trickle => {
            for byte in bytes {
                to.write_all(&[*byte])?;
                if now() == Weather::Trickle {
                    thread::sleep(Duration::from_secs(1));
                }
            }
            Ok(())
        }
    }
}
