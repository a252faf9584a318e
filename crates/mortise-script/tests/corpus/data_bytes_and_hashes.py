import base64, hashlib, hmac, zlib, gzip, struct, binascii
data = (await mcp__docs__readme()).encode()
print(len(data), hashlib.sha256(data).hexdigest()[:16], hashlib.md5(data).hexdigest()[:8], zlib.crc32(data))
print(base64.b64encode(b"\x00\xffhi").decode(), base64.urlsafe_b64decode("_-8="), binascii.hexlify(b"ab"), bytes.fromhex("de ad"))
print(hmac.new(b"key", b"message", "sha256").hexdigest()[:12], zlib.decompress(zlib.compress(data)) == data, gzip.decompress(gzip.compress(data)) == data)
print(struct.pack(">IhB", 1, -2, 3), struct.unpack("<f", struct.pack("<f", 1.5)), struct.calcsize("<qd"))
