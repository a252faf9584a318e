import datetime
import math
import statistics
import time

when = datetime.datetime.fromisoformat("2026-01-01T00:00:00+00:00") + datetime.timedelta(days=1)
print(when.strftime("%Y-%m-%d"), statistics.mean([1, 2]), math.sqrt(4), time.time())
