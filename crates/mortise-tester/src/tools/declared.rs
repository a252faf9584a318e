//! What is laid over the nine fixed declarations, and the declarations of the other tools.

use mortise_client::secret::Form;
use serde_json::{Value, json};

use crate::declaration::{Declaration, fixed, lay_over};
use crate::failure::ErrorType;

/// All declarations.
pub(super) fn all() -> Vec<Declaration> {
    let fixed = fixed().into_iter().map(|mut declaration| {
        extend(&mut declaration);
        declaration
    });
    fixed.chain(more()).map(with_common).collect()
}

/// What every answer may have besides its own fields.
fn with_common(mut declaration: Declaration) -> Declaration {
    let types: Vec<&str> = ErrorType::ALL.iter().map(|kind| kind.as_str()).collect();
    lay_over(
        &mut declaration.returns,
        json!({"properties": {
            "success": {"type": "boolean"},
            "error": {
                "type": "object",
                "description": "Present when success is false",
                "properties": {
                    "type": {"type": "string", "enum": types},
                    "message": {"type": "string"},
                    "details": {"type": "object"},
                    "suggestion": {"type": "string"},
                },
            },
            "connection": {"type": "object", "properties": {"server_url": {"type": "string"}}},
            "metadata": {"type": "object", "properties": {"request_time_ms": {"type": "integer", "minimum": 0}}},
        }}),
    );
    declaration
}

/// Adds what a schema says about the form of its values.
pub(super) fn read_form(schema: &Value, form: &mut Form) {
    let words = schema["enum"].as_array().into_iter().flatten().filter_map(Value::as_str);
    form.words.extend(words.map(str::to_owned));
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        form.words.insert(name.clone());
        if property["type"].to_string().contains("\"integer\"") {
            form.numbers.insert(name.clone());
        }
        read_form(property, form);
    }
    if schema["items"].is_object() {
        read_form(&schema["items"], form);
    }
}

fn extend(declaration: &mut Declaration) {
    let (input, returns) = match declaration.name.as_str() {
        "connect_to_server" => {
            // Either of `url` and `command`; a combinator at the root is more than some providers take.
            declaration.input.as_object_mut().map(|input| input.remove("required"));
            (connect_input(), connect_returns())
        }
        "disconnect" => (json!({"connection": connection_input()}), json!({"previous_connection": closed()})),
        "get_connection_status" => {
            if let Some(kind) = declaration.returns.pointer_mut("/properties/connection/type") {
                *kind = json!(["object", "null"]);
            }
            (
                json!({"connection": connection_input()}),
                json!({
                    "message": {"type": "string"},
                    "connection": connected(),
                    "statistics": {"properties": {"errors": {"type": "integer"}}},
                    "tester": {"type": "object", "description": "How this tester itself is served"},
                }),
            )
        }
        "list_tools" => (list_input(), json!({"tools": {"items": tool_item()}, "warnings": warnings()})),
        "call_tool" => (call_input(), call_returns()),
        "list_resources" => {
            (list_input(), json!({"resources": {"items": listed_item()}, "warnings": warnings()}))
        }
        "read_resource" => (
            request_input(),
            json!({
                "resource": {"properties": {
                    "contents": {"type": "array", "description": "Every content as sent"},
                }},
                "raw_exchanges": exchanges(),
            }),
        ),
        "list_prompts" => {
            (list_input(), json!({"prompts": {"items": listed_item()}, "warnings": warnings()}))
        }
        "get_prompt" => {
            let mut input = request_input();
            lay_over(&mut input, json!({"check_arguments": check_input()}));
            (input, json!({"raw_exchanges": exchanges()}))
        }
        _ => (json!({}), json!({})),
    };
    lay_over(&mut declaration.input, json!({ "properties": input }));
    lay_over(&mut declaration.returns, json!({ "properties": returns }));
}

fn connection_input() -> Value {
    json!({"type": "string", "description": "Name of the connection to use; without it the current one"})
}

fn timeout_input() -> Value {
    json!({"type": "integer", "minimum": 1, "maximum": 600_000, "description": "Milliseconds to wait for the server"})
}

fn check_input() -> Value {
    json!({"type": "boolean", "default": true, "description": "false sends arguments that do not match, to see what the server does"})
}

fn request_input() -> Value {
    json!({
        "connection": connection_input(),
        "timeout_ms": timeout_input(),
        "include_raw": {"type": "boolean", "default": false, "description": "Show the frames as sent and received"},
    })
}

fn list_input() -> Value {
    json!({
        "connection": connection_input(),
        "timeout_ms": timeout_input(),
        "verbose": {"type": "boolean", "default": false, "description": "true adds `raw`, the wire object, to every element; one with notes always has it"},
    })
}

fn connect_input() -> Value {
    let texts = |description: &str| json!({"type": "object", "additionalProperties": {"type": "string"}, "description": description});
    json!({
        "command": {"type": "string", "description": "Program of a local server, instead of url; started directly, never by a shell"},
        "args": {"type": "array", "items": {"type": "string"}, "description": "Arguments of the command"},
        "env": texts("Environment variables of the command; values are never shown"),
        "cwd": {"type": "string", "description": "Working directory of the command"},
        "headers": texts("HTTP headers for every request; values are never shown"),
        "auth": {
            "type": ["string", "object"],
            "description": "A bearer token; or \"oauth\" for a login kept by mortise; or {\"type\":\"bearer\",\"token\":…} or {\"type\":\"oauth\",\"scopes\":[…]}",
        },
        "timeout_ms": timeout_input(),
        "connection": {
            "type": "string",
            "description": "Name of the new connection, to have several side by side; a connection of that name is closed once the new one is open",
        },
        "answers": {
            "type": "object",
            "description": "What to answer when the server asks its client; only what is here is offered to it",
            "properties": {
                "elicitation": {"type": "array", "items": {"type": "object"}, "description": "Results such as {\"action\":\"accept\",\"content\":{…}}, in turn; the last one is repeated"},
                "sampling": {"type": "array", "items": {"type": "object"}, "description": "Results of sampling/createMessage, in turn; the last one is repeated"},
                "roots": {"type": "array", "items": {"type": "object"}, "description": "Roots such as {\"uri\":\"file:///…\"}"},
            },
            "additionalProperties": false,
        },
    })
}

fn connected() -> Value {
    json!({"properties": {
        "name": {"type": "string"},
        "state": {"type": "string"},
        "protocol_version": {"type": "string"},
        "era": {"type": "string", "enum": ["legacy", "modern"]},
        "capabilities": {"type": "object"},
        "client_capabilities": {"type": "object"},
        "instructions": {"type": "string"},
        "error": {"type": "string", "description": "Why the connection is lost"},
        "stderr": {"type": "string"},
    }})
}

fn closed() -> Value {
    json!({"type": "object", "properties": {
        "server_url": {"type": "string"},
        "connected_at": {"type": "string"},
        "disconnected_at": {"type": "string"},
        "name": {"type": "string"},
        "statistics": {"type": "object"},
    }})
}

fn connect_returns() -> Value {
    json!({"connection": connected(), "previous_connection": closed(), "warnings": warnings()})
}

fn warnings() -> Value {
    json!({"type": "array", "items": {"type": "string"}})
}

fn exchanges() -> Value {
    json!({"type": "array", "items": {"type": "object", "properties": {
        "method": {"type": "string"},
        "request": {"type": ["string", "null"], "description": "The frame as sent"},
        "response": {"type": ["string", "null"], "description": "The frame as received"},
        "duration_ms": {"type": ["integer", "null"]},
    }}})
}

fn listed_item() -> Value {
    json!({"properties": {
        "raw": {"description": "The element as the server sent it"},
        "notes": {"type": "array", "items": {"type": "string"}},
    }})
}

fn tool_item() -> Value {
    json!({"properties": {
        "title": {"type": "string"},
        "output_schema": {"description": "Complete JSON schema for the tool's structured output"},
        "annotations": {},
        "icons": {},
        "execution": {},
        "_meta": {},
        "issues": {"type": "array", "items": {"type": "object"}, "description": "What is wrong with the declaration"},
        "raw": {"description": "The element as the server sent it"},
        "notes": {"type": "array", "items": {"type": "string"}},
    }})
}

fn call_input() -> Value {
    let mut input = request_input();
    lay_over(
        &mut input,
        json!({
            "check_arguments": check_input(),
            "strict": {"type": "boolean", "default": false, "description": "true makes a result that breaks the output schema, or can't be checked by it, a failure"},
        }),
    );
    input
}

fn call_returns() -> Value {
    json!({
        "contract": {
            "type": "object",
            "description": "Whether the result keeps the tool's output schema",
            "properties": {
                "status": {"type": "string", "enum": ["valid", "invalid", "missing", "recovered_from_text", "unchecked"]},
                "reason": {"type": "string", "description": "Why it is unchecked"},
                "errors": {"type": "array", "items": {"type": "object"}},
                "total_errors": {"type": "integer"},
                "truncated": {"type": "boolean"},
                "notes": {"type": "array", "items": {"type": "string"}},
            },
        },
        "tool_call": {"properties": {"protocol_faults": {"type": "array", "items": {"type": "string"}}}},
        "raw_exchanges": exchanges(),
        "warnings": warnings(),
    })
}

fn more() -> Vec<Declaration> {
    let tool = |name: &str, description: &str, input: Value, returns: Value| Declaration {
        name: name.to_owned(),
        description: description.to_owned(),
        input,
        returns: json!({"type": "object", "properties": returns}),
    };
    let object = |properties: Value| json!({"type": "object", "properties": properties});
    let count = |default: u64| json!({"type": "integer", "minimum": 1, "default": default, "description": "How many of the latest to show"});
    let summary = json!({"type": "array", "items": {"type": "object", "properties": {
        "name": {"type": "string"},
        "is_current": {"type": "boolean"},
        "connected": {"type": "boolean"},
        "server_url": {"type": "string"},
        "statistics": {"type": "object"},
    }}});
    let violations = json!({"type": "array", "items": {"type": "object"}});
    vec![
        tool(
            "list_connections",
            "Lists every connection of this tester with its state and statistics, and says which is the current one.",
            object(json!({})),
            json!({"connections": summary}),
        ),
        tool(
            "switch_connection",
            "Makes another open connection the current one, on which all other tools act.",
            json!({"type": "object", "properties": {"connection": {"type": "string", "description": "Name of the connection (as returned by list_connections)"}}, "required": ["connection"]}),
            json!({"connection": {"type": "object"}, "message": {"type": "string"}}),
        ),
        tool(
            "disconnect_all",
            "Closes every connection of this tester.",
            object(json!({})),
            json!({"message": {"type": "string"}, "previous_connections": {"type": "array", "items": closed()}}),
        ),
        tool(
            "validate_arguments",
            "Checks arguments against a tool's input schema without calling the tool. Returns every violation with its place; nothing is sent.",
            json!({"type": "object", "properties": {
                "name": {"type": "string", "description": "Name of the tool (as returned by list_tools)"},
                "arguments": {"type": "object", "description": "Arguments to check"},
                "connection": connection_input(),
            }, "required": ["name"]}),
            json!({
                "status": {"type": "string", "enum": ["valid", "invalid", "unchecked"]},
                "reason": {"type": "string"},
                "violations": violations,
                "total_violations": {"type": "integer"},
            }),
        ),
        tool(
            "list_resource_templates",
            "Retrieves all resource templates from the currently connected MCP server, with complete metadata.",
            object(list_input()),
            json!({"resource_templates": {"type": "array", "items": listed_item()}, "warnings": warnings()}),
        ),
        tool(
            "complete_argument",
            "Asks the currently connected MCP server to complete an argument of a prompt or of a resource template.",
            json!({"type": "object", "properties": {
                "prompt": {"type": "string", "description": "Name of the prompt whose argument is completed"},
                "uri_template": {"type": "string", "description": "Resource template whose variable is completed, instead of prompt"},
                "argument": {"type": "string", "description": "Name of the argument or variable"},
                "value": {"type": "string", "description": "What has been typed so far"},
                "context": {"type": "object", "additionalProperties": {"type": "string"}, "description": "Arguments that are filled in already"},
                "connection": connection_input(),
                "timeout_ms": timeout_input(),
            }, "required": ["argument"]}),
            json!({"completion": {"type": "object"}}),
        ),
        tool(
            "test_server",
            "Looks at the whole currently connected MCP server in one call. quick lists everything and checks every declaration; full also calls the tools that say they only read, with arguments made from their schemas, reads the first resource and gets the first prompt. Returns pass or fail per item, and every finding with evidence and a fix.",
            object(json!({
                "mode": {"type": "string", "enum": ["quick", "full"], "default": "quick"},
                "safe_only": {"type": "boolean", "default": true, "description": "false also calls tools that may change something"},
                "seed": {"type": "integer", "minimum": 0, "default": 0, "description": "Where made-up arguments come from; the same seed gives the same ones"},
                "connection": connection_input(),
                "timeout_ms": timeout_input(),
            })),
            json!({
                "summary": {"type": "object", "properties": {
                    "passed": {"type": "integer"}, "failed": {"type": "integer"}, "skipped": {"type": "integer"}, "calls": {"type": "integer"},
                }},
                "exit_class": {"type": "string"},
                "items": {"type": "array", "items": {"type": "object", "properties": {
                    "kind": {"type": "string"}, "name": {"type": "string"},
                    "status": {"type": "string", "enum": ["pass", "fail", "skipped"]},
                    "detail": {"type": "string"}, "ms": {"type": "integer", "description": "All its calls together"},
                    "calls": {"type": "array", "items": {"type": "object", "properties": {
                        "arguments": {"type": "string"}, "kind": {"type": "string"},
                        "verdict": {"type": "string"}, "ms": {"type": "integer"},
                    }}},
                }}},
                "findings": {"type": "array", "items": {"type": "object"}},
            }),
        ),
        tool(
            "get_server_capabilities",
            "Shows what the currently connected MCP server said about itself: capabilities, protocol version and era, instructions, and its whole answer to the handshake.",
            object(json!({"connection": connection_input()})),
            json!({"server": {"type": "object"}, "raw": {"description": "The server's answer to the handshake"}}),
        ),
        tool(
            "get_notifications",
            "Shows what the currently connected MCP server sent on its own account: log messages, changes, requests to its client with what they were answered, and breaches of the protocol.",
            object(json!({"connection": connection_input(), "count": count(50)})),
            json!({"notifications": {"type": "array", "items": {"type": "object"}}, "total": {"type": "integer"}, "protocol_faults": {"type": "object"}}),
        ),
        tool(
            "get_raw_exchange",
            "Shows the latest requests to the currently connected MCP server and its answers, frame by frame as sent and received. Secrets that were given for the connection are redacted.",
            object(json!({"connection": connection_input(), "count": count(1)})),
            json!({"exchanges": exchanges(), "total": {"type": "integer"}}),
        ),
    ]
}
