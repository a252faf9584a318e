import sqlite3
db = sqlite3.connect(":memory:")
db.execute("create table people (id integer primary key, name text, manager_id integer, team text, salary integer)")
people = await mcp__hr__people()
db.executemany("insert into people values (:id, :name, :manager_id, :team, :salary)", people)
query = """
select m.name, count(*), round(avg(p.salary), 1) from people p join people m on p.manager_id = m.id
group by m.id order by count(*) desc, m.name"""
for row in db.execute(query):
    print(*row, sep="\t")
print(db.execute("select team, max(salary) from people group by team order by team").fetchall())
