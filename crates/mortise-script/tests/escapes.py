# Attempts to get at the host. Each prints ESCAPED if it gets anything. Separated by lines that start with `#:`.
#: read a file by absolute path
print("ESCAPED", open(CANARY).read())
#: read a file by os.open
import os
print("ESCAPED", os.read(os.open(CANARY, os.O_RDONLY), 100))
#: read a file by pathlib
import pathlib
print("ESCAPED", pathlib.Path(CANARY).read_text())
#: read a file by io.FileIO
import io
print("ESCAPED", io.FileIO(CANARY).read())
#: read a file by _io.open
import _io
print("ESCAPED", _io.open(CANARY).read())
#: read a file through codecs
import codecs
print("ESCAPED", codecs.open(CANARY).read())
#: read a file through fileinput
import fileinput
print("ESCAPED", list(fileinput.input(CANARY)))
#: read a file through linecache
import linecache
lines = linecache.getlines(CANARY)
print("ESCAPED" if lines else "nothing", lines)
#: read a file through an importlib loader
import importlib.machinery
print("ESCAPED", importlib.machinery.SourceFileLoader("x", CANARY).get_data(CANARY))
#: read a file through runpy
import runpy
print("ESCAPED", runpy.run_path(CANARY))
#: read a file through tokenize
import tokenize
print("ESCAPED", tokenize.open(CANARY).read())
#: read a file through urllib
import urllib.request
print("ESCAPED", urllib.request.urlopen("file://" + CANARY).read())
#: read a file through sqlite
import sqlite3
print("ESCAPED", sqlite3.connect(CANARY).execute("select * from sqlite_master").fetchall())
#: read a file through sqlite's uri
import sqlite3
print("ESCAPED", sqlite3.connect("file:" + CANARY + "?mode=ro", uri=True).execute("select 1").fetchall())
#: attach a file in sqlite
import sqlite3
db = sqlite3.connect(":memory:")
db.execute("attach ? as other", (CANARY,))
print("ESCAPED", db.execute("select * from other.sqlite_master").fetchall())
#: load an extension in sqlite
import sqlite3
db = sqlite3.connect(":memory:")
db.enable_load_extension(True)
db.load_extension("/lib/x86_64-linux-gnu/libc.so.6")
print("ESCAPED")
#: write a file through sqlite
import sqlite3
db = sqlite3.connect("/tmp/escaped.db")
db.execute("create table t (x)")
print("ESCAPED")
#: stat a file
import os
print("ESCAPED", os.stat(CANARY))
#: does a file exist
import os
print("ESCAPED" if os.path.exists(CANARY) or os.path.exists("/etc") or os.path.exists("/proc") else "nothing")
#: list directories
import os
found = [d for d in ("/etc", "/home", "/proc", "/root", "/tmp", "/dev", "/var", "/sys") if os.path.isdir(d)]
print("ESCAPED" if found else "nothing", found)
#: walk everything
import os
names = {n for _, d, f in os.walk("/") for n in (*d, *f)}
print("ESCAPED" if {"passwd", "environ", "hosts", ".ssh"} & names else "nothing")
#: glob everything
import glob
print("ESCAPED" if [p for p in glob.glob("/**", recursive=True) if not p.startswith("/usr") and p != "/"] else "nothing")
#: climb out with dots
import os
for depth in range(1, 40):
    path = "../" * depth + "etc/passwd"
    if os.path.exists(path):
        print("ESCAPED", path)
#: climb out of the standard library
print("ESCAPED", open("/usr/local/lib/../../../etc/passwd").read())
#: encoded dots
for path in ("/%2e%2e/etc/passwd", "/..%2fetc/passwd", "/.%00./etc/passwd", "//etc/passwd", "/./etc/passwd", "\\..\\etc\\passwd"):
    try:
        print("ESCAPED", open(path).read())
    except OSError:
        pass
#: NUL in a path
print("ESCAPED", open("/usr/share/zoneinfo/UTC\0/../../../../etc/passwd").read())
#: the process in proc
for path in ("/proc/self/environ", "/proc/self/maps", "/proc/self/cmdline", "/proc/1/environ", "/proc/self/fd/3"):
    try:
        print("ESCAPED", open(path, "rb").read())
    except OSError:
        pass
#: devices
for path in ("/dev/zero", "/dev/urandom", "/dev/mem", "/dev/tty", "/dev/stdin", "/dev/fd/0"):
    try:
        open(path, "rb")
        print("ESCAPED", path)
    except OSError:
        pass
#: write a file
open("/tmp/escaped", "w").write("x")
print("ESCAPED")
#: write next to the program
open("escaped", "w").write("x")
print("ESCAPED")
#: write into the standard library
open("/usr/local/lib/python314.zip", "r+b").write(b"x")
print("ESCAPED")
#: make a directory
import os
os.makedirs("/tmp/escaped/x")
print("ESCAPED")
#: make a link
import os
os.symlink("/etc/passwd", "/x")
print("ESCAPED", open("/x").read())
#: rename the library away
import os
os.rename("/usr/local/lib/python314.zip", "/x.zip")
print("ESCAPED")
#: remove the library
import os
os.unlink("/usr/local/lib/python314.zip")
print("ESCAPED")
#: a temporary file
import tempfile
tempfile.NamedTemporaryFile().write(b"x")
print("ESCAPED")
#: a temporary directory of one's own choice
import tempfile
tempfile.tempdir = "/"
tempfile.mkstemp()
print("ESCAPED")
#: change directory
import os
os.chdir("/etc")
print("ESCAPED", os.listdir("."))
#: change root
import os
os.chroot("/")
print("ESCAPED")
#: descriptors that are open
import os
for fd in range(4, 300):
    try:
        os.fstat(fd)
        print("ESCAPED", fd)
    except OSError:
        pass
#: read from every descriptor
import os
for fd in range(0, 300):
    try:
        data = os.read(fd, 100)
        if data:
            print("ESCAPED", fd, data)
    except OSError:
        pass
#: duplicate a descriptor
import os
print("ESCAPED", os.read(os.dup(3), 10))
#: open relative to the root descriptor
import os
print("ESCAPED", os.open("../etc/passwd", os.O_RDONLY, dir_fd=3))
#: the environment
import os
print("ESCAPED" if os.environ or os.environb or os.getenv("PATH") or os.getenv("HOME") else "nothing", dict(os.environ))
#: the environment from C
import posix
print("ESCAPED" if posix.environ else "nothing")
#: the environment expanded
import os
text = os.path.expandvars("$HOME ${PATH}") + os.path.expanduser("~")
print("ESCAPED" if text != "$HOME ${PATH}~" else "nothing")
#: users
import pwd
print("ESCAPED", pwd.getpwall())
#: who am I
import getpass
print("ESCAPED", getpass.getuser())
#: the host's name
import socket
print("ESCAPED", socket.gethostname())
#: the host's name by platform
import platform
node = platform.node()
print("ESCAPED" if node and node not in ("(none)", "localhost", "") else "nothing", node)
#: the host's network address
import uuid
uuid._load_system_functions() if hasattr(uuid, "_load_system_functions") else None
print("nothing", uuid.getnode() is not None)
#: uname
import os
u = os.uname()
print("ESCAPED" if u.sysname == "Linux" or u.nodename not in ("(none)", "") else "nothing", u)
#: process ids
import os
print("ESCAPED" if os.getppid() else "nothing")
#: a shell
import os
os.system("echo ESCAPED")
#: a pipe to a shell
import os
print(os.popen("echo ESCAPED").read())
#: a process
import subprocess
print(subprocess.run(["/bin/echo", "ESCAPED"], capture_output=True).stdout)
#: a process with a shell
import subprocess
print(subprocess.check_output("echo ESCAPED", shell=True))
#: a process by the C function
import _posixsubprocess
_posixsubprocess.fork_exec()
print("ESCAPED")
#: a process by asyncio
import asyncio
p = await asyncio.create_subprocess_shell("echo ESCAPED", stdout=-1)
print(await p.stdout.read())
#: fork
import posix
print("ESCAPED", posix.fork())
#: exec
import posix
posix.execv("/bin/echo", ["echo", "ESCAPED"])
#: spawn
import posix
posix.posix_spawn("/bin/echo", ["echo", "ESCAPED"], {})
#: kill
import posix
posix.kill(1, 0)
print("ESCAPED")
#: a thread by the C function
import _thread
_thread.start_new_thread(print, ("ESCAPED",))
#: a thread
import threading
t = threading.Thread(target=print, args=("ESCAPED",))
t.start()
t.join()
#: multiprocessing
import multiprocessing
multiprocessing.Process(target=print, args=("ESCAPED",)).start()
#: subinterpreters
import _interpreters
i = _interpreters.create()
_interpreters.exec(i, "print('ESCAPED')")
#: a socket
import socket
s = socket.socket()
s.connect(("127.0.0.1", 80))
print("ESCAPED")
#: a socket by the C class
import _socket
s = _socket.socket()
s.connect(("127.0.0.1", 80))
print("ESCAPED")
#: a socket that listens
import _socket
s = _socket.socket()
s.bind(("127.0.0.1", 0))
s.listen()
print("ESCAPED", s.getsockname())
#: a unix socket
import _socket
s = _socket.socket(_socket.AF_UNIX)
s.connect("/var/run/docker.sock")
print("ESCAPED")
#: a socket made of a descriptor
import _socket
s = _socket.socket(fileno=0)
s.send(b"x")
print("ESCAPED")
#: a pair of sockets
import _socket
print("ESCAPED", _socket.socketpair())
#: names looked up
import _socket
print("ESCAPED", _socket.getaddrinfo("localhost", 80))
#: urlopen
import urllib.request
print("ESCAPED", urllib.request.urlopen("http://127.0.0.1:1/").read())
#: the metadata service
import urllib.request
print("ESCAPED", urllib.request.urlopen("http://169.254.169.254/latest/meta-data/").read())
#: http.client
import http.client
c = http.client.HTTPConnection("127.0.0.1", 80)
c.request("GET", "/")
print("ESCAPED", c.getresponse().read())
#: asyncio streams
import asyncio
print("ESCAPED", await asyncio.open_connection("127.0.0.1", 80))
#: an asyncio server
import asyncio
print("ESCAPED", await asyncio.start_server(print, "127.0.0.1", 0))
#: requests that are hidden
import importlib
print("ESCAPED", importlib.import_module("requests").get("http://127.0.0.1").text)
#: requests by its loader
import zipimport
m = zipimport.zipimporter("/usr/local/lib/python314.zip").load_module("requests")
print("ESCAPED", m.get("http://127.0.0.1:1/").text)
#: the door by its name
import _bashkit
print("ESCAPED", _bashkit.http("GET", "http://127.0.0.1/", (), None, None))
#: the door by the built-in importer
import importlib.machinery
spec = importlib.machinery.BuiltinImporter.find_spec("_bashkit")
door = importlib.machinery.BuiltinImporter.load_module("_bashkit")
print("ESCAPED", door.http("GET", "http://127.0.0.1/", (), None, None))
#: the door through a tool's globals
host = echo.__globals__["host"]
print("ESCAPED", host("GET", "http://127.0.0.1/", (), None, None))
#: a tool that was not given
host = echo.__globals__["host"]
status, _, body = host("call", "mcp__admin__delete_all", (), b"{}", None)
print("ESCAPED" if status == 0 else "nothing", body)
#: the program's source again
host = echo.__globals__["host"]
print("ESCAPED", host("start", "", (), None, None))
#: poison the boot code of later programs
host = echo.__globals__["host"]
import marshal
host("compiled", "", (), marshal.dumps(compile("print('ESCAPED')", "x", "exec")), None)
host("boot", "", (), None, None)
print("ESCAPED")
#: the boot code's sources
host = echo.__globals__["host"]
print("ESCAPED", host("boot", "", (), None, None))
#: broken requests
host = echo.__globals__["host"]
for operation in ("", "x" * 100000, "call", "wait", "emit", "\0", "end ", "é"):
    for target in ("", "-1", "99999999999999999999", "\0"):
        for timeout in (0, -1):
            try:
                host(operation, target, [("a", "b")] * 3, b"\xff\xfe", timeout)
            except (ConnectionError, ValueError):
                pass
print("nothing")
#: an answer to a call that was never made
host = echo.__globals__["host"]
print("ESCAPED" if host("wait", "", (), None, 0.01)[1] else "nothing")
#: taking answers without the loop
host = echo.__globals__["host"]
c = echo(x=1)
c.send(None)
print("nothing", host("wait", "", (), None, 5)[1][0][0])
#: arguments that are no JSON
host = echo.__globals__["host"]
for body in (b"", b"{", b"[1,]", b"\xff", b"NaN", b"{}{}", b"'x'", b"[1]", b"1", b"null"):
    if host("call", "echo", (), body, None)[0] == 0:
        print("ESCAPED", body)
#: a huge request
host = echo.__globals__["host"]
try:
    status, _, text = host("call", "echo", (), bytes(40_000_000), None)
    print("nothing" if status == 1 and b"was not called" in text else "ESCAPED")
except ValueError:
    print("nothing")
#: ctypes
import ctypes
print("ESCAPED", ctypes.CDLL(None))
#: _ctypes
import _ctypes
print("ESCAPED", _ctypes.dlopen("libc.so.6", 0))
#: a shared object as a module
import importlib.machinery, importlib.util
loader = importlib.machinery.ExtensionFileLoader("x", "/lib/x86_64-linux-gnu/libc.so.6")
importlib.util.module_from_spec(importlib.util.spec_from_loader("x", loader))
print("ESCAPED")
#: mmap
import mmap
print("ESCAPED", mmap.mmap(0, 4096))
#: resource limits
import resource
resource.setrlimit(resource.RLIMIT_AS, (-1, -1))
print("ESCAPED")
#: fcntl
import fcntl
print("ESCAPED", fcntl.fcntl(0, 1))
#: pty
import pty
pty.spawn("/bin/sh")
print("ESCAPED")
#: signal another process
import os, signal
os.kill(os.getppid(), signal.SIGTERM)
print("ESCAPED")
#: subclasses of object
for c in ().__class__.__base__.__subclasses__():
    if c.__name__ in ("Popen", "socket", "FileIO"):
        try:
            c(CANARY) if c.__name__ == "FileIO" else c(["/bin/echo", "x"])
            print("ESCAPED", c)
        except Exception:
            pass
#: globals of a warnings class
g = [c for c in object.__subclasses__() if c.__name__ == "catch_warnings"][0].__init__.__globals__
print("ESCAPED", g["sys"].modules["os"].listdir("/etc"))
#: builtins through a frame
import sys
f = sys._getframe()
while f.f_back:
    f = f.f_back
b = f.f_globals["__builtins__"]
b = b if isinstance(b, dict) else vars(b)
print("ESCAPED", b["open"](CANARY).read())
#: builtins through a generator's frame
g = (lambda: (yield))()
print("ESCAPED", g.gi_frame.f_builtins["open"](CANARY).read())
#: format walks attributes
text = "{0.__class__.__init__.__globals__}".format(ToolError("x"))
print("ESCAPED" if "SECRET" in text or "/home/" in text or "/root" in text else "nothing")
#: eval and exec
exec("import os\nprint('ESCAPED' if os.environ else 'nothing')")
eval("__import__('os').listdir('/etc')")
print("ESCAPED")
#: pickle that runs a command
import pickle
pickle.loads(b"cos\nsystem\n(S'echo ESCAPED'\ntR.")
print("nothing")
#: marshal garbage
import marshal, random
for seed in range(50):
    random.seed(seed)
    try:
        marshal.loads(random.randbytes(200))
    except Exception:
        pass
print("nothing")
#: code made of noise
import types, random
for seed in range(30):
    random.seed(seed)
    c = (lambda: 0).__code__.replace(co_code=random.randbytes(40), co_stacksize=100)
    try:
        exec(c)
    except BaseException:
        pass
print("nothing")
#: an object made of bytes
import sys
def read(address, size=64):
    const = tuple(range(3))
    class F:
        pass
    return id(const)
print("nothing", read(0) > 0)
#: audit hooks and events
import sys
sys.addaudithook(lambda name, args: None)
print("ESCAPED" if any("/home" in str(v) or "/root" in str(v) for v in vars(sys).values()) else "nothing")
#: paths of the machine in the interpreter
import sys, sysconfig
values = [str(v) for v in (sys.path, sys.prefix, sys.executable, sys.base_prefix, sys.argv, sys.orig_argv)]
print("ESCAPED" if any("/home" in v or "/root" in v or "/work" in v for v in values) else "nothing")
#: memory of other programs
import gc
texts = [o for o in gc.get_objects() if isinstance(o, dict) and "CANARY_OF_ANOTHER_PROGRAM" in o]
print("ESCAPED" if texts else "nothing")
#: the clock of the machine since its start
import time
print("ESCAPED" if time.monotonic() > 3600 or time.clock_gettime(time.CLOCK_MONOTONIC) > 3600 else "nothing")
#: setting the clock
import time
time.clock_settime(time.CLOCK_REALTIME, 0)
print("ESCAPED")
#: a wheel from the network
import pip
print("ESCAPED")
#: ensurepip and venv
import ensurepip
ensurepip.bootstrap()
print("ESCAPED")
#: zip files of the host
import zipfile
print("ESCAPED", zipfile.ZipFile(CANARY).namelist())
#: tar that writes outside
import io, tarfile
b = io.BytesIO()
with tarfile.open(fileobj=b, mode="w") as t:
    t.addfile(tarfile.TarInfo("../../escaped"), io.BytesIO())
b.seek(0)
tarfile.open(fileobj=b).extractall("/tmp", filter="fully_trusted")
print("ESCAPED")
#: shutil copies
import shutil
shutil.copy(CANARY, "/tmp/escaped")
print("ESCAPED")
#: disk usage
import shutil
print("ESCAPED", shutil.disk_usage("/"))
#: load average and cpu count
import os
print("ESCAPED", os.getloadavg())
#: a debugger
import sys
sys.remote_exec(1, "/tmp/x.py")
print("ESCAPED")
#: crash reports
import faulthandler
faulthandler.enable()
faulthandler.dump_traceback_later(1)
print("nothing")
#: perf trampoline
import sys
sys.activate_stack_trampoline("perf")
print("ESCAPED")
#: syslog
import syslog
syslog.syslog("x")
print("ESCAPED")
#: readline history
import readline
readline.write_history_file("/tmp/escaped")
print("ESCAPED")
#: logging to a file
import logging
logging.FileHandler("/tmp/escaped.log").close()
print("ESCAPED")
#: dbm
import dbm.dumb
dbm.dumb.open("/tmp/escaped")
print("ESCAPED")
#: shelve
import shelve
shelve.open("/tmp/escaped")
print("ESCAPED")
#: mailcap and other old things
import mailcap
print("ESCAPED")
#: browsers
import webbrowser
webbrowser.open("file://" + CANARY)
print("ESCAPED")
