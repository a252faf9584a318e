use mortise_client::{CallError, CloseReason, RpcError};
use mortise_contract::ServerName;

use super::{Subject, of_call};

fn rpc(code: i64, message: &str) -> CallError {
    CallError::Rpc {
        server: ServerName::parse("s").unwrap(),
        subject: "x".to_owned(),
        error: RpcError { code, message: message.to_owned(), data: None },
    }
}

#[track_caller]
fn check(error: &CallError, subject: Subject<'_>, expected: &str) {
    assert_eq!(of_call(error, subject).kind.as_str(), expected);
}

#[test]
fn tools_are_judged_by_list_and_code() {
    let tool = |is_listed| Subject::Tool { name: "x", is_listed };
    check(&rpc(-32602, "boom"), tool(Some(false)), "tool_not_found");
    check(&rpc(0, "boom"), tool(Some(false)), "tool_not_found");
    check(&rpc(-32602, "boom"), tool(Some(true)), "invalid_arguments");
    check(&rpc(-32603, "boom"), tool(Some(true)), "execution_error");
}

#[test]
fn words_in_a_message_decide_nothing() {
    let tool = Subject::Tool { name: "x", is_listed: Some(true) };
    for words in ["unknown tool", "invalid parameter", "timeout", "not connected", "resource not found"] {
        check(&rpc(-32000, words), tool, "execution_error");
    }
}

#[test]
fn resources_are_judged_by_code_and_list() {
    let resource = |is_listed| Subject::Resource { uri: "x:y", is_listed };
    check(&rpc(-32002, ""), resource(None), "resource_not_found");
    check(&rpc(-32002, ""), resource(Some(true)), "resource_not_found");
    check(&rpc(-32602, ""), resource(None), "resource_not_found");
    check(&rpc(-32602, ""), resource(Some(true)), "execution_error");
    check(&rpc(0, ""), resource(Some(false)), "resource_not_found");
    check(&rpc(-32603, ""), resource(None), "execution_error");
}

#[test]
fn prompts_are_judged_by_list_and_code() {
    let prompt = |is_listed| Subject::Prompt { name: "x", is_listed };
    check(&rpc(-32602, ""), prompt(Some(false)), "prompt_not_found");
    check(&rpc(-32602, ""), prompt(Some(true)), "invalid_arguments");
    check(&rpc(-32603, ""), prompt(Some(true)), "execution_error");
}

#[test]
fn a_dead_process_tells_how_it_died() {
    let error = CallError::Closed {
        server: ServerName::parse("s").unwrap(),
        reason: CloseReason::Signalled { signal: "SIGKILL".to_owned() },
    };
    let failure = of_call(&error, Subject::Tool { name: "x", is_listed: Some(true) });
    assert_eq!(failure.kind.as_str(), "transport_error");
    assert_eq!(failure.details.text(), r#"{"reason":"connection_closed","tool":"x","signal":"SIGKILL"}"#);
}
