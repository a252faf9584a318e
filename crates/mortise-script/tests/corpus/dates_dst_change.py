from datetime import datetime, timedelta
from zoneinfo import ZoneInfo
zone = ZoneInfo("America/New_York")
before = datetime(2026, 3, 8, 1, 30, tzinfo=zone)
for hours in range(3):
    moment = (before.astimezone(ZoneInfo("UTC")) + timedelta(hours=hours)).astimezone(zone)
    print(moment.isoformat(), moment.dst())
print(datetime(2026, 11, 1, 1, 30, tzinfo=zone, fold=0).utcoffset(), datetime(2026, 11, 1, 1, 30, tzinfo=zone, fold=1).utcoffset())
