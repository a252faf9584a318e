//! The suite's resources.

use std::sync::Arc;

use mortise_server::{
    CallContext, ProtocolError, RequestStep, Resource, ResourceContent, ResourceSet, ResourceTemplate,
    UpdateSignal, Updates,
};
use serde_json::json;

use crate::PNG;

pub(crate) struct Resources(UpdateSignal);

impl Resources {
    pub(crate) fn new() -> Self {
        Self(UpdateSignal::new())
    }
}

impl ResourceSet for Resources {
    fn resources(&self) -> Arc<[Resource]> {
        [
            Resource::new("test://static-text", "Static text")
                .mime_type("text/plain")
                .description("Never changes"),
            Resource::new("test://static-binary", "Static image")
                .mime_type("image/png")
                .description("One red pixel"),
            Resource::new("test://watched-resource", "Watched")
                .mime_type("text/plain")
                .description("Can be watched"),
        ]
        .into()
    }

    fn templates(&self) -> Arc<[ResourceTemplate]> {
        [ResourceTemplate::new("test://template/{id}/data", "Data by id")
            .mime_type("application/json")
            .description("Repeats the id")]
        .into()
    }

    async fn read(
        &self,
        uri: String,
        _: CallContext,
    ) -> Result<RequestStep<Vec<ResourceContent>>, ProtocolError> {
        let id = uri.strip_prefix("test://template/").and_then(|rest| rest.strip_suffix("/data"));
        let content = match (uri.as_str(), id) {
            ("test://static-text", _) => {
                ResourceContent::text(&uri, "text/plain", "This is the content of the static text resource.")
            }
            ("test://static-binary", _) => ResourceContent::bytes(&uri, "image/png", PNG),
            ("test://watched-resource", _) => ResourceContent::text(&uri, "text/plain", "Watched content"),
            (_, Some(id)) => {
                let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
                ResourceContent::text(&uri, "application/json", &data.to_string())
            }
            _ => return Err(ProtocolError::resource_not_found(&uri)),
        };
        Ok(RequestStep::Done(vec![content]))
    }

    fn updates(&self) -> Updates {
        self.0.updates()
    }
}
