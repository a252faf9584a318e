"""Writes small files as they are found in the wild, and what each of their columns is.

usage: generate.py FOLDER

The files and `truth.json` depend on the seed alone. A column's truth is the type that its values have: `integer`,
`float`, `boolean`, `date`, `timestamp`, `time`, `string`; `ambiguous` where the values can be read in two ways. Its
`trap` names what makes it hard, where something does.
"""

import datetime
import json
import pathlib
import random
import sys

FOLDER = pathlib.Path(sys.argv[1])
RANDOM = random.Random(20240115)
TRUTH = []
WORDS = "amber birch cedar delta ember fjord grove heath inlet jetty knoll larch maple north ocean".split()
NAMES = ["Ann Lee", "Bob Stone", "Eve Hart", "Zoë Weiß", "José Núñez", "Li Wei", "Ola Nordmann", "Ada Byron"]


def numbers(count, low=1, high=99999):
    return [str(RANDOM.randint(low, high)) for _ in range(count)]


def decimals(count, digits=2):
    return [f"{RANDOM.uniform(-500, 5000):.{digits}f}" for _ in range(count)]


def words(count):
    return [RANDOM.choice(WORDS) for _ in range(count)]


def names(count):
    return [RANDOM.choice(NAMES) for _ in range(count)]


def zips(count):
    return [f"{RANDOM.randint(501, 99950):05d}" for _ in range(count - 1)] + ["00501"]


def days(count, form, last_day=28):
    start = datetime.date(2024, 1, 1)
    made = []
    while len(made) < count:
        day = start + datetime.timedelta(days=RANDOM.randint(0, 365))
        if day.day <= last_day:
            made.append(day.strftime(form))
    return made


def settled(count, form):
    """Days of which one is beyond the twelfth, so that day and month can be told apart."""
    return days(count - 1, form) + [datetime.date(2024, 5, 25).strftime(form)]


def open_days(count, form):
    """Days that can be read as months as well."""
    return days(count, form, last_day=12)


def moments(count, form):
    start = datetime.datetime(2024, 1, 13, 8, 0, 0)
    return [(start + datetime.timedelta(seconds=RANDOM.randint(0, 9_000_000))).strftime(form) for _ in range(count)]


def with_gaps(values, gap):
    """The same with some values missing; never the first."""
    return [values[0]] + [gap if RANDOM.random() < 0.2 else value for value in values[1:]]


def choice(count, *values):
    made = [RANDOM.choice(values) for _ in range(count - len(values))]
    return list(values) + made


def quoted(cell, delimiter):
    special = delimiter in cell or '"' in cell or "\n" in cell
    return '"' + cell.replace('"', '""') + '"' if special else cell


def write(name, columns, *, delimiter=",", header=True, before="", after="", newline="\n", encoding="utf-8", every=False):
    """`columns` are (name, type, values) or (name, type, values, trap)."""
    rows = list(zip(*(column[2] for column in columns), strict=True))
    cell = (lambda text: '"' + text.replace('"', '""') + '"') if every else (lambda text: quoted(text, delimiter))
    lines = [delimiter.join(cell(column[0]) for column in columns)] if header else []
    lines += [delimiter.join(cell(text) for text in row) for row in rows]
    text = before + newline.join(lines) + newline + after
    (FOLDER / name).write_bytes(text.encode(encoding))
    truth = [{"name": c[0], "type": c[1], "trap": c[3] if len(c) > 3 else None} for c in columns]
    TRUTH.append({"file": name, "delimiter": delimiter, "has_header": header, "columns": truth})


def plain(count):
    return [("id", "integer", numbers(count)), ("name", "string", names(count)), ("total", "float", decimals(count))]


def tables():
    n = 30
    write("01_plain.csv", plain(n))
    write("02_semicolons.csv", plain(n), delimiter=";")
    write("03_tabs.tsv", plain(n), delimiter="\t")
    write("04_bars.txt", plain(n), delimiter="|")
    write("05_crlf.csv", plain(n), newline="\r\n")
    write("06_bom.csv", plain(n), encoding="utf-8-sig")
    write("07_all_quoted.csv", plain(n), every=True)
    write("08_latin.csv", plain(n), encoding="latin-1")
    write("09_utf16.csv", plain(n), encoding="utf-16")
    write("10_no_header.csv", plain(n), header=False)
    write("11_one_column.csv", [("value", "integer", numbers(n))])
    notes = [f'said "{word}", then left' for word in words(n)]
    write("12_quotes.csv", [("id", "integer", numbers(n)), ("note", "string", notes)])
    lines = [f"{one}\n{two}" for one, two in zip(words(n), words(n), strict=True)]
    write("13_lines_in_cells.csv", [("id", "integer", numbers(n)), ("note", "string", lines)])
    write("14_preamble.csv", plain(n), before="Sales report\nmade on Monday\n\n")
    write("15_comments.csv", plain(n), before="# exported by hand\n# twice a day\n")
    write("16_zip_codes.csv", [("id", "integer", numbers(n)), ("zip", "string", zips(n), "leading zeros")])
    phones = [f"0{RANDOM.randint(100000000, 999999999)}" for _ in range(n)]
    write("17_phones.csv", [("name", "string", names(n)), ("phone", "string", phones, "leading zeros")])
    padded = [f"{number:06d}" for number in range(1, n + 1)]
    write("18_padded_ids.csv", [("account", "string", padded, "leading zeros"), ("total", "float", decimals(n))])
    write("19_iso_days.csv", [("id", "integer", numbers(n)), ("day", "date", days(n, "%Y-%m-%d"))])
    write("20_european_days.csv", [("id", "integer", numbers(n)), ("day", "date", settled(n, "%d/%m/%Y"))])
    write("21_american_days.csv", [("id", "integer", numbers(n)), ("day", "date", settled(n, "%m/%d/%Y"))])
    write("22_dotted_days.csv", [("id", "integer", numbers(n)), ("day", "date", settled(n, "%d.%m.%Y"))])
    open_day = open_days(n, "%d/%m/%Y")
    write("23_open_days.csv", [("id", "integer", numbers(n)), ("day", "ambiguous", open_day, "ambiguity")])
    open_day = open_days(n, "%m-%d-%Y")
    write("24_open_dashes.csv", [("id", "integer", numbers(n)), ("day", "ambiguous", open_day, "ambiguity")])
    short = [day for day in ["31/05/24", "30/04/24", "29/03/24"] for _ in range(10)]
    write("25_short_years.csv", [("id", "integer", numbers(n)), ("day", "ambiguous", short, "ambiguity")])
    moment = [f"{day} {hour:02d}:30" for day, hour in zip(open_days(n, "%d/%m/%Y"), range(n), strict=True)]
    moment = [text if int(text[-5:-3]) < 24 else text[:-5] + "08:30" for text in moment]
    write("26_open_moments.csv", [("id", "integer", numbers(n)), ("at", "ambiguous", moment, "ambiguity")])
    mixed = days(n // 2, "%Y-%m-%d") + settled(n // 2, "%d/%m/%Y")
    write("27_mixed_days.csv", [("id", "integer", numbers(n)), ("day", "string", mixed, "mixed formats")])
    mixed = settled(n // 2, "%d/%m/%Y") + [datetime.date(2024, 5, day).strftime("%m/%d/%Y") for day in range(14, 29)]
    write("28_two_orders.csv", [("id", "integer", numbers(n)), ("day", "string", mixed, "mixed formats")])
    mixed = numbers(n - 2) + ["n.a.", "12 pcs"]
    write("29_mixed_numbers.csv", [("id", "integer", numbers(n)), ("count", "string", mixed, "mixed formats")])
    write("30_iso_moments.csv", [("id", "integer", numbers(n)), ("at", "timestamp", moments(n, "%Y-%m-%dT%H:%M:%S"))])
    write("31_moments.csv", [("id", "integer", numbers(n)), ("at", "timestamp", moments(n, "%Y-%m-%d %H:%M:%S"))])
    zoned = moments(n, "%Y-%m-%dT%H:%M:%S+02:00")
    write("32_zoned_moments.csv", [("id", "integer", numbers(n)), ("at", "timestamp", zoned)])
    write("33_times.csv", [("id", "integer", numbers(n)), ("at", "time", moments(n, "%H:%M:%S"))])
    write("34_yes_no.csv", [("id", "integer", numbers(n)), ("active", "boolean", choice(n, "yes", "no"), "words")])
    write("35_true_false.csv", [("id", "integer", numbers(n)), ("active", "boolean", choice(n, "true", "false"))])
    write("36_gaps.csv", [("id", "integer", numbers(n)), ("total", "float", with_gaps(decimals(n), ""))])
    write("37_na.csv", [("id", "integer", numbers(n)), ("total", "float", with_gaps(decimals(n), "NA"), "null words")])
    thousands = [f"{number:,}" for number in [1234567, 2345, 999] * 10]
    write("38_thousands.csv", [("id", "integer", numbers(n)), ("people", "float", thousands, "thousands")])
    commas = [text.replace(".", ",") for text in decimals(n)]
    write("39_decimal_commas.csv", [("id", "integer", numbers(n)), ("price", "string", commas)], delimiter=";")
    tiny = [f"{RANDOM.uniform(1, 9):.3e}" for _ in range(n)]
    write("40_exponents.csv", [("id", "integer", numbers(n)), ("size", "float", tiny)])
    huge = [str(RANDOM.randint(10**22, 10**23)) for _ in range(n)]
    write("41_huge_numbers.csv", [("serial", "string", huge, "too large"), ("total", "float", decimals(n))])
    write("42_text_only.csv", [("city", "string", words(n)), ("owner", "string", names(n))])
    compact = days(n, "%Y%m%d")
    write("43_compact_days.csv", [("order_date", "date", compact, "compact dates"), ("total", "float", decimals(n))])
    flags = choice(n, "0", "1")
    write("44_bits.csv", [("id", "integer", numbers(n)), ("flag", "integer", flags)])
    write("45_empty_column.csv", [("id", "integer", numbers(n)), ("unused", "null", [""] * n, "no values")])
    versions = [f"{RANDOM.randint(1, 9)}.{RANDOM.randint(0, 20)}.{RANDOM.randint(0, 9)}" for _ in range(n)]
    write("46_versions.csv", [("id", "integer", numbers(n)), ("version", "string", versions)])
    spaced = [f" {number} " for number in numbers(n)]
    write("47_spaces.csv", [("id", "integer", spaced), ("name", "string", names(n))])
    hashes = [f"{RANDOM.getrandbits(64):016x}" for _ in range(n)]
    write("48_hashes.csv", [("digest", "string", hashes), ("total", "float", decimals(n))])
    loose = [f"{RANDOM.randint(1, 9)}/{day}/2024" for day in [25, *range(1, n)] if day <= 28][: n - 2]
    write("49_loose_days.csv", [("id", "integer", numbers(len(loose))), ("day", "date", loose)])


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    tables()
    (FOLDER / "truth.json").write_text(json.dumps(TRUTH, indent=1))
    print(len(TRUTH))
