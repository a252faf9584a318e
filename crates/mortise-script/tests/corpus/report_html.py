from html import escape
from html.parser import HTMLParser
rows = await mcp__shop__customers(vip=True)
html = "<table>" + "".join(f"<tr><td>{escape(c['name'])}</td><td>{c['country']}</td></tr>" for c in rows) + "</table>"
print(html)
class Cells(HTMLParser):
    def __init__(self):
        super().__init__()
        self.cells, self.inside = [], False
    def handle_starttag(self, tag, attrs):
        self.inside = tag == "td"
    def handle_data(self, data):
        if self.inside:
            self.cells.append(data)
p = Cells()
p.feed(html + "<td a='1'>R&amp;D</td>")
print(p.cells)
