//! Files that the host mounts.

use mortise_script::MountedFile;

use crate::hosts::{program, run};

#[track_caller]
fn prints_with_files(source: &str, expected: &str) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("host-name.csv");
    std::fs::write(&path, "a,b\n1,2\n3,4\n").unwrap();
    let mut program = program(source);
    program.files = vec![
        MountedFile::open("sales.csv", &path).unwrap(),
        MountedFile::bytes("/data/raw/x.bin", [1, 2, 255]).unwrap(),
    ];
    let report = run(program);
    assert_eq!(report.error.map(|error| error.traceback), None, "{}", report.output);
    assert_eq!(report.output, expected);
}

#[test]
fn a_mounted_file_is_read_in_every_way() {
    prints_with_files(
        "import csv, pathlib\nprint(list(csv.DictReader(open('sales.csv'))))\n\
         print(pathlib.Path('/data/raw/x.bin').read_bytes(), pathlib.Path('data').exists())\n\
         with open('/sales.csv', 'rb') as f:\n    f.seek(-4, 2)\n    print(f.read(), f.tell())\n    f.seek(2)\n    print(f.readline())",
        "[{'a': '1', 'b': '2'}, {'a': '3', 'b': '4'}]\nb'\\x01\\x02\\xff' True\nb'3,4\\n' 12\nb'b\\n'\n",
    );
}

#[test]
fn directories_list_what_is_mounted() {
    prints_with_files(
        "import os, glob\nprint(sorted(os.listdir('.')), os.listdir('/data'), glob.glob('/data/**/*.bin', recursive=True))\n\
         print(os.path.getsize('sales.csv'), os.path.isdir('data'), os.path.isfile('data/raw/x.bin'), os.getcwd())",
        "['data', 'sales.csv', 'usr'] ['raw'] ['/data/raw/x.bin']\n12 True True /\n",
    );
}

#[test]
fn nothing_can_be_changed() {
    prints_with_files(
        "import os\ndef attempt(f, *args):\n    try:\n        f(*args)\n        print('CHANGED', f, args)\n    except OSError as e:\n        pass\n\
         attempt(open, 'sales.csv', 'w')\nattempt(open, 'sales.csv', 'a')\nattempt(open, 'sales.csv', 'r+')\nattempt(open, 'new', 'x')\n\
         attempt(os.remove, 'sales.csv')\nattempt(os.rename, 'sales.csv', 'b')\nattempt(os.mkdir, 'd')\nattempt(os.rmdir, 'data')\n\
         attempt(os.symlink, 'sales.csv', 'l')\nattempt(os.link, 'sales.csv', 'l')\nattempt(os.truncate, 'sales.csv', 0)\n\
         attempt(os.utime, 'sales.csv')\nattempt(os.open, 'sales.csv', os.O_RDWR)\nattempt(os.open, 'n', os.O_CREAT)\n\
         fd = os.open('sales.csv', os.O_RDONLY)\nattempt(os.write, fd, b'x')\nattempt(os.ftruncate, fd, 0)\nprint('end')",
        "end\n",
    );
}

#[test]
fn paths_lead_nowhere_else() {
    prints_with_files(
        "import os\npaths = ['../../etc/passwd', '/etc/passwd', '/proc/self/environ', '/proc/self/fd/0', '/dev/zero', '/dev/tty',\n\
         'host-name.csv', 'sales.csv/../../etc/passwd', 'sales.csv\\u202e', '/data/raw/../../etc/hosts', 'a/' * 3000, '/sys', '~/.ssh/id_rsa']\n\
         for path in paths:\n    try:\n        open(path)\n        print('FOUND', path)\n    except OSError:\n        pass\n\
         try:\n    open('a\\0b')\nexcept ValueError as e:\n    print(e)\nprint(any(os.path.exists(p) for p in paths))",
        "embedded null byte\nFalse\n",
    );
}

#[test]
fn a_missing_file_names_those_that_are_there() {
    let mut program = program("open('sale.csv')");
    program.files = vec![MountedFile::bytes("sales.csv", *b"x").unwrap()];
    assert_eq!(
        run(program).error.unwrap().message,
        "[Errno 44] No such file or directory (the program can read /sales.csv and write nothing): 'sale.csv'"
    );
}
