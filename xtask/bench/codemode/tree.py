"""What the processes below this one use, from /proc: memory and CPU time, one program left out."""

import os
import threading
from pathlib import Path

TICK_MS = 1_000 / os.sysconf("SC_CLK_TCK")
PAGE_KIB = os.sysconf("SC_PAGE_SIZE") // 1024


class Tree:
    """All descendants, except processes that run `script` and what is below them."""

    def __init__(self, script):
        self.script = os.fsencode(script)

    def stats(self):
        """The fields of /proc/PID/stat after the name, of each process."""
        found, children = {}, {}
        for entry in Path("/proc").iterdir():
            if not entry.name.isdigit():
                continue
            try:
                fields = (entry / "stat").read_text().rpartition(") ")[2].split()
                runs_script = self.script in (entry / "cmdline").read_bytes().split(b"\0")[1:2]
            except OSError:  # ended in the meantime
                continue
            found[int(entry.name)] = fields
            if not runs_script:
                children.setdefault(int(fields[1]), []).append(int(entry.name))
        below, left = [], [os.getpid()]
        while left:
            for child in children.get(left.pop(), []):
                below.append(found[child])
                left.append(child)
        return below

    def resident_kib(self):
        return sum(int(fields[21]) for fields in self.stats()) * PAGE_KIB

    def cpu_ms(self):
        """User and system time, of ended and awaited children too."""
        return sum(int(time) for fields in self.stats() for time in fields[11:15]) * TICK_MS


class Peak:
    """The largest resident set of the tree while a block runs, looked at every five milliseconds."""

    def __init__(self, tree):
        self.tree = tree
        self.kib = 0
        self.ended = threading.Event()
        self.watcher = threading.Thread(target=self.watch)

    def watch(self):
        while True:
            self.kib = max(self.kib, self.tree.resident_kib())
            if self.ended.wait(0.005):
                return

    def __enter__(self):
        self.watcher.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.watcher.join()
