//! What the check adds to a program's run: the same programs through one `mortise serve`, with and without it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use super::super::Bench;
use super::super::measure::Sample;
use super::super::series::{Series, in_turn};
use super::super::statistics::median;
use super::percentile;

/// Runs of one round, half of them checked.
const RUNS: usize = 40;
/// Runs before those, so that everything is warm.
const FIRST: usize = 6;
/// What a program may take; far more than it does.
const LIMIT_SECONDS: u32 = 20;
/// Tools beside those that the programs call, and milliseconds between two programs: a model makes a pause, and in
/// it the next interpreter starts.
const VARIANTS: [(usize, u64); 4] = [(0, 0), (0, 50), (500, 0), (500, 50)];

/// Milliseconds of programs without and with the check, pair by pair.
type Pairs = Vec<(f64, f64)>;

pub(super) fn run(bench: &Bench<'_>) -> Result<(String, Vec<Series>)> {
    let systems = VARIANTS.map(|(tools, pause)| format!("{tools} other tools, {pause} ms apart"));
    let names: Vec<&str> = systems.iter().map(String::as_str).collect();
    let rounds = in_turn("check adds", &names, bench.rounds, |system| round(bench, VARIANTS[system]))?;
    let mut page = String::from(
        "| other tools configured | pause before a program, ms | unchecked, ms | checked, ms | the check adds, ms | \
         95th percentile, ms |\n| --- | ---: | ---: | ---: | ---: | ---: |\n",
    );
    let mut series = Vec::new();
    for ((name, (tools, pause)), rounds) in systems.into_iter().zip(VARIANTS).zip(rounds) {
        let pairs: Pairs = rounds.into_iter().flatten().collect();
        let (plain, checked): (Vec<f64>, Vec<f64>) = pairs.iter().copied().unzip();
        let added: Vec<f64> = pairs.iter().map(|(plain, checked)| checked - plain).collect();
        page.push_str(&format!(
            "| {tools} | {pause} | {:.2} | {:.2} | {:.2} | {:.2} |\n",
            median(&plain),
            median(&checked),
            median(&added),
            percentile(&added, 0.95),
        ));
        let samples = added.iter().map(|ms| Sample { wall_ms: *ms, cpu_ms: *ms, peak_kib: 0 });
        series.push(Series { system: format!("added with {name}"), samples: samples.collect() });
    }
    Ok((page, series))
}

/// One `mortise serve`, asked for the programs in pairs, the check now in the first and now in the second.
fn round(bench: &Bench<'_>, (others, pause): (usize, u64)) -> Result<Pairs> {
    let mut gateway = Gateway::start(bench, others)?;
    gateway.pause = Duration::from_millis(pause);
    for number in 0..FIRST {
        gateway.run(number, "guard")?;
    }
    let mut pairs = Vec::new();
    for number in (FIRST..FIRST + RUNS).step_by(2) {
        let (plain, checked) = match number % 4 {
            0 => (gateway.run(number, "off")?, gateway.run(number + 1, "guard")?),
            _ => {
                let checked = gateway.run(number + 1, "guard")?;
                (gateway.run(number, "off")?, checked)
            }
        };
        pairs.push((plain, checked));
    }
    gateway.end()?;
    Ok(pairs)
}

/// `mortise serve` over stdio.
struct Gateway {
    child: Child,
    /// Until it is ended.
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
    asked: u64,
    /// Between two programs.
    pause: Duration,
}

impl Gateway {
    fn start(bench: &Bench<'_>, others: usize) -> Result<Self> {
        let mortise = bench.ours("mortise");
        let mut command = Command::new(&mortise);
        command.arg("serve");
        for sample in ["financial-data", "weather", "doc-retrieval"] {
            command.args(["--server", &format!("{sample}='{mortise}' sample {sample}")]);
        }
        if others > 0 {
            command.args(["--server", &format!("others='{mortise}' mock tools={others}")]);
        }
        command.current_dir(&bench.folder).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().context("starting `mortise serve`")?;
        let requests = child.stdin.take().context("no way to ask")?;
        let answers = BufReader::new(child.stdout.take().context("no way to listen")?);
        let mut gateway = Self { child, requests: Some(requests), answers, asked: 0, pause: Duration::ZERO };
        let client = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "bench", "version": "1" } });
        gateway.ask("initialize", &client)?;
        gateway.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(gateway)
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let requests = self.requests.as_mut().context("it was told to end")?;
        writeln!(requests, "{message}")?;
        Ok(requests.flush()?)
    }

    fn ask(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.asked += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": self.asked, "method": method, "params": params }))?;
        loop {
            let mut line = String::new();
            ensure!(self.answers.read_line(&mut line)? > 0, "`mortise serve` ended");
            let answer: Value = serde_json::from_str(&line)?;
            if answer["id"] == json!(self.asked) {
                return Ok(answer);
            }
        }
    }

    /// Runs one program; milliseconds until its answer is there.
    fn run(&mut self, number: usize, check: &str) -> Result<f64> {
        let arguments = json!({ "code": program(number), "check": check, "timeout_seconds": LIMIT_SECONDS });
        std::thread::sleep(self.pause);
        let started = Instant::now();
        let answer = self.ask("tools/call", &json!({ "name": "execute_program", "arguments": arguments }))?;
        let elapsed = started.elapsed().as_secs_f64() * 1e3;
        ensure!(
            answer["result"]["_meta"]["mortise/answer"]["ok"] == json!(true),
            "program {number}: {answer}"
        );
        Ok(elapsed)
    }

    fn end(mut self) -> Result<()> {
        self.requests = None;
        ensure!(self.child.wait()?.success(), "`mortise serve` ended with a failure");
        Ok(())
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // After an end of its own there is nothing to do; after an error it must not stay.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Twenty lines over three tools; no two programs are the same.
fn program(number: usize) -> String {
    format!(
        r#"import asyncio
import json
from collections import defaultdict

TICKERS = ["AMZN", "MSFT", "GOOG"]

async def trend_{number}(ticker):
    rows = await mcp__financial_data__query_financials(ticker=ticker, statement="income", period="quarter", limit=4)
    return ticker, [row["revenue"] / 1e9 for row in rows]

weather, tags, *trends = await asyncio.gather(
    mcp__weather__get_weather(city="Oslo"), mcp__doc_retrieval__list_tags(), *(trend_{number}(t) for t in TICKERS)
)
by_size = defaultdict(list)
for tag in tags["tags"]:
    by_size[tag["documents"]].append(tag["tag"].title())
for ticker, values in sorted(trends, key=lambda item: sum(item[1]), reverse=True):
    print(f"{{ticker}}: {{sum(values):,.1f}} in {{len(values)}} quarters")
print(json.dumps({{"city": weather["city"], "tags": sorted(max(by_size.items())[1]), "number": {number}}}))
"#
    )
}
