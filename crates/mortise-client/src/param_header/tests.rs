use super::*;

fn headers_of(properties: &str) -> Result<ParamHeaders, String> {
    let tool = format!(r#"{{"name":"t","inputSchema":{{"type":"object","properties":{properties}}}}}"#);
    let contract = Contract::parse(RawJson::parse(&tool).unwrap()).unwrap();
    ParamHeaders::read(&contract).map_err(|error| error.to_string())
}

#[track_caller]
fn check(properties: &str, arguments: &str, expected: &[(&str, &str)]) {
    let arguments = RawJson::parse(arguments).unwrap();
    let found = headers_of(properties).unwrap().of(&arguments);
    let found: Vec<(&str, &str)> =
        found.iter().map(|(name, value)| (name.as_str(), value.to_str().unwrap())).collect();
    assert_eq!(found, expected);
}

#[track_caller]
fn check_wrong(properties: &str, expected: &str) {
    assert_eq!(headers_of(properties).unwrap_err(), expected);
}

const REGION: &str = r#"{"region":{"type":"string","x-mcp-header":"Region"}}"#;

#[test]
fn arguments_are_copied_to_headers() {
    check(REGION, r#"{"region":"eu-west"}"#, &[("mcp-param-region", "eu-west")]);
    check(
        r#"{"n":{"type":"integer","x-mcp-header":"N"},"b":{"type":"boolean","x-mcp-header":"B"}}"#,
        r#"{"n":123456789012345678901234567890,"b":false}"#,
        &[("mcp-param-n", "123456789012345678901234567890"), ("mcp-param-b", "false")],
    );
    check(
        r#"{"a":{"type":"object","properties":{"b":{"type":"string","x-mcp-header":"AB"}}}}"#,
        r#"{"a":{"b":"deep"}}"#,
        &[("mcp-param-ab", "deep")],
    );
}

#[test]
fn what_is_absent_has_no_header() {
    check(REGION, "{}", &[]);
    check(REGION, r#"{"region":null}"#, &[]);
    check(r#"{"region":{"type":"string"}}"#, r#"{"region":"x"}"#, &[]);
}

#[test]
fn unsafe_values_go_as_base64() {
    check(REGION, r#"{"region":"zürich"}"#, &[("mcp-param-region", "=?base64?esO8cmljaA==?=")]);
    check(REGION, r#"{"region":" x"}"#, &[("mcp-param-region", "=?base64?IHg=?=")]);
    check(REGION, r#"{"region":"a\r\nb"}"#, &[("mcp-param-region", "=?base64?YQ0KYg==?=")]);
    check(
        REGION,
        r#"{"region":"=?base64?eA==?="}"#,
        &[("mcp-param-region", "=?base64?PT9iYXNlNjQ/ZUE9PT89?=")],
    );
    check(REGION, r#"{"region":""}"#, &[("mcp-param-region", "")]);
}

#[test]
fn wrong_annotations_are_told() {
    let property = |schema: &str| format!(r#"{{"p":{schema}}}"#);
    check_wrong(
        &property(r#"{"type":"string","x-mcp-header":"a\r\nb"}"#),
        "`x-mcp-header` of `p` is not a header name",
    );
    check_wrong(&property(r#"{"type":"string","x-mcp-header":""}"#), "`x-mcp-header` of `p` is empty");
    check_wrong(&property(r#"{"type":"string","x-mcp-header":7}"#), "`x-mcp-header` of `p` is not a string");
    check_wrong(
        &property(r#"{"type":"number","x-mcp-header":"N"}"#),
        "`x-mcp-header` of `p` is on a property that is neither string nor integer nor boolean",
    );
    check_wrong(
        r#"{"a":{"type":"string","x-mcp-header":"X"},"b":{"type":"string","x-mcp-header":"x"}}"#,
        "`x-mcp-header` of `b` was used before",
    );
    check_wrong(
        &property(r#"{"type":"array","items":{"type":"string","x-mcp-header":"X"}}"#),
        "`x-mcp-header` stands where only a property of the arguments may have it",
    );
    check_wrong(
        &property(r#"{"anyOf":[{"type":"string","x-mcp-header":"X"}]}"#),
        "`x-mcp-header` stands where only a property of the arguments may have it",
    );
}

#[test]
fn an_annotation_inside_a_value_is_no_annotation() {
    check(r#"{"p":{"type":"object","default":{"x-mcp-header":7}}}"#, "{}", &[]);
    check(r#"{"x-mcp-header":{"type":"string"}}"#, r#"{"x-mcp-header":"v"}"#, &[]);
}
