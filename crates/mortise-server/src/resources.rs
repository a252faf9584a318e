//! The seam for resources.

use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;

use mortise_contract::RawJson;
use serde_json::{Map, Value, json};
use tokio::sync::broadcast;

use crate::input::InputRequired;
use crate::{CallContext, Changes, Client, ProtocolError, Resource, ResourceTemplate};

/// Updates that wait for a slow client. When more come, it is notified of everything it watches.
const UPDATE_LIMIT: usize = 256;

/// A set of resources that a [`Server`](crate::Server) serves. Lists are sent in the order of their URIs.
pub trait ResourceSet: Send + Sync + 'static {
    /// The resources as they are now.
    fn resources(&self) -> Arc<[Resource]>;

    /// The resources that only this client sees, listed beside [`ResourceSet::resources`]. A set with such resources also
    /// says so in [`ResourceSet::differs_by_client`].
    fn own_resources(&self, _reader: &ResourceReader) -> impl Future<Output = Vec<Resource>> + Send {
        std::future::ready(Vec::new())
    }

    /// Whether the list of one client must not be shown to another.
    fn differs_by_client(&self) -> bool {
        false
    }

    /// The families of resources.
    fn templates(&self) -> Arc<[ResourceTemplate]> {
        Arc::new([])
    }

    /// Reads one resource, listed or of a family. Unknown ones are
    /// [`ProtocolError::resource_not_found`].
    fn read(
        &self,
        uri: String,
        context: CallContext,
    ) -> impl Future<Output = Result<RequestStep<Vec<ResourceContent>>, ProtocolError>> + Send;

    /// Whether the server declares resources to clients that connect now, even while the list is empty.
    fn is_offered(&self) -> bool {
        true
    }

    /// Fires when the lists begin to return something else.
    fn changes(&self) -> Changes {
        Changes::never()
    }

    /// Reports which resources changed their content. With [`Updates::never`] clients can't subscribe.
    fn updates(&self) -> Updates {
        Updates::never()
    }
}

/// The client that asks for a list of resources.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceReader {
    /// What it says about itself.
    pub client: Client,
    /// The address that the request came from, over HTTP.
    pub peer: Option<IpAddr>,
}

/// A request that may need input of the client before it is done.
#[derive(Clone, Debug, PartialEq)]
pub enum RequestStep<T> {
    /// Done.
    Done(T),
    /// The client must answer first; the request comes again with the answers.
    InputRequired(InputRequired),
}

impl<T> From<InputRequired> for RequestStep<T> {
    fn from(input: InputRequired) -> Self {
        Self::InputRequired(input)
    }
}

/// The content of a resource.
#[derive(Clone, Debug, PartialEq)]
pub struct ResourceContent(Map<String, Value>);

impl ResourceContent {
    /// Text.
    pub fn text(uri: &str, mime_type: &str, text: &str) -> Self {
        Self::new(json!({ "uri": uri, "mimeType": mime_type, "text": text }))
    }

    /// Bytes, which travel as Base64.
    pub fn bytes(uri: &str, mime_type: &str, bytes: &[u8]) -> Self {
        let blob = data_encoding::BASE64.encode(bytes);
        Self::new(json!({ "uri": uri, "mimeType": mime_type, "blob": blob }))
    }

    /// Content that another server wrote, with all its fields.
    pub fn forwarded(fields: Map<String, Value>) -> Self {
        Self(fields)
    }

    fn new(fields: Value) -> Self {
        match fields {
            Value::Object(fields) => Self(fields),
            _ => Self(Map::new()),
        }
    }

    pub(crate) fn to_json(&self) -> RawJson {
        RawJson::from(&Value::Object(self.0.clone()))
    }
}

/// The sending side of resource updates.
#[derive(Clone, Debug)]
pub struct UpdateSignal(broadcast::Sender<String>);

/// The receiving side of resource updates.
#[derive(Debug)]
pub struct Updates(Option<broadcast::Receiver<String>>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Update {
    One(String),
    /// Some were missed: any may have changed.
    Any,
}

impl UpdateSignal {
    /// A signal that has not fired.
    pub fn new() -> Self {
        Self(broadcast::Sender::new(UPDATE_LIMIT))
    }

    /// Notifies every client that watches `uri`: its content changed.
    pub fn updated(&self, uri: impl Into<String>) {
        // An error means that there is no subscriber.
        let _ = self.0.send(uri.into());
    }

    /// A receiver for updates from now on.
    pub fn updates(&self) -> Updates {
        Updates(Some(self.0.subscribe()))
    }
}

impl Default for UpdateSignal {
    fn default() -> Self {
        Self::new()
    }
}

impl Updates {
    /// For resources that can't be watched.
    pub fn never() -> Self {
        Self(None)
    }

    pub(crate) fn is_possible(&self) -> bool {
        self.0.is_some()
    }

    pub(crate) async fn next(&mut self) -> Update {
        if let Some(receiver) = &mut self.0 {
            match receiver.recv().await {
                Ok(uri) => return Update::One(uri),
                Err(broadcast::error::RecvError::Lagged(_)) => return Update::Any,
                Err(broadcast::error::RecvError::Closed) => self.0 = None,
            }
        }
        std::future::pending().await
    }
}

type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// [`ResourceSet`] behind a pointer.
pub(crate) trait DynResourceSet: Send + Sync + 'static {
    fn resources(&self) -> Arc<[Resource]>;
    fn own_resources<'a>(&'a self, reader: &'a ResourceReader) -> BoxFuture<'a, Vec<Resource>>;
    fn differs_by_client(&self) -> bool;
    fn templates(&self) -> Arc<[ResourceTemplate]>;
    fn read(
        &self,
        uri: String,
        context: CallContext,
    ) -> BoxFuture<'_, Result<RequestStep<Vec<ResourceContent>>, ProtocolError>>;
    fn is_offered(&self) -> bool;
    fn changes(&self) -> Changes;
    fn updates(&self) -> Updates;
}

impl<T: ResourceSet> DynResourceSet for T {
    fn resources(&self) -> Arc<[Resource]> {
        ResourceSet::resources(self)
    }
    fn own_resources<'a>(&'a self, reader: &'a ResourceReader) -> BoxFuture<'a, Vec<Resource>> {
        Box::pin(ResourceSet::own_resources(self, reader))
    }
    fn differs_by_client(&self) -> bool {
        ResourceSet::differs_by_client(self)
    }
    fn templates(&self) -> Arc<[ResourceTemplate]> {
        ResourceSet::templates(self)
    }
    fn read(
        &self,
        uri: String,
        context: CallContext,
    ) -> BoxFuture<'_, Result<RequestStep<Vec<ResourceContent>>, ProtocolError>> {
        Box::pin(ResourceSet::read(self, uri, context))
    }
    fn is_offered(&self) -> bool {
        ResourceSet::is_offered(self)
    }
    fn changes(&self) -> Changes {
        ResourceSet::changes(self)
    }
    fn updates(&self) -> Updates {
        ResourceSet::updates(self)
    }
}
