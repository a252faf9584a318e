import uuid, ipaddress
from urllib.parse import urlparse, urlencode, parse_qs, quote, unquote, urljoin
print(uuid.uuid5(uuid.NAMESPACE_DNS, "example.com"), uuid.UUID(int=5).hex, uuid.uuid4().version)
u = urlparse("https://user@example.com:8443/a/b?q=1&q=2#frag")
print(u.hostname, u.port, u.path, parse_qs(u.query), u.fragment, urlencode({"a b": "c&d", "e": "é"}))
print(quote("a/b c"), quote("é", safe=""), unquote("%C3%A9"), urljoin("https://x.org/a/b", "../c"))
for h in (await mcp__net__hosts(up=True))[:3]:
    ip = ipaddress.ip_address(h["ip"])
    print(ip, ip.is_private, ip in ipaddress.ip_network("192.168.1.0/24"), int(ip) % 256)
