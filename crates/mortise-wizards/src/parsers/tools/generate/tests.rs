use mortise_formats::format::{BridgeResults, ParserExecution, RuntimeFault, TestCases};

use super::*;

#[test]
fn the_column_of_a_bad_cell_is_found_in_its_message() {
    let results = |class: &str, message: &str| ValidationResults {
        is_valid: false,
        execution: ParserExecution::Failed,
        skip_reason: None,
        syntax_errors: Vec::new(),
        import_errors: Vec::new(),
        runtime_errors: vec![RuntimeFault {
            class: class.to_owned(),
            message: message.to_owned(),
            line: None,
        }],
        warnings: Vec::new(),
        bridge: BridgeResults { valid: true, topic: None, sink: None, errors: Vec::new() },
        test_cases: TestCases::default(),
        row_count: None,
        test_output: None,
        reconciliation: None,
    };
    for (message, expected) in [
        ("row 3, column 'price': '1,000' can't be converted", Some("price")),
        ("row 3, column \"it's\": 'x' can't be converted", Some("it's")),
        ("something else", None),
    ] {
        assert_eq!(failed_column(&results("CellError", message)).as_deref(), expected);
    }
    assert_eq!(failed_column(&results("ValueError", "row 3, column 'price': x")), None);
}
