//! Programs and their plans.

use super::plan_calls;

/// A plan as `t×20@14,15 u×any@3 lookups@7`, with the common prefix of names left out.
fn shown(source: &str) -> String {
    let plan = plan_calls(source);
    let lines = |lines: &[u32]| lines.iter().map(u32::to_string).collect::<Vec<_>>().join(",");
    let mut parts: Vec<String> = Vec::new();
    for planned in &plan.tools {
        let name = planned.tool.trim_start_matches("mcp__s__");
        let count = planned.at_most.map_or("any".to_owned(), |count| count.to_string());
        parts.push(format!("{name}×{count}@{}", lines(&planned.lines)));
    }
    if !plan.lookups.is_empty() {
        parts.push(format!("lookups@{}", lines(&plan.lookups)));
    }
    parts.join(" ")
}

#[track_caller]
fn check(source: &str, expected: &str) {
    assert_eq!(shown(source), expected, "{source}");
}

#[test]
fn calls_outside_of_loops_count_once_each() {
    check("print(1)", "");
    check("await mcp__s__t()", "t×1@1");
    check("a = await mcp__s__t()\nb = await mcp__s__t(x=await mcp__s__u())", "t×2@1,2 u×1@2");
    check("if x:\n    await mcp__s__t()\nelse:\n    await mcp__s__u()", "t×1@2 u×1@4");
    check("try:\n    await mcp__s__t()\nexcept ToolError:\n    await mcp__s__t()", "t×2@2,4");
    check("import asyncio\nawait asyncio.gather(mcp__s__t(), mcp__s__t())", "t×2@2");
    check("'mcp__s__t' # mcp__s__u", "");
}

#[test]
fn loops_over_what_has_a_known_length_are_counted() {
    for (iterated, expected) in [
        ("range(20)", "20"),
        ("range(5, 20)", "15"),
        ("range(0, 100, 30)", "4"),
        ("range(10, 0, -1)", "10"),
        ("range(20, 5)", "0"),
        ("[1, 2, 3]", "3"),
        ("(1, 2, *range(4))", "6"),
        ("{1: 2, 3: 4}.items()", "2"),
        ("'abc'", "3"),
        ("rows[:20]", "20"),
        ("rows[5:20]", "15"),
        ("rows[-3:]", "3"),
        ("rows[:n]", "any"),
        ("rows[5:]", "any"),
        ("rows", "any"),
        ("enumerate(rows[:7])", "7"),
        ("sorted(rows)[:7]", "7"),
        ("zip(rows, range(4))", "4"),
        ("map(str, [1, 2])", "2"),
        ("[r for r in rows[:9] if r]", "9"),
        ("range(min(20, len(rows)))", "20"),
        ("range(len([1, 2]))", "2"),
        ("[1] + [2, 3]", "3"),
        ("[1] if rows else [1, 2]", "2"),
        ("itertools.islice(rows, 6)", "6"),
        ("range(10**9)", "any"),
        ("range(10000000)", "any"),
        ("range()", "any"),
        ("range(0, 5, 0)", "0"),
    ] {
        let source = format!("import itertools\nfor row in {iterated}:\n    await mcp__s__t(row=row)");
        check(&source, &if expected == "0" { String::new() } else { format!("t×{expected}@3") });
    }
}

#[test]
fn names_of_constants_are_followed_unless_they_change() {
    check("N = 4\nfor i in range(N):\n    await mcp__s__t()", "t×4@3");
    check("N = 4\nN += 1\nfor i in range(N):\n    await mcp__s__t()", "t×any@4");
    check("ids = [1, 2]\nfor i in ids:\n    await mcp__s__t()", "t×2@3");
    check("ids = [1, 2]\nids.append(3)\nfor i in ids:\n    await mcp__s__t()", "t×any@4");
    check("ids = []\nfill(ids)\nfor i in ids:\n    await mcp__s__t()", "t×any@4");
    check("ids = ids[:3]\nfor i in ids:\n    await mcp__s__t()", "t×3@3");
    check("a = b\nb = a\nfor i in a:\n    await mcp__s__t()", "t×any@4");
    check("def range(n):\n    return n\nfor i in range(3):\n    await mcp__s__t()", "t×any@4");
}

#[test]
fn loops_within_loops_multiply() {
    check("for a in range(3):\n    for b in range(4):\n        await mcp__s__t()", "t×12@3");
    check("x = [await mcp__s__t() for a in range(3) for b in 'ab' if await mcp__s__u()]", "t×6@1 u×6@1");
    check("import asyncio\nawait asyncio.gather(*[mcp__s__t(i=i) for i in range(5)])", "t×5@2");
    check("import asyncio\nawait asyncio.gather(*(mcp__s__t(i=i) for i in rows[:8]))", "t×8@2");
    check("for a in range(3):\n    pass\nelse:\n    await mcp__s__t()", "t×1@4");
    check("while await mcp__s__u():\n    await mcp__s__t()", "t×any@2 u×any@1");
    check("for a in await mcp__s__u():\n    for b in []:\n        await mcp__s__t()", "u×1@1");
}

#[test]
fn calls_in_helpers_count_as_often_as_the_helper_is_called() {
    let helper = "async def helper(x):\n    await mcp__s__t()\n";
    check(helper, "");
    check(&format!("{helper}await helper(1)\nawait helper(2)"), "t×2@2");
    check(&format!("{helper}for i in range(5):\n    await helper(i)"), "t×5@2");
    check(
        &format!(
            "{helper}async def outer():\n    await helper(1)\n    await helper(2)\nawait outer()\nawait outer()"
        ),
        "t×4@2",
    );
    check(&format!("{helper}import asyncio\nawait asyncio.gather(*map(helper, [1, 2]))"), "t×any@2");
    check(
        &format!(
            "{helper}import asyncio\nasync with asyncio.TaskGroup() as group:\n    for i in range(3):\n        group.create_task(helper(i))"
        ),
        "t×3@2",
    );
    check("async def again(n):\n    await mcp__s__t()\n    await again(n - 1)\nawait again(3)", "t×any@2");
    check(
        "async def a():\n    await b()\nasync def b():\n    await a()\n    await c()\nasync def c():\n    await mcp__s__t()\nawait a()",
        "t×any@7",
    );
    check(
        "class Api:\n    async def get(self):\n        return await mcp__s__t()\napi = Api()\nawait api.get()\nawait api.get()",
        "t×2@3",
    );
    check(
        "class Api:\n    async def __aenter__(self):\n        return await mcp__s__t()\nasync with Api():\n    pass",
        "t×any@3",
    );
    check("@cached\nasync def get():\n    return await mcp__s__t()\nawait get()", "t×any@3");
}

#[test]
fn tools_that_are_passed_on_are_called_any_number_of_times() {
    check("call = mcp__s__t\nawait call()", "t×any@1");
    check("tools = {'a': mcp__s__t}\nawait tools['a']()", "t×any@1");
    check("get = lambda x: mcp__s__t(x=x)\nawait get(1)", "t×any@1");
    check("import functools\nget = functools.partial(mcp__s__t, x=1)", "t×any@2");
}

#[test]
fn look_ups_by_text_are_named() {
    check("await globals()['mcp__' + name]()", "lookups@1");
    check("x = 1\nawait eval('mcp__s__t')()", "lookups@2");
    check("import __main__\nawait getattr(__main__, name)()", "lookups@1");
    check("import sys\nsys.modules['__main__']", "lookups@2");
    check("row = getattr(page, 'rows')", "");
}

#[test]
fn what_can_not_be_read_is_any_number_of_calls() {
    check("await mcp__s__t(", "t×any@1 lookups@1");
    check(&format!("await mcp__s__t()\nx = {}1{}", "(".repeat(5000), ")".repeat(5000)), "t×any@1 lookups@1");
}

/// What is read at all fits the stack of any thread that reads it.
#[test]
fn the_highest_tower_that_is_read_fits_the_stack() {
    let levels = crate::limits::CHECK_LEVELS - 5;
    for (open, inner, close) in [
        ("(", "1", ")"),
        ("[", "1", "]"),
        ("not ", "x", ""),
        ("lambda: ", "x", ""),
        ("f(", "1", ")"),
        ("x + ", "1", ""),
        ("x[", "1", "]"),
    ] {
        // A lambda takes two levels.
        let levels = if open == "lambda: " { levels / 2 } else { levels };
        let tower = format!("x = {}{inner}{}\n", open.repeat(levels), close.repeat(levels));
        check(&format!("{tower}await mcp__s__t()"), "t×1@2");
    }
    let comprehensions = "[x for x in ".repeat(levels / 4);
    check(&format!("x = {comprehensions}y{}\nawait mcp__s__t()", "]".repeat(levels / 4)), "t×1@2");
}

#[test]
fn a_long_chain_of_helpers_is_followed() {
    let mut source = "async def f0():\n    await mcp__s__t()\n".to_owned();
    for n in 1..3000 {
        source.push_str(&format!("async def f{n}():\n    await f{}()\n", n - 1));
    }
    source.push_str("await f2999()\n");
    check(&source, "t×1@2");
}

mod laws {
    use proptest::prelude::*;

    use super::super::plan_calls;

    proptest! {
        /// Nothing panics, and the same source gives the same plan.
        #[test]
        fn any_text_has_one_plan(source in "[a-c(){}\\[\\]:, =*\n0-9]{0,40}|(for x in |range\\(|mcp__s__t\\(\\)|\\)|:|\n|    |def f\\(\\)|f\\(\\)|while |lambda: |\\[){0,14}") {
            prop_assert_eq!(plan_calls(&source), plan_calls(&source));
        }
    }
}
