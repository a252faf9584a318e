import statistics as st
rows = await mcp__weather__daily(city="Delhi")
xs, ys = [r["low"] for r in rows], [r["high"] for r in rows]
slope, intercept = st.linear_regression(xs, ys)
print(round(slope, 6), round(intercept, 6), round(st.correlation(xs, ys), 6), round(st.pvariance(xs), 6))
print(st.mode([1, 2, 2, 3]), st.multimode("aabbc"), st.harmonic_mean([40, 60]), round(st.geometric_mean([1, 10, 100]), 6))
