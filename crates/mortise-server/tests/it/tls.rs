//! Serving over TLS.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mortise_server::{HttpError, HttpOptions, HttpServer, TlsFiles};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, ServerName};
use tokio_rustls::rustls::{ClientConfig, RootCertStore, crypto};

use crate::http::Running;
use crate::sample::{server, tools};

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures").join(name)
}

fn files() -> TlsFiles {
    TlsFiles { certificate: fixture("localhost.cert.pem"), key: fixture("localhost.key.pem") }
}

fn connector() -> TlsConnector {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from_pem_file(fixture("localhost.cert.pem")).unwrap()).unwrap();
    let config = ClientConfig::builder_with_provider(Arc::new(crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    TlsConnector::from(Arc::new(config))
}

#[tokio::test]
async fn a_client_that_trusts_the_certificate_is_served() {
    let running = Running::start(&server(tools()), |options| options.tls(files())).await;
    let socket = TcpStream::connect(running.address).await.unwrap();
    let mut stream = connector().connect(ServerName::try_from("localhost").unwrap(), socket).await.unwrap();
    stream.write_all(b"GET /livez HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await.unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.starts_with("HTTP/1.1 200 OK"), "{answer}");

    // Clear text is no TLS, and does not disturb others.
    let mut socket = TcpStream::connect(running.address).await.unwrap();
    socket.write_all(b"GET /livez HTTP/1.1\r\nhost: localhost\r\n\r\n").await.unwrap();
    let mut answer = Vec::new();
    let _ = socket.read_to_end(&mut answer).await;
    assert!(!answer.starts_with(b"HTTP/1.1"));
    let socket = TcpStream::connect(running.address).await.unwrap();
    connector().connect(ServerName::try_from("localhost").unwrap(), socket).await.unwrap();
}

#[tokio::test]
async fn files_that_are_none_are_told_apart() {
    let address = || HttpOptions::new("127.0.0.1:0".parse().unwrap());
    let http = HttpServer::bind(&server(tools()), address().tls(files())).await.unwrap();
    assert!(http.url().starts_with("https://127.0.0.1:"));
    let swapped = TlsFiles { certificate: files().key, key: files().certificate };
    let error = HttpServer::bind(&server(tools()), address().tls(swapped)).await.unwrap_err();
    let HttpError::Tls { part, reason, .. } = &error else { panic!("{error}") };
    assert_eq!((*part, reason.as_str()), ("certificate", "there is no certificate in it"));
    let no_key = TlsFiles { key: files().certificate, ..files() };
    let error = HttpServer::bind(&server(tools()), address().tls(no_key)).await.unwrap_err();
    assert!(matches!(error, HttpError::Tls { part: "key", .. }), "{error}");
}
