//! Programs whose types never end, and those that only look like it.

use crate::checker::Checker;
use crate::finding::Unchecked;
use crate::request::{CheckRequest, Mode};

fn unchecked(source: &str) -> Option<Unchecked> {
    let request = CheckRequest::new(source, Mode::Guard);
    Checker::new().check_within(request, std::time::Duration::from_secs(600)).unchecked
}

#[test]
fn types_without_end_are_not_followed() {
    let uses = ["return x.foo", "return x['a']", "return [y for y in x]", "return x()"];
    let types = [
        "type A = A | int",
        "type A = 'A | int'",
        "type A = B | int\ntype B = A | str",
        "from typing import Optional\ntype A = Optional[A]",
        "import typing\ntype A = typing.Union[A, int]",
        "from typing import Annotated\ntype A = Annotated[A, 1] | int",
        "type A[T] = A[list[T]] | T",
        "from typing import TypeAlias\nA: TypeAlias = 'A | int'",
        "from typing import TypeAliasType\nA = TypeAliasType('A', 'A | int')",
        "from typing import Union\nA = Union['A', int]",
        "class A:\n    __call__: 'A'",
        "class A:\n    __call__: 'A | None'",
        "class A:\n    @property\n    def __call__(self) -> 'A': ...",
        "class B:\n    __call__: 'A'\nclass A:\n    if True:\n        __call__: B",
        "class M(type):\n    __call__: 'M'\nclass A(metaclass=M):\n    pass",
        "def make() -> 'A': ...\nclass A:\n    __call__ = make()",
        "class A: pass\nA.__call__ = A()",
        "class A:\n    __init__: 'type[A]'\nA()",
        "class A:\n    @property\n    def __init__(self) -> 'type[A]': ...\nA()",
        "class A[T]:\n    __new__: 'type[A[list[T]]]'\nA()",
        "class A:\n    __init__ = (lambda: A)()\nA()",
    ];
    for declared in types {
        for used in uses {
            let source = format!("{declared}\ndef f(x: A):\n    {used}\n");
            assert_eq!(unchecked(&source), Some(Unchecked::Endless), "{source}");
        }
    }
}

#[test]
fn types_with_an_end_are_checked() {
    for source in [
        "type Json = dict[str, Json] | list[Json] | str\ndef f(x: Json): return x.foo\n",
        "type Tree = tuple[int, Tree | None]\ndef f(x: Tree): return x[1]\n",
        "type A = B | int\ntype B = str\ndef f(x: A): return x\n",
        "class Node:\n    next: 'Node | None' = None\nprint(Node().next)\n",
        "class Adder:\n    def __call__(self, n: int) -> 'Adder':\n        return self\nprint(Adder()(1)(2))\n",
        "x = 1\nx = x | 2\nname = 'the name' + 'x'\nprint(x, name)\n",
    ] {
        assert_eq!(unchecked(source), None, "{source}");
    }
}
