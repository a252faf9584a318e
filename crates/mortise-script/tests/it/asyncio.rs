//! Every form of waiting that models write.

use crate::hosts::{fails, prints};

#[test]
fn asyncio_run_works_everywhere() {
    prints(
        "import asyncio\nasync def main():\n    return (await echo(x=1))['x']\n\
         if __name__ == '__main__':\n    print(asyncio.run(main()))",
        "1\n",
    );
    prints(
        "import asyncio\nasync def main(n):\n    await asyncio.sleep(0)\n    return (await echo(x=n))['x']\n\
         print(await main(1), asyncio.run(main(2)), await main(3))",
        "1 2 3\n",
    );
    prints(
        "import asyncio\nasync def inner():\n    return 5\nasync def outer():\n    return asyncio.run(inner())\n\
         print(asyncio.run(outer()))",
        "5\n",
    );
}

#[test]
fn older_ways_to_run_a_loop_work() {
    prints(
        "import asyncio\nasync def f(n):\n    return (await echo(n=n))['n']\n\
         loop = asyncio.get_event_loop()\nprint(loop.run_until_complete(f(1)))\nloop.close()\n\
         other = asyncio.new_event_loop()\nasyncio.set_event_loop(other)\nprint(other.run_until_complete(f(2)))\nother.close()\n\
         with asyncio.Runner() as runner:\n    print(runner.run(f(3)), runner.run(f(4)))\nprint(await f(5))",
        "1\n2\n3 4\n5\n",
    );
}

#[test]
fn gather_in_all_its_forms() {
    prints(
        "import asyncio\nprint(await asyncio.gather(echo(i=1), echo(i=2)))\n\
         print(await asyncio.gather(*[echo(i=i) for i in range(3)]))\nprint(await asyncio.gather())\n\
         r = await asyncio.gather(echo(i=1), fail(), return_exceptions=True)\nprint(r[0], type(r[1]).__name__, r[1])\n\
         try:\n    await asyncio.gather(echo(i=1), fail())\nexcept ToolError as e:\n    print('caught', e)\n\
         tasks = {n: asyncio.create_task(echo(n=n)) for n in 'ab'}\nprint({n: await t for n, t in tasks.items()})",
        "[{'i': 1}, {'i': 2}]\n[{'i': 0}, {'i': 1}, {'i': 2}]\n[]\n\
         {'i': 1} ToolError 'fail' returned an error: no such row\n\
         caught 'fail' returned an error: no such row\n{'a': {'n': 'a'}, 'b': {'n': 'b'}}\n",
    );
}

#[test]
fn task_groups_and_their_failures() {
    prints(
        "import asyncio\nasync with asyncio.TaskGroup() as group:\n    tasks = [group.create_task(echo(i=i)) for i in range(2)]\n\
         print([t.result()['i'] for t in tasks])\n\
         try:\n    async with asyncio.TaskGroup() as group:\n        group.create_task(fail())\n        group.create_task(never())\n\
         except* ToolError as e:\n    print(e.exceptions[0].kind)",
        "[0, 1]\ntool\n",
    );
}

#[test]
fn time_limits_of_the_program_end_calls() {
    prints(
        "import asyncio\ntry:\n    async with asyncio.timeout(0.01):\n        await never()\nexcept TimeoutError:\n    print('a')\n\
         try:\n    await asyncio.wait_for(never(), 0.01)\nexcept asyncio.TimeoutError:\n    print('b')\n\
         done, left = await asyncio.wait([asyncio.create_task(never()), asyncio.create_task(echo(x=1))], return_when=asyncio.FIRST_COMPLETED)\n\
         print(len(done), len(left), done.pop().result())\n[t.cancel() for t in left]",
        "a\nb\n1 1 {'x': 1}\n",
    );
}

#[test]
fn answers_come_as_they_are_ready() {
    prints(
        "import asyncio\nasync def after(n):\n    await asyncio.sleep(n / 1000)\n    return n\n\
         print([await c for c in asyncio.as_completed([after(30), after(1), after(15)])])\n\
         async for c in asyncio.as_completed([after(2)]):\n    print(await c)",
        "[1, 15, 30]\n2\n",
    );
}

#[test]
fn queues_semaphores_locks_events_and_conditions() {
    prints(
        "import asyncio\nqueue, limit, seen = asyncio.Queue(), asyncio.Semaphore(2), []\n\
         async def worker():\n    while True:\n        n = await queue.get()\n        async with limit:\n            seen.append((await echo(n=n))['n'])\n        queue.task_done()\n\
         for n in range(6):\n    queue.put_nowait(n)\nworkers = [asyncio.create_task(worker()) for _ in range(3)]\n\
         await queue.join()\n[w.cancel() for w in workers]\nprint(sorted(seen))\n\
         event = asyncio.Event()\nasync def waits():\n    await event.wait()\n    return 'set'\n\
         task = asyncio.create_task(waits())\nawait asyncio.sleep(0)\nevent.set()\nprint(await task)",
        "[0, 1, 2, 3, 4, 5]\nset\n",
    );
}

#[test]
fn async_generators_and_comprehensions() {
    prints(
        "async def pages():\n    for n in range(3):\n        yield (await echo(n=n))['n']\n\
         print([n async for n in pages()], {n: n async for n in pages() if n})\n\
         async for n in pages():\n    if n == 1:\n        break\nprint(n)",
        "[0, 1, 2] {1: 1, 2: 2}\n1\n",
    );
}

#[test]
fn threads_pools_and_executors_run_inline() {
    prints(
        "import asyncio\nfrom concurrent.futures import ThreadPoolExecutor, ProcessPoolExecutor, as_completed\n\
         def square(n):\n    return n * n\n\
         print(await asyncio.to_thread(square, 3))\nloop = asyncio.get_running_loop()\n\
         print(await loop.run_in_executor(None, square, 4))\n\
         with ThreadPoolExecutor(max_workers=4) as pool:\n    print(list(pool.map(square, range(4))))\n    \
         print(sorted(f.result() for f in as_completed([pool.submit(square, n) for n in (2, 1)])))\n    \
         print(await loop.run_in_executor(pool, square, 5))\n\
         with ProcessPoolExecutor() as pool:\n    bad = pool.submit(square, None)\n    print(type(bad.exception()).__name__)",
        "9\n16\n[0, 1, 4, 9]\n[1, 4]\n25\nTypeError\n",
    );
}

#[test]
fn a_thread_says_what_to_use() {
    prints(
        "import threading\ntry:\n    threading.Thread(target=print).start()\nexcept RuntimeError as e:\n    print(e)",
        "can't start new thread: programs have one thread. Use asyncio.gather for tool calls; \
         asyncio.to_thread and executors run inline.\n",
    );
}

#[test]
fn tasks_left_over_are_cancelled_at_the_end() {
    prints(
        "import asyncio\nasync def later():\n    try:\n        await asyncio.sleep(30)\n        print('LEAKED')\n    finally:\n        print('cleaned')\n\
         asyncio.get_running_loop().create_task(later())\nawait asyncio.sleep(0)\nprint('main done')",
        "main done\ncleaned\n",
    );
}

#[test]
fn a_task_that_will_not_end_holds_the_end_up_only_briefly() {
    prints(
        "import asyncio\nasync def stubborn():\n    while True:\n        try:\n            await asyncio.sleep(30)\n        except asyncio.CancelledError:\n            pass\n\
         asyncio.create_task(stubborn())\nawait asyncio.sleep(0)\nprint('done')",
        "done\n",
    );
}

#[test]
fn waiting_for_what_can_never_happen_ends_at_once() {
    fails(
        "import asyncio\nasync def main():\n    await asyncio.Event().wait()\nawait main()",
        "Traceback (most recent call last):\n  File \"<program>\", line 4, in <module>\n    await main()\n  \
         File \"<program>\", line 3, in main\n    await asyncio.Event().wait()\n\
         RuntimeError: this await can never finish: no tool call and no timer is pending",
    );
}

#[test]
fn a_failed_task_that_nobody_awaits_is_reported_in_the_output() {
    let report = crate::hosts::run(crate::hosts::program(
        "import asyncio\nasync def bad():\n    raise ValueError('lost')\nasyncio.create_task(bad())\nawait asyncio.sleep(0)\nprint('end')",
    ));
    assert!(report.is_ok());
    assert!(report.output.contains("Task exception was never retrieved\n"), "{}", report.output);
    assert!(report.output.contains("ValueError: lost\n"), "{}", report.output);
}

#[test]
fn a_tool_called_without_await_is_named() {
    prints(
        "rows = mcp__s__t(x=1)\nprint('end')",
        "end\n<program>:1: RuntimeWarning: coroutine 'mcp__s__t' was never awaited: \
         the tool was not called, write `await mcp__s__t(...)`\n  rows = mcp__s__t(x=1)\n",
    );
}
