//! An npm registry on loopback with our packages and no others, so that `npx mortise-mcp` can be tried before anything
//! is published.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::sync::Arc;
use std::{fs, thread};

use anyhow::{Context, Result};
use data_encoding::BASE64;
use serde_json::json;
use sha2::{Digest, Sha512};

use super::npm;
use super::platform::ReleasePlatform;

/// What a path answers with.
type Answers = BTreeMap<String, Vec<u8>>;

/// Serves the packages until this program ends and returns the registry's address.
pub(super) fn serve(out: &Path, version: &str, platform: &ReleasePlatform) -> Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0").context("cannot listen on loopback")?;
    let address = format!("http://{}", listener.local_addr()?);
    let mut answers = Answers::new();
    let package = platform.npm_package();
    add(&mut answers, &address, out, &package, version, &npm::platform_file_name(version, platform))?;
    add(&mut answers, &address, out, super::PACKAGE, version, &npm::main_file_name(version))?;
    let answers = Arc::new(answers);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let answers = Arc::clone(&answers);
            // A client that goes away has what it wants.
            thread::spawn(move || answer(stream, &answers).ok());
        }
    });
    Ok(address)
}

/// Adds one package: what is known of it, and its file. The manifest comes from the file itself.
fn add(
    answers: &mut Answers,
    address: &str,
    out: &Path,
    name: &str,
    version: &str,
    file: &str,
) -> Result<()> {
    let bytes = fs::read(out.join(file)).with_context(|| format!("reading {file}"))?;
    let mut manifest = manifest(&bytes).with_context(|| format!("{file} has no package.json"))?;
    let integrity = format!("sha512-{}", BASE64.encode(&Sha512::digest(&bytes)));
    manifest["dist"] = json!({ "tarball": format!("{address}/{name}/-/{file}"), "integrity": integrity });
    let known =
        json!({ "name": name, "dist-tags": { "latest": version }, "versions": { version: manifest } });
    answers.insert(format!("/{name}"), known.to_string().into_bytes());
    answers.insert(format!("/{name}/-/{file}"), bytes);
    Ok(())
}

fn manifest(package: &[u8]) -> Result<serde_json::Value> {
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(package));
    for entry in archive.entries()? {
        let entry = entry?;
        if entry.path()?.as_ref() == Path::new("package/package.json") {
            return Ok(serde_json::from_reader(entry)?);
        }
    }
    anyhow::bail!("there is no package/package.json")
}

fn answer(mut stream: TcpStream, answers: &Answers) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let request = lines.next().transpose()?.unwrap_or_default();
    while lines.next().transpose()?.is_some_and(|line| !line.is_empty()) {}
    let path = request.split_whitespace().nth(1).unwrap_or_default();
    let (status, body) = match answers.get(path) {
        Some(body) => ("200 OK", body.as_slice()),
        None => ("404 Not Found", b"{}".as_slice()),
    };
    write!(
        stream,
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        body.len()
    )?;
    stream.write_all(body)
}
