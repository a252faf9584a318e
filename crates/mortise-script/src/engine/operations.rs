//! What a guest can ask for through the door. The program can ask too, so nothing here gives more than its tools.

use std::time::{Duration, Instant};

use mortise_contract::RawJson;
use mortise_contract::json::JsonKind;
use serde::Deserialize;
use serde_json::json;
use wasmtime::{Caller, Linker};

use super::boot::BootCode;
use super::door::{Head, Reply, Request};
use super::errno::Errno;
use super::guest::{Guest, Stop, lock_place};
use super::media;
use super::memory::GuestMemory;
use crate::calls::{Completion, Question};
use crate::capacity::{Charge, NoMemory};
use crate::host::{HostError, HostErrorKind, ValueForm, Wanted};
use crate::json_scan::scan;
use crate::limits::size;
use crate::report::{FailureKind, ProgramError};

/// The name under which the interpreter imports the door.
const DOOR: &str = "bashkit";

/// Room for an operation's own words around its largest body.
const OVERHEAD: u32 = 64 << 10;

/// What a request gets that can't be read.
const UNREADABLE: Reply = Reply::Refused("the request is not readable");

/// Answers are handed over together up to this size, so that the guest copies little at a time.
const MOST_AT_ONCE: usize = 4 << 20;

/// The operations that make a call.
const CALL: &str = "call";
const CALL_WITH_CONTENT: &str = "call_with_content";
/// The operation that gives an image or a sound to the caller.
const EMIT_MEDIA: &str = "emit_media";

/// What the limits on a request's body are about.
const ARGUMENTS: &str = "arguments of one call";
const EMITTED: &str = "emit() value";

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
    let most = limits.arguments.max(limits.emitted).max(limits.media).max(1 << 20) + OVERHEAD as usize;
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
    let reply = match Request::parse(&bytes, timeout) {
        Some(request) => answer(caller.data_mut(), request).await?,
        None => Reply::Refused("the request is malformed"),
    };
    finish(caller, reply, reply_length)
}

fn read_request(caller: &mut Caller<'_, Guest>, pointer: u32, length: u32) -> Result<Vec<u8>, Errno> {
    let memory = caller.data().memory.ok_or(Errno::FAULT)?;
    GuestMemory(memory.data_mut(caller)).bytes(pointer, length).map(<[u8]>::to_vec)
}

/// Why a request is refused that is longer than any that is taken.
fn too_long(guest: &Guest, head: &[u8]) -> Reply {
    match Head::parse(head) {
        Some(Head { operation: CALL | CALL_WITH_CONTENT, target, body }) => {
            let limit = guest.limits.arguments;
            Reply::failure(error_json(&not_called(target, &past("arguments", body, limit, ARGUMENTS))))
        }
        Some(Head { operation: "emit", body, .. }) => {
            Reply::failure(past(EMITTED, body, guest.limits.emitted, "max_emitted_bytes"))
        }
        Some(Head { operation: EMIT_MEDIA, body, .. }) => {
            Reply::failure(media::past("emit_image() or emit_audio()", body, 0, guest.limits.media))
        }
        _ => UNREADABLE,
    }
}

fn finish(caller: &mut Caller<'_, Guest>, reply: Reply, reply_length: u32) -> wasmtime::Result<i32> {
    let (code, bytes) = reply.encode();
    let Some(memory) = caller.data().memory else { return Ok(4) };
    let length = u32::try_from(bytes.len()).unwrap_or(u32::MAX);
    if GuestMemory(memory.data_mut(&mut *caller)).write_u32(reply_length, length).is_err() {
        return Ok(4);
    }
    caller.data_mut().reply = Some(bytes);
    Ok(code)
}

async fn answer(guest: &mut Guest, request: Request<'_>) -> wasmtime::Result<Reply> {
    let reply = match request.operation {
        "boot" if guest.is_untouched() => guest.boot.compiled(),
        "source" if guest.is_untouched() => BootCode::source(),
        "compiled" if guest.is_untouched() => {
            guest.boot.keep(request.body);
            Reply::body([])
        }
        "start" => guest.start().await.map_or(Reply::Refused("the program was already given"), Reply::body),
        CALL | CALL_WITH_CONTENT if !guest.tools.contains(request.target) => {
            unavailable(guest, request.target).await
        }
        CALL | CALL_WITH_CONTENT => {
            pass_gate(guest).await;
            let wanted = match request.operation {
                CALL_WITH_CONTENT => Wanted::ValueAndContent,
                _ => Wanted::Value,
            };
            call(guest, request.target, request.body, wanted)
        }
        "wait" => {
            guest.desk.forget(request.target.split(' ').filter_map(|number| number.parse().ok()));
            wait(guest, request.timeout).await
        }
        "inspect_tool" => ask(guest, Question::Inspect(request.target.to_owned())).await,
        "list_callable_tools" => ask(guest, Question::List).await,
        "server_status" => ask(guest, Question::Status).await,
        "emit" => emit(guest, request.body),
        EMIT_MEDIA => media::emit(guest, request.body),
        "end" => end(guest, request.body),
        "leave" => return Err(Stop::Finished.into()),
        _ => Reply::NoNetwork(NO_NETWORK),
    };
    Ok(reply)
}

/// Why a program can't call what it named.
async fn unavailable(guest: &mut Guest, name: &str) -> Reply {
    match ask(guest, Question::Unavailable(name.to_owned())).await {
        // The host has no value for it, only reasons.
        Reply::Answer { status: 0, .. } => Reply::failure(error_json(&HostError::unavailable(name))),
        refused => refused,
    }
}

/// Suspends the guest until it may make calls. Its clock does not see the wait.
async fn pass_gate(guest: &mut Guest) {
    let Some(gate) = guest.gate.take().filter(|gate| !gate.is_open()) else { return };
    guest.clock.hold(Instant::now());
    lock_place(&guest.limiter.place).pause();
    gate.opened().await;
    lock_place(&guest.limiter.place).resume();
    guest.clock.go_on(Instant::now());
}

fn call(guest: &mut Guest, name: &str, arguments: &[u8], wanted: Wanted) -> Reply {
    let made = readable("arguments", arguments, guest.limits.arguments, ARGUMENTS, guest.limits.nesting)
        .and_then(|arguments| match arguments.kind() {
            JsonKind::Object => Ok(arguments),
            other => Err(format!("arguments is {other}, not an object")),
        })
        .map_err(|message| not_called(name, &message))
        .and_then(|arguments| guest.desk.call(name.to_owned(), arguments, wanted));
    match made {
        Ok(id) => Reply::body(id.to_string()),
        Err(error) => {
            if error.kind == HostErrorKind::Budget {
                guest.trace.record().refused.note(name, arguments.len(), &error);
            }
            Reply::failure(error_json(&error))
        }
    }
}

fn not_called(name: &str, why: &str) -> HostError {
    HostError::new(HostErrorKind::Arguments, format!("'{name}' was not called: {why}"))
}

/// Counts what is kept for the program outside of its own memory.
fn keep(guest: &Guest, bytes: u64) -> Result<Charge, NoMemory> {
    lock_place(&guest.limiter.place).account().keep(bytes)
}

fn emit(guest: &mut Guest, value: &[u8]) -> Reply {
    let nesting = guest.limits.nesting.saturating_sub(AROUND);
    let kept =
        readable(EMITTED, value, guest.limits.emitted, "max_emitted_bytes", nesting).and_then(|value| {
            let charge = keep(guest, value.text().len() as u64);
            charge.map(|charge| (value, charge)).map_err(|why| format!("{EMITTED} can't be kept: {why}"))
        });
    match kept {
        Ok(emitted) => {
            let mut record = guest.trace.record();
            record.emitted = Some(emitted);
            record.emits += 1;
            Reply::body([])
        }
        Err(message) => Reply::failure(message),
    }
}

fn past(what: &str, bytes: usize, most: usize, setting: &str) -> String {
    format!("{what} is {bytes} bytes; the limit is {most} ({setting}, {})", size(most as u64))
}

/// JSON from the guest within its limits, or what is wrong with it.
fn readable(what: &str, json: &[u8], most: usize, setting: &str, nesting: usize) -> Result<RawJson, String> {
    if json.len() > most {
        return Err(past(what, json.len(), most, setting));
    }
    let text = std::str::from_utf8(json).map_err(|_| format!("{what} is not UTF-8"))?;
    let levels = scan(text).levels;
    if levels > nesting {
        return Err(format!("{what} nests {levels} levels deep; the limit is {nesting}"));
    }
    RawJson::parse(text).map_err(|error| format!("{what} is {error}"))
}

/// Suspends the guest until an answer is there or the time is up, then hands over what there is.
/// Status 2 means that nothing can ever come.
async fn wait(guest: &mut Guest, timeout: Option<Duration>) -> Reply {
    let mut completions: Vec<Completion> = guest.desk.next_ready().into_iter().collect();
    if completions.is_empty() && timeout != Some(Duration::ZERO) {
        if timeout.is_none() && !guest.desk.expects_answers() {
            return Reply::Answer { status: 2, labels: Vec::new(), body: Vec::new() };
        }
        completions.extend(suspended(guest, timeout).await);
    }
    let mut labels = Vec::with_capacity(completions.len());
    let mut body = Vec::new();
    let mut next = completions.pop();
    while let Some(completion) = next {
        let start = body.len();
        let mark = match &completion.result {
            Ok(value) => {
                body.extend_from_slice(value.json.text().as_bytes());
                match value.form {
                    ValueForm::Value if scan(value.json.text()).wide_numbers => 'w',
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
        next = if body.len() < MOST_AT_ONCE { guest.desk.next_ready() } else { None };
    }
    Reply::Answer { status: 0, labels, body }
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
    lock_place(&guest.limiter.place).pause();
    let completion = tokio::select! {
        biased;
        completion = guest.desk.next() => completion,
        () = timer => None,
    };
    lock_place(&guest.limiter.place).resume();
    completion
}

async fn ask(guest: &mut Guest, question: Question) -> Reply {
    lock_place(&guest.limiter.place).pause();
    let answer = guest.desk.ask(question).await;
    lock_place(&guest.limiter.place).resume();
    let kept = answer.and_then(|value| {
        let charge = keep(guest, value.text().len() as u64);
        let charge = charge.map_err(|why| HostError::new(HostErrorKind::Size, why.to_string()))?;
        Ok((value, charge))
    });
    match kept {
        Ok((value, charge)) => {
            guest.reply_charges.push(charge);
            Reply::body(value.text())
        }
        Err(error) => Reply::failure(error_json(&error)),
    }
}

/// A failed call as the boot code reads it. The payloads are the tool's own text, so they are put in as they are.
fn error_json(error: &HostError) -> String {
    let structured = error.structured.as_ref().map_or("null", RawJson::text);
    let content = error.content.as_deref().map_or("[]", RawJson::text);
    let head = json!({
        "kind": error.kind.as_str(),
        "message": error.message,
        "said": error.said,
        "violations": error.violations,
    });
    let head = head.to_string();
    let head = head.strip_suffix('}').unwrap_or(&head);
    format!("{head},\"structured\":{structured},\"content\":{content}}}")
}

/// How the boot code says that a program ended.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct End {
    error: Option<EndError>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct EndError {
    kind: String,
    exception: String,
    message: String,
    traceback: String,
    line: Option<u32>,
}

/// The program is over. Only the first word counts; one that can't be read is a failure.
fn end(guest: &mut Guest, body: &[u8]) -> Reply {
    let error = match serde_json::from_slice::<End>(body) {
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
    Reply::body([])
}

fn program_error(error: EndError) -> ProgramError {
    let kind = match error.kind.as_str() {
        "syntax" => FailureKind::Syntax,
        "exit" => FailureKind::Exit,
        _ => FailureKind::Exception,
    };
    ProgramError {
        kind,
        exception: cut(error.exception, 256),
        message: cut(error.message, LONGEST_ERROR),
        traceback: cut(error.traceback, LONGEST_ERROR),
        line: error.line,
    }
}

fn cut(mut text: String, most: usize) -> String {
    text.truncate(text.floor_char_boundary(most));
    text
}
