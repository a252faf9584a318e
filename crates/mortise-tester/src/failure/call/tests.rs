use mortise_client::{CallError, CloseReason, RpcError};
use mortise_contract::ServerName;

use super::super::ErrorType;
use super::{Subject, failed_call};

fn rpc(code: i64, message: &str) -> CallError {
    CallError::Rpc {
        server: ServerName::parse("s").unwrap(),
        subject: "x".to_owned(),
        error: RpcError { code, message: message.to_owned(), data: None },
    }
}

#[track_caller]
fn check(error: &CallError, subject: Subject<'_>, expected: ErrorType) {
    assert_eq!(failed_call(error, subject).kind, expected);
}

#[test]
fn tools_are_judged_by_list_and_code() {
    let tool = |is_listed| Subject::Tool { name: "x", is_listed };
    check(&rpc(-32602, "boom"), tool(Some(false)), ErrorType::ToolNotFound);
    check(&rpc(0, "boom"), tool(Some(false)), ErrorType::ToolNotFound);
    check(&rpc(-32602, "boom"), tool(Some(true)), ErrorType::InvalidArguments);
    check(&rpc(-32603, "boom"), tool(Some(true)), ErrorType::ExecutionError);
}

#[test]
fn words_in_a_message_decide_nothing() {
    let tool = Subject::Tool { name: "x", is_listed: Some(true) };
    for words in ["unknown tool", "invalid parameter", "timeout", "not connected", "resource not found"] {
        check(&rpc(-32000, words), tool, ErrorType::ExecutionError);
    }
}

#[test]
fn resources_are_judged_by_code_and_list() {
    let resource = |is_listed| Subject::Resource { uri: "x:y", is_listed };
    check(&rpc(-32002, ""), resource(None), ErrorType::ResourceNotFound);
    check(&rpc(-32002, ""), resource(Some(true)), ErrorType::ResourceNotFound);
    check(&rpc(-32602, ""), resource(None), ErrorType::ResourceNotFound);
    check(&rpc(-32602, ""), resource(Some(true)), ErrorType::ExecutionError);
    check(&rpc(0, ""), resource(Some(false)), ErrorType::ResourceNotFound);
    check(&rpc(-32603, ""), resource(None), ErrorType::ExecutionError);
}

#[test]
fn prompts_are_judged_by_list_and_code() {
    let prompt = |is_listed| Subject::Prompt { name: "x", is_listed };
    check(&rpc(-32602, ""), prompt(Some(false)), ErrorType::PromptNotFound);
    check(&rpc(-32602, ""), prompt(Some(true)), ErrorType::InvalidArguments);
    check(&rpc(-32603, ""), prompt(Some(true)), ErrorType::ExecutionError);
}

#[test]
fn a_dead_process_tells_how_it_died() {
    let error = CallError::Closed {
        server: ServerName::parse("s").unwrap(),
        reason: CloseReason::Signalled { signal: "SIGKILL".to_owned() },
    };
    let failure = failed_call(&error, Subject::Tool { name: "x", is_listed: Some(true) });
    assert_eq!(failure.kind, ErrorType::TransportError);
    assert_eq!(
        serde_json::to_string(&failure.details).unwrap(),
        r#"{"reason":"connection_closed","tool":"x","signal":"SIGKILL"}"#
    );
}
