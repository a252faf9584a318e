//! HTTP requests, read by hand and bounded.

use std::io;

use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncReadExt};

const LINE: u64 = 64 * 1024;
const HEADERS: usize = 100;
const BODY: usize = 64 * 1024 * 1024;

/// A request as far as the mock cares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct HttpRequest {
    pub(crate) method: String,
    pub(crate) target: String,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl HttpRequest {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// Reads one request; `None` if the client closed the connection before it.
    pub(crate) async fn read(reader: &mut (impl AsyncBufRead + Unpin)) -> io::Result<Option<Self>> {
        let start = line(reader).await?;
        let mut parts = start.split(' ');
        let (Some(method), Some(target)) = (parts.next(), parts.next()) else { return Ok(None) };
        let mut headers = Vec::new();
        loop {
            let line = line(reader).await?;
            if line.is_empty() {
                break;
            }
            let (name, value) = line.split_once(':').ok_or_else(|| bad("a header without a colon"))?;
            headers.push((name.to_owned(), value.trim().to_owned()));
            if headers.len() > HEADERS {
                return Err(bad("too many headers"));
            }
        }
        let mut request =
            Self { method: method.to_owned(), target: target.to_owned(), headers, body: Vec::new() };
        let length = request.header("content-length").map_or(Ok(0), str::parse);
        let length: usize = length.map_err(|_| bad("a content length that is not a number"))?;
        if length > BODY {
            return Err(bad("the body is too long"));
        }
        request.body = vec![0; length];
        reader.read_exact(&mut request.body).await?;
        Ok(Some(request))
    }
}

async fn line(reader: &mut (impl AsyncBufRead + Unpin)) -> io::Result<String> {
    let mut line = Vec::new();
    reader.take(LINE).read_until(b'\n', &mut line).await?;
    let line = String::from_utf8(line).map_err(|_| bad("the head is not UTF-8"))?;
    Ok(line.trim_end_matches(['\r', '\n']).to_owned())
}

fn bad(reason: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.to_owned())
}
