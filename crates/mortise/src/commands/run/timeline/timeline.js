"use strict";
(() => {
  const calls = JSON.parse(document.getElementById("calls").textContent);
  const detail = document.getElementById("detail");
  const lanes = document.getElementById("lanes");
  if (!lanes) return;
  const bars = [];
  for (const bar of lanes.querySelectorAll(".bar")) bars[Number(bar.dataset.call)] = bar;
  let chosen = -1;
  let zoom = 1;
  const time = (ms) => (ms < 1000 ? ms + " ms" : (ms / 1000).toFixed(1) + " s");
  const pretty = (text) => {
    try { return JSON.stringify(JSON.parse(text), null, 2); } catch { return text; }
  };
  const part = (list, word, text) => {
    if (!text) return;
    const term = document.createElement("dt");
    const value = document.createElement("dd");
    const pre = document.createElement("pre");
    term.textContent = word;
    pre.textContent = text;
    value.append(pre);
    list.append(term, value);
  };
  const choose = (at) => {
    const call = calls[at];
    if (!call) return;
    if (chosen >= 0) { bars[chosen].removeAttribute("aria-current"); bars[chosen].tabIndex = -1; }
    chosen = at;
    bars[at].setAttribute("aria-current", "true");
    bars[at].tabIndex = 0;
    const head = document.createElement("h2");
    head.textContent = call.tool;
    const facts = document.createElement("p");
    facts.className = "dim";
    const waited = call.waited ? ", waited " + time(call.waited) + " for its turn" : "";
    facts.textContent = "Started at " + time(call.start) + ", took " + time(call.ms) + waited
      + " · " + call.size + " · verdict: " + call.verdict + " · call " + (at + 1) + " of " + calls.length;
    const list = document.createElement("dl");
    part(list, "Error", call.error);
    part(list, "Notes", call.notes.join("\n"));
    part(list, "Arguments", pretty(call.arguments));
    part(list, "Result", pretty(call.result));
    detail.replaceChildren(head, facts, list);
    detail.hidden = false;
  };
  const scale = (factor) => {
    zoom = Math.min(512, Math.max(1, zoom * factor));
    lanes.style.setProperty("--zoom", zoom);
    if (chosen >= 0) bars[chosen].scrollIntoView({ block: "nearest", inline: "center" });
  };
  lanes.addEventListener("click", (event) => {
    const bar = event.target.closest(".bar");
    if (bar) choose(Number(bar.dataset.call));
  });
  document.getElementById("in").addEventListener("click", () => scale(2));
  document.getElementById("out").addEventListener("click", () => scale(0.5));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step) {
      const at = Math.min(calls.length - 1, Math.max(0, chosen + step));
      choose(at);
      bars[at].focus({ preventScroll: true });
      bars[at].scrollIntoView({ block: "nearest", inline: "nearest" });
      event.preventDefault();
    } else if (event.key === "+" || event.key === "=") scale(2);
    else if (event.key === "-") scale(0.5);
    else if (event.key === "Escape") detail.hidden = true;
  });
  if (bars.length) bars[0].tabIndex = 0;
})();
