class Api:
    def __init__(self, ticker):
        self.ticker = ticker
        self._rows = None
    async def rows(self):
        if self._rows is None:
            self._rows = await mcp__financial_data__query_financials(ticker=self.ticker)
        return self._rows
    async def latest(self):
        rows = await self.rows()
        return rows[0] if rows else None
    async def __aenter__(self):
        return self
    async def __aexit__(self, *a):
        return False
async with Api("AMZN") as api:
    latest = await api.latest()
    print(latest["period"], latest["revenue"])
    if latest and latest.get("eps"):
        print(latest["eps"])
