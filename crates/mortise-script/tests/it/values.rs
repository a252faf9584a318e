//! Values on their way in and out: exactly, or refused.

use crate::hosts::{prints, program, run};

/// A Python expression as an argument arrives as this JSON.
#[track_caller]
fn argument(expression: &str, json: &str) {
    let report = run(program(&format!("{PREPARED}\nemit({expression})")));
    assert_eq!(report.error.map(|error| error.traceback), None);
    assert_eq!(report.emitted.expect("emitted").text(), json);
}

/// A Python expression as an argument is refused with this reason.
#[track_caller]
fn refused(expression: &str, reason: &str) {
    let report = run(program(&format!("{PREPARED}\nawait echo(x={expression})")));
    let error = report.error.expect("refused");
    assert_eq!(error.exception, "TypeError");
    assert_eq!(error.message, format!("arguments to echo must be JSON-serializable: {reason}"));
    assert!(report.calls.is_empty());
}

/// A JSON text arrives in a program as what prints like this.
#[track_caller]
fn result(json: &str, repr: &str) {
    prints(&format!("print(repr(await value(json={json:?})))"), &format!("{repr}\n"));
}

const PREPARED: &str = "
import dataclasses, datetime, decimal, enum, uuid, pathlib, collections, types, fractions
@dataclasses.dataclass
class Point:
    x: int
    y: 'Point | None' = None
class Colour(enum.Enum):
    RED = 'red'
class Level(enum.IntEnum):
    HIGH = 3
D = decimal.Decimal
utc = datetime.timezone.utc
loop = []
loop.append(loop)
deep = []
for _ in range(200):
    deep = [deep]";

#[test]
fn plain_values_arrive_as_they_are() {
    argument(
        "[None, True, False, 1, -2.5, 'ü€😀', {}, []]",
        r#"[null, true, false, 1, -2.5, "ü€😀", {}, []]"#,
    );
    argument("{'b': 1, 'a': 2}", r#"{"b": 1, "a": 2}"#);
    argument("'\\n\\x00\"\\\\'", r#""\n\u0000\"\\""#);
}

#[test]
fn integers_of_any_size_arrive_exactly() {
    argument("2**53 + 1", "9007199254740993");
    argument("10**30 + 7", "1000000000000000000000000000007");
    argument("-(10**5000)", &format!("-1{}", "0".repeat(5000)));
}

#[test]
fn objects_become_the_obvious_json() {
    argument("Point(1, Point(2))", r#"{"x": 1, "y": {"x": 2, "y": null}}"#);
    argument("datetime.date(2026, 1, 2)", r#""2026-01-02""#);
    argument("datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=utc)", r#""2026-01-02T03:04:05+00:00""#);
    argument("datetime.time(3, 4)", r#""03:04:00""#);
    argument("{3, 1, 2}", "[1, 2, 3]");
    argument("frozenset('ba')", r#"["a", "b"]"#);
    argument("(1, (2,))", "[1, [2]]");
    argument("[D('1.10'), D('1E+400'), D('-0.1')]", "[1.10, 1E+400, -0.1]");
    argument("uuid.UUID(int=1)", r#""00000000-0000-0000-0000-000000000001""#);
    argument("pathlib.Path('a/b')", r#""a/b""#);
    argument("[Colour.RED, Level.HIGH]", r#"["red", 3]"#);
    argument("collections.Counter('aab')", r#"{"a": 2, "b": 1}"#);
    argument("collections.defaultdict(int, a=1)", r#"{"a": 1}"#);
    argument(
        "[collections.deque([1]), range(2), {'k': 1}.keys(), {'k': 1}.values()]",
        r#"[[1], [0, 1], ["k"], [1]]"#,
    );
    argument("types.MappingProxyType({'a': 1})", r#"{"a": 1}"#);
    argument("types.SimpleNamespace(a=1)", r#"{"a": 1}"#);
    argument("{1: 'a', None: 'b', True: 'c'}", r#"{"1": "c", "null": "b"}"#);
}

#[test]
fn what_is_no_json_is_refused_with_a_reason() {
    refused(
        "float('nan')",
        "Out of range float values are not JSON compliant: nan, when serializing dict item 'x'",
    );
    refused(
        "[float('inf')]",
        "Out of range float values are not JSON compliant: inf, when serializing list item 0, when serializing dict item 'x'",
    );
    refused("D('NaN')", "NaN is no JSON number, when serializing dict item 'x'");
    refused("'\\ud800'", "a lone surrogate ('\\ud800') is no character");
    refused(
        "b'x'",
        "Object of type bytes is not JSON serializable: decode() them, or base64-encode them, when serializing dict item 'x'",
    );
    refused("object()", "Object of type object is not JSON serializable, when serializing dict item 'x'");
    refused(
        "datetime.timedelta(1)",
        "Object of type timedelta is not JSON serializable: use its total_seconds(), when serializing dict item 'x'",
    );
    refused(
        "(i for i in [])",
        "Object of type generator is not JSON serializable: make a list of it, when serializing dict item 'x'",
    );
    refused(
        "print",
        "Object of type builtin_function_or_method is not JSON serializable: call it, when serializing dict item 'x'",
    );
    refused(
        "int",
        "Object of type type is not JSON serializable: make an instance of it, when serializing dict item 'x'",
    );
    refused("1j", "Object of type complex is not JSON serializable, when serializing dict item 'x'");
    refused(
        "{(1, 2): 3}",
        "keys must be str, int, float, bool or None, not tuple, when serializing dict item 'x'",
    );
}

#[test]
fn cycles_and_depth_are_refused() {
    let error = run(program(&format!("{PREPARED}\nawait echo(x=loop)"))).error.unwrap();
    assert!(
        error.message.starts_with("arguments to echo must be JSON-serializable: Circular reference detected"),
        "{}",
        error.message
    );
    let error = run(program(&format!("{PREPARED}\nawait echo(x=deep)"))).error.unwrap();
    assert_eq!(error.message, "'echo' was not called: arguments nests 203 levels deep; the limit is 128");
    let error = run(program("x = []\nfor _ in range(200_000):\n    x = [x]\nemit(x)")).error.unwrap();
    assert_eq!(error.message, "emit() value must be JSON-serializable: it nests too deeply");
}

#[test]
fn nesting_at_the_limit_passes_both_ways() {
    let nest = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
    prints(&format!("r = await value(json='{}')\nprint(len(str(r)))", nest(127)), "254\n");
    let error = run(program(&format!("await value(json='{}')", nest(128)))).error.unwrap();
    assert_eq!(error.message, "'value' returned JSON that nests 129 levels deep; the limit is 128");
    prints(&format!("r = await echo(x={})\nprint(len(str(r['x'])))", nest(126)), "252\n");
    argument(&nest(123), &nest(123));
    let error = run(program(&format!("emit({})", nest(128).replace("[]", "[0]")))).error.unwrap();
    assert_eq!(error.message, "emit() value nests 129 levels deep; the limit is 124");
}

#[test]
fn results_arrive_exactly() {
    result("[1, -0, 1.0, 1.10, 1e3, 0.1]", "[1, 0, 1.0, 1.1, 1000.0, 0.1]");
    result("12345678901234567890123456789012345", "12345678901234567890123456789012345");
    result(r#"{"b": 1, "a": {"é": "\u00e9😀"}}"#, "{'b': 1, 'a': {'é': 'é😀'}}");
    result("[true, false, null]", "[True, False, None]");
    result("[1e400, -1e999, 1e308]", "[Decimal('1E+400'), Decimal('-1E+999'), 1e+308]");
    prints(
        "r = await value(json='9' * 5000)\nprint(r == 10**5000 - 1, (await echo(x=r))['x'] == r)",
        "True True\n",
    );
}

#[test]
fn an_argument_past_its_size_is_refused() {
    let mut past = program("await echo(x='a' * 100)");
    past.limits.arguments = 100;
    assert_eq!(
        run(past).error.unwrap().message,
        "'echo' was not called: arguments is 109 bytes; the limit is 100 (arguments of one call, 100 bytes)"
    );
    let mut at_limit = program("print(len((await echo(x='a' * 91))['x']))");
    at_limit.limits.arguments = 100;
    assert_eq!(run(at_limit).output, "91\n");
}
