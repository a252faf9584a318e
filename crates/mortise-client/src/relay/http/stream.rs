//! Streams of events: the answer to a request, and what a legacy server sends without being asked.

use std::time::Duration;

use http::Method;
use http::header::ACCEPT;
use tokio::io::AsyncWrite;

use super::{ClientMessage, HttpRelay, answers};
use crate::http_target::TargetReply;
use crate::limits::FRAME_BYTES;
use crate::wire::http::sse::SseParser;

/// The pause before a stream that ended is asked for again, unless the server names one.
const PAUSE: Duration = Duration::from_secs(1);
/// The longest pause that a server may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(60);
/// Attempts in a row that bring nothing; then the stream is given up.
const ATTEMPTS: u32 = 5;

/// Where a stream stands.
#[derive(Default)]
struct StreamPlace {
    last_event: Option<String>,
    pause: Option<Duration>,
    is_answered: bool,
    /// Whether anything came.
    has_events: bool,
}

impl<W: AsyncWrite + Send + Unpin> HttpRelay<'_, W> {
    /// Passes on the events of an answer until the answer itself has come.
    ///
    /// A legacy server may close the stream before that; the client then asks for the rest.
    pub(super) async fn follow(&self, request: &ClientMessage, reply: TargetReply) {
        let mut place = StreamPlace::default();
        self.read_events(request, reply, &mut place).await;
        for _ in 0..ATTEMPTS {
            if request.id.is_none() || place.is_answered || place.last_event.is_none() {
                break;
            }
            tokio::time::sleep(place.pause.unwrap_or(PAUSE)).await;
            if let Some(reply) = self.open_stream(&place).await {
                self.read_events(request, reply, &mut place).await;
            }
        }
        if !place.is_answered {
            self.refuse(request, "the server ended its answer before the result").await;
        }
    }

    /// Passes on what a legacy server sends outside of answers, for as long as it offers a stream for that.
    pub(super) async fn listen(&self) {
        let nothing = ClientMessage { text: String::new(), method: None, id: None, params: None };
        let mut place = StreamPlace::default();
        let mut attempts = 0;
        while attempts < ATTEMPTS {
            let Some(reply) = self.open_stream(&place).await else { return };
            place.has_events = false;
            self.read_events(&nothing, reply, &mut place).await;
            attempts = if place.has_events { 0 } else { attempts + 1 };
            tokio::time::sleep(place.pause.unwrap_or(PAUSE)).await;
        }
    }

    /// A stream of the session, from the last event on; `None` where the server has none.
    async fn open_stream(&self, place: &StreamPlace) -> Option<TargetReply> {
        let headers = self.memory.lock().of_session()?;
        let request = || {
            let request = self.target.request(Method::GET).headers(headers.clone());
            let request = request.header(ACCEPT, "text/event-stream");
            match &place.last_event {
                Some(event) => request.header("last-event-id", event.as_str()),
                None => request,
            }
        };
        let reply = self.target.send(request).await.ok()?;
        (reply.status().is_success() && reply.is_event_stream()).then_some(reply)
    }

    async fn read_events(&self, request: &ClientMessage, mut reply: TargetReply, place: &mut StreamPlace) {
        let mut parser = SseParser::new(FRAME_BYTES);
        let mut events = Vec::new();
        while let Ok(Some(bytes)) = reply.chunk().await {
            if parser.feed(&bytes, &mut events).is_err() {
                return;
            }
            for event in events.drain(..) {
                place.has_events = true;
                place.last_event = event.id.or_else(|| place.last_event.take());
                let pause = event.retry.map(|ms| Duration::from_millis(ms).min(LONGEST_PAUSE));
                place.pause = pause.or(place.pause);
                let is_message = matches!(event.name.as_deref(), None | Some("" | "message"));
                let Some(data) = event.data.filter(|data| is_message && !data.is_empty()) else { continue };
                let text = String::from_utf8_lossy(&data);
                place.is_answered |= request.id.is_some() && answers(request, &text);
                self.pass_on(request, &text).await;
            }
            if place.is_answered {
                return;
            }
        }
    }
}
