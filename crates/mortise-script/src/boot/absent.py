"""What programs do not have fails with a sentence that says what to do instead."""

import builtins
import importlib.util
import io
import os
import socket
import sqlite3
import subprocess
import sys
import tempfile

# By the first part of the module's name. The host gives the table, which the check before the run shows too.
INSTEAD = {
    module: advice
    for modules, advice in (line.split(": ", 1) for line in MISSING_MODULES.splitlines())
    for module in modules.split()
}
NO_NETWORK = INSTEAD["ssl"]
NO_TOOL_IMPORT = INSTEAD["mcp"]
NO_PROCESS = "programs can't start processes: call a tool instead, for example `await mcp__server__tool(...)`"

# These exist in the interpreter and are not for programs.
HIDDEN = {"_bashkit", "_bashkit_boot", "_bashkit_http", "_bashkit_webcore", "requests", "httpx", "httpx2", "pdb"}


def missing(name):
    top = name.partition(".")[0]
    text = f"No module named {name!r}"
    if top.startswith("mcp__"):
        advice = NO_TOOL_IMPORT
    elif top in INSTEAD:
        advice = INSTEAD[top]
    elif top in sys.stdlib_module_names:
        advice = NO_PYTHON_PART
    else:
        advice = NO_PACKAGES
    return ModuleNotFoundError(f"{text}: {advice}", name=name)


class HiddenModules:
    """First in line: what is there and not for programs."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in HIDDEN:
            raise missing(name)


class MissingModules:
    """Last in line: nobody else has found the module."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if path is None:
            raise missing(name)


find_spec = importlib.util.find_spec


def find_spec_or_none(name, package=None):
    try:
        return find_spec(name, package)
    except ModuleNotFoundError as error:
        if error.name == name and "." not in name:
            return None
        raise


def refusing(error_type, text):
    def refused(*args, **kwargs):
        raise error_type(text)

    return refused


class NoSocket:
    """Stands in for `socket.socket`."""

    def __init__(self, *args, **kwargs):
        raise ConnectionError(NO_NETWORK)


real_open = io.open
mounted = []


def open(
    file, mode="r", buffering=-1, encoding=None, errors=None, newline=None, closefd=True, opener=None
):
    try:
        return real_open(file, mode, buffering, encoding, errors, newline, closefd, opener)
    except OSError as error:
        if error.strerror and not isinstance(file, int):
            error.strerror = f"{error.strerror} ({no_file()})"
        raise


def no_file():
    if mounted:
        return f"the program can read {', '.join(mounted)} and write nothing"
    return "programs have no files: keep data in variables, get it from tools, print or emit results"


def no_temporary_directory():
    raise FileNotFoundError(2, f"No usable temporary directory ({no_file()})")


connect = sqlite3.connect


def connect_in_memory(database, *args, **kwargs):
    try:
        return connect(database, *args, **kwargs)
    except sqlite3.OperationalError as error:
        raise sqlite3.OperationalError(f"{error} ({no_file()}; ':memory:' works)") from None


def show_files(files):
    mounted.extend(files)
    if files:
        # They may have come after the interpreter looked.
        sys.path_importer_cache.clear()


def install_absent():
    for name in list(sys.modules):
        if name.partition(".")[0] in HIDDEN:
            del sys.modules[name]
    sys.meta_path.insert(0, HiddenModules)
    sys.meta_path.append(MissingModules)
    importlib.util.find_spec = find_spec_or_none
    builtins.open = io.open = open
    sys.breakpointhook = refusing(RuntimeError, "breakpoint() is not available: nobody is there to debug. Use print.")
    tempfile._get_default_tempdir = no_temporary_directory
    sqlite3.connect = sqlite3.dbapi2.connect = connect_in_memory
    socket.socket = NoSocket
    for name in ("create_connection", "create_server", "getaddrinfo", "gethostbyname", "socketpair"):
        setattr(socket, name, refusing(ConnectionError, NO_NETWORK))
    no_process = refusing(OSError, NO_PROCESS)
    subprocess.Popen.__init__ = no_process
    for name in ("system", "popen", "fork", "kill", "posix_spawn", "execv", "execve", "execvp", "execl", "execlp",
                 "spawnv", "spawnl", "spawnlp", "spawnvp"):
        setattr(os, name, no_process)
