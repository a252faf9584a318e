"""Thread and process pools that run inline: there is one thread."""

import importlib.machinery
import sys


def inline_executor(name):
    """An executor class that runs what it is given at once."""
    from concurrent.futures import Executor, Future

    class InlineExecutor(Executor):
        def __init__(self, max_workers=None, *args, **kwargs):
            if max_workers is not None and max_workers <= 0:
                raise ValueError("max_workers must be greater than 0")
            self._shutdown = False

        def submit(self, function, /, *args, **kwargs):
            if self._shutdown:
                raise RuntimeError("cannot schedule new futures after shutdown")
            future = Future()
            future.set_running_or_notify_cancel()
            try:
                future.set_result(function(*args, **kwargs))
            except Exception as error:
                future.set_exception(error)
            return future

        def shutdown(self, wait=True, *, cancel_futures=False):
            self._shutdown = True

    InlineExecutor.__name__ = InlineExecutor.__qualname__ = name
    return InlineExecutor


class ExecutorModules:
    """Stands in for the two modules that hold the executors, when they are first asked for."""

    CLASSES = {
        "concurrent.futures.thread": "ThreadPoolExecutor",
        "concurrent.futures.process": "ProcessPoolExecutor",
    }

    def find_spec(self, name, path=None, target=None):
        if name in self.CLASSES:
            return importlib.machinery.ModuleSpec(name, self)

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = self.CLASSES[module.__name__]
        setattr(module, name, inline_executor(name))


sys.meta_path.insert(0, ExecutorModules())
