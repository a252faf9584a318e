from datetime import datetime, date, time, timedelta
d = datetime(2026, 7, 4, 15, 5, 9, 123456)
for f in ("%Y-%m-%d", "%d/%m/%y", "%B %d, %Y", "%H:%M:%S.%f", "%I:%M %p", "%j", "%U", "%a %b"):
    print(f, "->", d.strftime(f))
print(d.isoformat(timespec="minutes"), repr(d.time()), d.replace(day=1).date(), date.max - date.min)
print(timedelta(days=1.5, minutes=90), str(timedelta(-1)), timedelta(seconds=3661.5).total_seconds())
print(time(23, 59) > time(0), datetime.strptime("1 Jan 2026 08:00", "%d %b %Y %H:%M"))
