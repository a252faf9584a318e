//! What a guest can ask for through the door. The program can ask too, so nothing here gives more than its tools.

use std::time::{Duration, Instant};

use mortise_contract::RawJson;
use mortise_contract::json::{JsonError, JsonKind, RawObject};
use mortise_contract::text::cut_bytes;
use serde::Deserialize;
use wasmtime::{Caller, Linker};

use super::boot::BootCode;
use super::course::RepeatedMoment;
use super::door::{DoorReply, DoorRequest, DoorRequestHead};
use super::errno::Errno;
use super::guest::{Guest, Stop, burnt};
use super::media;
use super::memory::GuestMemory;
use crate::calls::{Completion, ToolQuestion};
use crate::capacity::{Charge, NoMemory};
use crate::history::{HostAction, HostReply};
use crate::host::{HostError, HostErrorKind, ValueForm, Wanted};
use crate::json_scan::scan_json;
use crate::limits::{PROGRAM_KEPT, size};
use crate::report::{FailureKind, ProgramError};

/// The name under which the interpreter imports the door.
const DOOR: &str = "bashkit";

/// Room for an operation's own words around its largest body.
const OVERHEAD: u32 = 64 << 10;

/// What a request gets that can't be read.
const UNREADABLE: DoorReply = DoorReply::Refused("the request is not readable");

/// Answers are handed over together up to this size, so that the guest copies little at a time.
const MOST_AT_ONCE: usize = 4 << 20;

/// A wait that nothing can end.
const NOTHING_CAN_COME: DoorReply = DoorReply::Answer { status: 2, labels: Vec::new(), body: Vec::new() };

/// The operations that make a call.
const CALL: &str = "call";
const CALL_WITH_CONTENT: &str = "call_with_content";
/// The operation that gives an image or a sound to the caller.
const EMIT_MEDIA: &str = "emit_media";

/// The operation that keeps a value for later programs.
const KEEP: &str = "keep";

/// What the limits on a request's body are about.
const ARGUMENTS: &str = "arguments of one call";
const EMITTED: &str = "emit() value";
const KEPT: &str = "keep() value";

/// Levels around an emitted value in the message that carries it: many clients read none deeper than the rest.
const AROUND: usize = 4;

/// The longest error text; longer ones are cut.
const LONGEST_ERROR: usize = 16 << 10;

const NO_NETWORK: &str =
    "programs have no network: call a tool instead, for example `await mcp__server__tool(...)`";

pub(super) fn link(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.func_wrap_async(
        DOOR,
        "http_request",
        |mut caller: Caller<'_, Guest>, (pointer, length, timeout, reply_length): (u32, u32, i64, u32)| {
            Box::new(async move { request(&mut caller, pointer, length, timeout, reply_length).await })
        },
    )?;
    linker.func_wrap(
        DOOR,
        "http_take",
        |mut caller: Caller<'_, Guest>, pointer: u32, length: i32| -> i32 {
            let Some(reply) = caller.data_mut().reply.take() else { return 1 };
            let _charges = std::mem::take(&mut caller.data_mut().reply_charges);
            if usize::try_from(length) != Ok(reply.len()) {
                return 1;
            }
            let Some(memory) = caller.data().memory else { return 1 };
            i32::from(GuestMemory(memory.data_mut(&mut caller)).write(pointer, &reply).is_err())
        },
    )?;
    Ok(())
}

/// One passage through the door. A broken request is the program's doing, since the boot code makes none.
async fn request(
    caller: &mut Caller<'_, Guest>,
    pointer: u32,
    length: u32,
    timeout: i64,
    reply_length: u32,
) -> wasmtime::Result<i32> {
    // A reply that was never taken is dropped with what paid for it.
    caller.data_mut().reply = None;
    caller.data_mut().reply_charges.clear();
    let limits = &caller.data().limits;
    let most = limits.arguments.max(limits.emitted).max(limits.media).max(PROGRAM_KEPT) + OVERHEAD as usize;
    // Of one that is too long, enough to say which it is.
    let is_too_long = length as usize > most;
    let read = if is_too_long { OVERHEAD } else { length };
    let bytes = match read_request(caller, pointer, read) {
        Ok(bytes) => bytes,
        Err(_) => return finish(caller, UNREADABLE, reply_length),
    };
    if is_too_long {
        let reply = too_long(caller.data(), &bytes);
        return finish(caller, reply, reply_length);
    }
    let burnt = burnt(caller);
    caller.data_mut().enter(burnt);
    let reply = match DoorRequest::parse(&bytes, timeout) {
        Some(request) => answer(caller.data_mut(), request).await?,
        None => DoorReply::Refused("the request is malformed"),
    };
    finish(caller, reply, reply_length)
}

fn read_request(caller: &mut Caller<'_, Guest>, pointer: u32, length: u32) -> Result<Vec<u8>, Errno> {
    let memory = caller.data().memory.ok_or(Errno::FAULT)?;
    GuestMemory(memory.data_mut(caller)).bytes(pointer, length).map(<[u8]>::to_vec)
}

/// Why a request is refused that is longer than any that is taken.
fn too_long(guest: &Guest, head: &[u8]) -> DoorReply {
    match DoorRequestHead::parse(head) {
        Some(DoorRequestHead { operation: CALL | CALL_WITH_CONTENT, target, body }) => {
            let limit = guest.limits.arguments;
            let why = GuestJsonError::TooLong { what: "arguments", bytes: body, limit, setting: ARGUMENTS };
            DoorReply::failure(error_json(&not_called(target, &why)))
        }
        Some(DoorRequestHead { operation: "emit", body, .. }) => {
            let (limit, setting) = (guest.limits.emitted, "max_emitted_bytes");
            let why = GuestJsonError::TooLong { what: EMITTED, bytes: body, limit, setting };
            DoorReply::failure(why.to_string())
        }
        Some(DoorRequestHead { operation: EMIT_MEDIA, body, .. }) => {
            DoorReply::failure(media::too_long(body, guest.limits.media).to_string())
        }
        Some(DoorRequestHead { operation: KEEP, body, .. }) => {
            DoorReply::failure(error_json(&not_kept(&kept_too_long(body))))
        }
        _ => UNREADABLE,
    }
}

fn finish(caller: &mut Caller<'_, Guest>, reply: DoorReply, reply_length: u32) -> wasmtime::Result<i32> {
    let (code, bytes) = reply.encode();
    let Some(memory) = caller.data().memory else { return Ok(4) };
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    if GuestMemory(memory.data_mut(&mut *caller)).write_u32(reply_length, length).is_err() {
        return Ok(4);
    }
    caller.data_mut().reply = Some(bytes);
    Ok(code)
}

async fn answer(guest: &mut Guest, request: DoorRequest<'_>) -> wasmtime::Result<DoorReply> {
    let reply = match request.operation {
        "boot" if guest.is_untouched() => guest.boot.compiled(),
        "source" if guest.is_untouched() => BootCode::source(),
        "compiled" if guest.is_untouched() => {
            guest.boot.keep(request.body);
            DoorReply::body([])
        }
        "start" => {
            guest.start().await.map_or(DoorReply::Refused("the program was already given"), DoorReply::body)
        }
        CALL | CALL_WITH_CONTENT => {
            let wanted = match request.operation {
                CALL_WITH_CONTENT => Wanted::ValueAndContent,
                _ => Wanted::Value,
            };
            call(guest, request.target, request.body, wanted).await?
        }
        "wait" => {
            guest.desk.forget(request.target.split(' ').filter_map(|number| number.parse().ok()));
            wait(guest, request.timeout).await?
        }
        "inspect_tool" => ask(guest, ToolQuestion::Inspect(request.target.to_owned())).await?,
        "list_callable_tools" => ask(guest, ToolQuestion::List).await?,
        "server_status" => ask(guest, ToolQuestion::Status).await?,
        KEEP => keep_value(guest, request.target, request.body).await?,
        "load" => ask(guest, ToolQuestion::Load(request.target.to_owned())).await?,
        "emit" => match repeated_refusal(guest)? {
            Some(refusal) => refusal,
            None => emit(guest, request.body),
        },
        EMIT_MEDIA => match repeated_refusal(guest)? {
            Some(refusal) => refusal,
            None => media::emit(guest, request.body),
        },
        "end" => end(guest, request.body),
        "leave" => return Err(Stop::Finished.into()),
        _ => DoorReply::NoNetwork(NO_NETWORK),
    };
    Ok(reply)
}

/// What a request got in the recorded run in place of its usual answer.
fn repeated_refusal(guest: &mut Guest) -> Result<Option<DoorReply>, Stop> {
    match guest.course.repeated() {
        RepeatedMoment::Event(HostAction::Replied(reply)) => Ok(Some(reply.into())),
        RepeatedMoment::Event(_) => Err(guest.course.other_moment()),
        _ => Ok(None),
    }
}

/// A refusal that the same request may not get another time.
pub(super) fn refused(guest: &Guest, text: String) -> DoorReply {
    guest.course.record(HostAction::Replied(HostReply { is_error: true, body: text.clone() }));
    DoorReply::failure(text)
}

impl From<HostReply> for DoorReply {
    fn from(reply: HostReply) -> Self {
        if reply.is_error { Self::failure(reply.body) } else { Self::body(reply.body) }
    }
}

/// Why a program can't call what it named.
async fn unavailable(guest: &mut Guest, name: &str) -> Result<DoorReply, Stop> {
    Ok(match ask(guest, ToolQuestion::Unavailable(name.to_owned())).await? {
        // The host has no value for it, only reasons.
        DoorReply::Answer { status: 0, .. } => DoorReply::failure(error_json(&HostError::unavailable(name))),
        refused => refused,
    })
}

async fn call(guest: &mut Guest, name: &str, arguments: &[u8], wanted: Wanted) -> Result<DoorReply, Stop> {
    if let Some(refusal) = repeated_refusal(guest)? {
        return Ok(refusal);
    }
    if !guest.course.is_repeating() {
        if !guest.tools.contains(name) {
            return unavailable(guest, name).await;
        }
        guest.pass_gate().await;
    }
    let made = read_json("arguments", arguments, guest.limits.arguments, ARGUMENTS, guest.limits.nesting)
        .and_then(|arguments| match arguments.kind() {
            JsonKind::Object => Ok(arguments),
            kind => Err(GuestJsonError::NotObject { what: "arguments", kind }),
        })
        .map_err(|error| not_called(name, &error));
    let made = match made {
        Ok(arguments) => {
            if let Some(repeating) = guest.course.repeating_mut() {
                let compared = repeating.compare(guest.desk.next_id(), name, &arguments, wanted);
                compared.map_err(|divergence| Stop::Diverged(Box::new(divergence)))?;
            }
            guest.desk.call(name.to_owned(), arguments, wanted)
        }
        Err(error) => Err(error),
    };
    Ok(match made {
        Ok(id) => DoorReply::body(id.to_string()),
        // Others have the memory, which the next time may be otherwise.
        Err(error) if error.kind == HostErrorKind::Size => refused(guest, error_json(&error)),
        Err(error) => {
            if error.kind == HostErrorKind::Budget {
                guest.trace.record().refused.note(name, arguments.len(), &error);
            }
            DoorReply::failure(error_json(&error))
        }
    })
}

fn not_called(name: &str, why: &GuestJsonError) -> HostError {
    HostError::new(HostErrorKind::Arguments, format!("'{name}' was not called: {why}"))
}

/// Keeps a value for later programs. A program that the check refuses keeps nothing.
async fn keep_value(guest: &mut Guest, name: &str, value: &[u8]) -> Result<DoorReply, Stop> {
    let nesting = guest.limits.nesting.saturating_sub(AROUND);
    let value = match read_json(KEPT, value, PROGRAM_KEPT, KEPT_SETTING, nesting) {
        Ok(value) => value,
        Err(error) => return Ok(DoorReply::failure(error_json(&not_kept(&error)))),
    };
    if !guest.course.is_repeating() {
        guest.pass_gate().await;
    }
    ask(guest, ToolQuestion::Keep { name: name.to_owned(), value }).await
}

/// What the limit on a kept value is called.
const KEPT_SETTING: &str = "one kept value";

fn kept_too_long(bytes: usize) -> GuestJsonError {
    GuestJsonError::TooLong { what: KEPT, bytes, limit: PROGRAM_KEPT, setting: KEPT_SETTING }
}

fn not_kept(why: &GuestJsonError) -> HostError {
    HostError::new(HostErrorKind::Arguments, why.to_string())
}

/// Counts what is kept for the program outside of its own memory.
fn keep(guest: &Guest, bytes: u64) -> Result<Charge, NoMemory> {
    guest.limiter.place.lock().account().keep(bytes)
}

fn emit(guest: &mut Guest, value: &[u8]) -> DoorReply {
    let nesting = guest.limits.nesting.saturating_sub(AROUND);
    let kept =
        read_json(EMITTED, value, guest.limits.emitted, "max_emitted_bytes", nesting).and_then(|value| {
            let charge = keep(guest, value.text().len() as u64);
            charge.map(|charge| (value, charge)).map_err(|why| GuestJsonError::NotKept { what: EMITTED, why })
        });
    match kept {
        Ok(emitted) => {
            let mut record = guest.trace.record();
            record.emitted = Some(emitted);
            record.emits += 1;
            DoorReply::body([])
        }
        Err(error @ GuestJsonError::NotKept { .. }) => refused(guest, error.to_string()),
        Err(error) => DoorReply::failure(error.to_string()),
    }
}

/// Why JSON from the guest is refused.
#[derive(Debug, thiserror::Error)]
enum GuestJsonError {
    #[error("{what} is {bytes} bytes; the limit is {limit} ({setting}, {})", size(*.limit as u64))]
    TooLong { what: &'static str, bytes: usize, limit: usize, setting: &'static str },
    #[error("{what} is not UTF-8")]
    NotUtf8 { what: &'static str },
    #[error("{what} nests {levels} levels deep; the limit is {limit}")]
    TooDeep { what: &'static str, levels: usize, limit: usize },
    #[error("{what} is {why}")]
    NotJson { what: &'static str, why: JsonError },
    #[error("{what} is {kind}, not an object")]
    NotObject { what: &'static str, kind: JsonKind },
    #[error("{what} can't be kept: {why}")]
    NotKept { what: &'static str, why: NoMemory },
}

/// JSON from the guest within its limits.
fn read_json(
    what: &'static str,
    json: &[u8],
    limit: usize,
    setting: &'static str,
    nesting: usize,
) -> Result<RawJson, GuestJsonError> {
    if json.len() > limit {
        return Err(GuestJsonError::TooLong { what, bytes: json.len(), limit, setting });
    }
    let text = std::str::from_utf8(json).map_err(|_| GuestJsonError::NotUtf8 { what })?;
    let levels = scan_json(text).levels;
    if levels > nesting {
        return Err(GuestJsonError::TooDeep { what, levels, limit: nesting });
    }
    RawJson::parse(text).map_err(|why| GuestJsonError::NotJson { what, why })
}

/// Suspends the guest until an answer is there or the time is up, then hands over what there is.
/// Status 2 means that nothing can ever come.
async fn wait(guest: &mut Guest, timeout: Option<Duration>) -> Result<DoorReply, Stop> {
    let nothing_can_come = timeout.is_none() && !guest.desk.expects_answers();
    let is_poll = timeout == Some(Duration::ZERO);
    match guest.course.repeated() {
        RepeatedMoment::Event(HostAction::Delivered(ids)) => {
            let has_answers =
                guest.course.repeating_mut().is_some_and(|repeating| repeating.has_answers(&ids));
            let completions = if has_answers { guest.desk.take(&ids).await } else { None };
            let completions = completions.ok_or_else(|| guest.course.other_moment())?;
            return Ok(handed_over(guest, completions));
        }
        RepeatedMoment::Event(HostAction::TimePassed) => return Ok(handed_over(guest, Vec::new())),
        RepeatedMoment::Event(_) => return Err(guest.course.other_moment()),
        RepeatedMoment::Nothing | RepeatedMoment::Over(_) if nothing_can_come => return Ok(NOTHING_CAN_COME),
        RepeatedMoment::Nothing | RepeatedMoment::Over(_) if is_poll => {
            return Ok(handed_over(guest, Vec::new()));
        }
        RepeatedMoment::Nothing => return Err(guest.course.other_moment()),
        RepeatedMoment::Over(divergence) => return Err(guest.course.stop_over(divergence)),
        RepeatedMoment::GoesOn => guest.go_on().await,
        RepeatedMoment::Live => {}
    }
    let mut completions: Vec<Completion> = guest.desk.next_ready().into_iter().collect();
    if completions.is_empty() && !is_poll {
        if nothing_can_come {
            return Ok(NOTHING_CAN_COME);
        }
        completions.extend(suspended(guest, timeout).await);
        if completions.is_empty() {
            guest.course.waited(timeout.unwrap_or_default());
        }
    }
    let mut bytes: usize = completions.iter().map(Completion::bytes).sum();
    while !completions.is_empty() && bytes < MOST_AT_ONCE {
        let Some(completion) = guest.desk.next_ready() else { break };
        bytes += completion.bytes();
        completions.push(completion);
    }
    if !completions.is_empty() {
        guest
            .course
            .happened(HostAction::Delivered(completions.iter().map(|completion| completion.id).collect()));
    }
    Ok(handed_over(guest, completions))
}

/// The answers as the boot code reads them.
fn handed_over(guest: &mut Guest, completions: Vec<Completion>) -> DoorReply {
    let mut labels = Vec::with_capacity(completions.len());
    let mut body = Vec::new();
    for completion in completions {
        let start = body.len();
        let mark = match &completion.result {
            Ok(value) => {
                body.extend_from_slice(value.json.text().as_bytes());
                match value.form {
                    ValueForm::Value if scan_json(value.json.text()).wide_numbers => 'w',
                    ValueForm::Value => '0',
                    ValueForm::Content => 'c',
                    ValueForm::ValueAndContent => 'p',
                }
            }
            Err(error) => {
                body.extend_from_slice(error_json(error).as_bytes());
                '1'
            }
        };
        labels.push((completion.id.to_string(), format!("{mark}{}", body.len() - start)));
        guest.reply_charges.extend(completion.charge);
    }
    DoorReply::Answer { status: 0, labels, body }
}

async fn suspended(guest: &mut Guest, timeout: Option<Duration>) -> Option<Completion> {
    let until = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    let scheduler = guest.scheduler.clone();
    let timer = async {
        match until {
            Some(until) => scheduler.sleep_until(until).await,
            None => std::future::pending().await,
        }
    };
    guest.limiter.place.lock().pause();
    let completion = tokio::select! {
        biased;
        completion = guest.desk.next() => completion,
        () = timer => None,
    };
    guest.limiter.place.lock().resume();
    completion
}

async fn ask(guest: &mut Guest, question: ToolQuestion) -> Result<DoorReply, Stop> {
    match guest.course.repeated() {
        RepeatedMoment::Event(HostAction::Replied(reply)) => return Ok(reply.into()),
        RepeatedMoment::Event(_) | RepeatedMoment::Nothing => return Err(guest.course.other_moment()),
        RepeatedMoment::Over(divergence) => return Err(guest.course.stop_over(divergence)),
        RepeatedMoment::GoesOn => guest.go_on().await,
        RepeatedMoment::Live => {}
    }
    guest.limiter.place.lock().pause();
    let answer = guest.desk.ask(question).await;
    guest.limiter.place.lock().resume();
    let kept = answer.and_then(|value| {
        let charge = keep(guest, value.text().len() as u64);
        let charge = charge.map_err(|why| HostError::new(HostErrorKind::Size, why.to_string()))?;
        Ok((value, charge))
    });
    let reply = match kept {
        Ok((value, charge)) => {
            guest.reply_charges.push(charge);
            HostReply { is_error: false, body: value.text().to_owned() }
        }
        Err(error) => HostReply { is_error: true, body: error_json(&error) },
    };
    guest.course.happened(HostAction::Replied(reply.clone()));
    Ok(reply.into())
}

/// A failed call as the boot code reads it. The payloads are the tool's own text, so they are put in as they are.
fn error_json(error: &HostError) -> String {
    let violations = RawJson::of(&error.violations).unwrap_or_else(|_| RawJson::array([]));
    let object = RawObject::default()
        .with("kind", RawJson::string(error.kind.as_str()))
        .with("message", RawJson::string(&error.message))
        .with("said", error.said.as_deref().map_or_else(RawJson::null, RawJson::string))
        .with("violations", violations)
        .with("structured", error.structured.clone().unwrap_or_else(RawJson::null))
        .with("content", error.content.as_deref().cloned().unwrap_or_else(|| RawJson::array([])));
    object.into_json().text().to_owned()
}

/// How the boot code says that a program ended.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgramEnd {
    error: Option<ProgramEndError>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProgramEndError {
    kind: String,
    exception: String,
    message: String,
    traceback: String,
    line: Option<u32>,
}

/// The program is over. Only the first word counts; one that can't be read is a failure.
fn end(guest: &mut Guest, body: &[u8]) -> DoorReply {
    let error = match serde_json::from_slice::<ProgramEnd>(body) {
        Ok(end) => end.error.map(program_error),
        Err(_) => Some(ProgramError {
            kind: FailureKind::Crash,
            exception: "SystemError".to_owned(),
            message: "the program ended in a way that could not be read".to_owned(),
            traceback: "SystemError: the program ended in a way that could not be read".to_owned(),
            line: None,
        }),
    };
    let mut record = guest.trace.record();
    if record.end.is_none() {
        record.end = Some(error);
    }
    DoorReply::body([])
}

fn program_error(error: ProgramEndError) -> ProgramError {
    let kind = match error.kind.as_str() {
        "syntax" => FailureKind::Syntax,
        "exit" => FailureKind::Exit,
        _ => FailureKind::Exception,
    };
    ProgramError {
        kind,
        exception: cut_bytes(&error.exception, 256),
        message: cut_bytes(&error.message, LONGEST_ERROR),
        traceback: cut_bytes(&error.traceback, LONGEST_ERROR),
        line: error.line,
    }
}
