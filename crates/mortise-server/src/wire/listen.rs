//! Notifies clients of changes: always in a legacy session, by subscription in the modern era.

use std::sync::Arc;

use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionContext};
use tokio_util::sync::CancellationToken;

use super::Session;
use crate::resources::{Update, Updates};
use crate::{Changes, Server};

#[derive(Clone, Debug, PartialEq, Eq)]
enum Event {
    Tools,
    Prompts,
    Resources,
    Updated(Update),
}

/// Every change that a server can report.
pub(super) struct Events {
    tools: Changes,
    prompts: Changes,
    resources: Changes,
    updates: Updates,
}

impl Events {
    pub(super) fn of(server: &Server) -> Self {
        let inner = &server.0;
        Self {
            tools: inner.tools.as_ref().map_or_else(Changes::never, |set| set.changes()),
            prompts: inner.prompts.as_ref().map_or_else(Changes::never, |set| set.changes()),
            resources: inner.resources.as_ref().map_or_else(Changes::never, |set| set.changes()),
            updates: inner.resources.as_ref().map_or_else(Updates::never, |set| set.updates()),
        }
    }

    async fn next(&mut self) -> Event {
        tokio::select! {
            () = self.tools.next() => Event::Tools,
            () = self.prompts.next() => Event::Prompts,
            () = self.resources.next() => Event::Resources,
            update = self.updates.next() => Event::Updated(update),
        }
    }
}

/// Notifies a legacy session until it ends.
pub(super) async fn legacy(mut events: Events, session: Arc<Session>, peer: Peer<RoleServer>) {
    loop {
        let event = events.next().await;
        if peer.is_transport_closed() {
            return;
        }
        // A failure means that the session ends, and this task with it.
        let _ = match event {
            Event::Tools => peer.notify_tool_list_changed().await,
            Event::Prompts => peer.notify_prompt_list_changed().await,
            Event::Resources => peer.notify_resource_list_changed().await,
            Event::Updated(update) => {
                let uris = match update {
                    Update::One(uri) if session.watches(&uri) => vec![uri],
                    Update::One(_) => Vec::new(),
                    Update::Any => session.watched(),
                };
                for uri in uris {
                    let _ = peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await;
                }
                Ok(())
            }
        };
    }
}

/// Notifies one subscription of what it asked for, until the client ends it or the transport winds down.
pub(super) async fn modern(mut events: Events, context: &SubscriptionContext, closing: &CancellationToken) {
    let accepted = context.accepted();
    let watched = accepted.resource_subscriptions.clone().unwrap_or_default();
    let sink = context.sink();
    loop {
        let event = tokio::select! {
            event = events.next() => event,
            () = context.cancelled() => return,
            () = closing.cancelled() => return,
        };
        let sent = match event {
            Event::Tools if accepted.tools_list_changed == Some(true) => {
                sink.notify_tool_list_changed().await
            }
            Event::Prompts if accepted.prompts_list_changed == Some(true) => {
                sink.notify_prompt_list_changed().await
            }
            Event::Resources if accepted.resources_list_changed == Some(true) => {
                sink.notify_resource_list_changed().await
            }
            Event::Updated(Update::One(uri)) if watched.contains(&uri) => {
                sink.notify_resource_updated(uri).await
            }
            Event::Updated(Update::Any) => {
                for uri in &watched {
                    let _ = sink.notify_resource_updated(uri.clone()).await;
                }
                Ok(())
            }
            _ => Ok(()),
        };
        if sent.is_err() {
            return;
        }
    }
}
