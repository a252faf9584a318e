from datetime import datetime, timezone
from zoneinfo import ZoneInfo
berlin = ZoneInfo("Europe/Berlin")
for e in await mcp__calendar__events():
    start = datetime.fromisoformat(e["start"]).astimezone(berlin)
    print(start.strftime("%a %H:%M %Z"), e["title"], start.astimezone(timezone.utc).isoformat())
