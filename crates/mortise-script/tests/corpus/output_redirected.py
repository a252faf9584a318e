import io, contextlib
buffer = io.StringIO()
with contextlib.redirect_stdout(buffer):
    print("captured", 1)
    help_text = "x"
print(repr(buffer.getvalue()))
out = io.StringIO()
print("a", "b", file=out, sep=",")
out.write("c\n")
out.seek(0)
print([line.rstrip() for line in out], io.BytesIO(b"abc").read(2))
