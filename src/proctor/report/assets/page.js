
/* The trials of the page: a list to filter and search, and the trace of each. Whatever a model wrote becomes text. */
(async () => {
  const $ = (id) => document.getElementById(id);
  const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

  /* Text in which what cannot be seen is shown as an escape. */
  const pieces = (text) => {
    const parts = [];
    let last = 0;
    const said = String(text);
    for (const found of said.matchAll(unseen)) {
      parts.push(said.slice(last, found.index));
      const shown = document.createElement("span");
      shown.className = "esc";
      shown.textContent = "\\u" + found[0].charCodeAt(0).toString(16).padStart(4, "0");
      parts.push(shown);
      last = found.index + found[0].length;
    }
    parts.push(said.slice(last));
    return parts;
  };
  /* An element: `el("p.dim", {id: "x"}, "text", child)`. */
  const el = (kind, given, ...inside) => {
    const [tag, ...classes] = kind.split(".");
    const made = document.createElement(tag);
    if (classes.length) made.className = classes.join(" ");
    for (const [name, value] of Object.entries(given ?? {})) if (value !== null) made.setAttribute(name, value);
    for (const one of inside.flat(3)) {
      if (one === null || one === undefined || one === false) continue;
      if (one instanceof Node) made.append(one); else made.append(...pieces(one));
    }
    return made;
  };
  const on = (made, event, act) => { made.addEventListener(event, act); return made; };
  const unpack = async (id) => {
    const bytes = Uint8Array.from(atob($(id).textContent), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    return JSON.parse(await new Response(stream).text());
  };
  const words = (name) => name.replaceAll("_", " ");
  const number = (value) => value.toLocaleString("en-GB");
  const many = (value, one, several) => `${number(value)} ${value === 1 ? one : several}`;

  const data = await unpack("rows");
  const names = data.names;
  const two = names.length > 1;
  const PAGE = 50;
  const FIELDS = ["q", "set", "status", "stop", "tool", "needs", "expected", "fault", "change", "sort"];
  const [STATUS, WORTH, STOP, CALLS, FAULT, TOOLS, ANSWER] = [0, 1, 2, 3, 4, 5, 6];

  const trials = data.id.map((id, place) => {
    const own = data.runs.map((run) => run[place]);
    const first = own[0];
    const change = !two || !own[0] || !own[1] || own[0][WORTH] === null || own[1][WORTH] === null ? ""
      : own[0][WORTH] > own[1][WORTH] ? "better" : own[0][WORTH] < own[1][WORTH] ? "worse" : "same";
    const set = data.sets[data.set[place]];
    const tools = data.tool[place].map((at) => data.tools[at]);
    const many = data.epochs > 1 ? `#${data.epoch[place]}` : "";
    return {
      place, own, change, set, tools, id, label: id + many, text: data.text[place], needs: String(data.needs[place]),
      expected: data.expected[place], query: data.query[place], key: `${set}/${id}#${data.epoch[place]}`,
      status: first ? first[STATUS] : "absent", stop: first ? first[STOP] : "", fault: first ? first[FAULT] : "",
      hay: [id, set, data.text[place], ...tools, ...own.flatMap((run) => run ? [...run[TOOLS], run[ANSWER]] : [])].join("\n").toLowerCase(),
    };
  });
  /* What failed stands first; within that the order is by set, then by id, in which 10 comes after 9. */
  const at = new Map();
  trials.forEach((trial) => { if (!at.has(trial.query)) at.set(trial.query, []); at.get(trial.query).push(trial); });
  const { compare } = new Intl.Collator("en", { numeric: true });
  const FIRST = ["unsolved", "unsure", "unmeasured", "absent", "solved"];
  trials.sort((one, other) => data.set[one.place] - data.set[other.place] || compare(one.id, other.id) || one.place - other.place);
  const bySet = [...trials];
  trials.sort((one, other) => FIRST.indexOf(one.status) - FIRST.indexOf(other.status));
  const byKey = new Map(trials.map((trial) => [trial.key, trial]));

  /* The controls. */
  const values = (of) => [...new Set(trials.flatMap(of))].filter((one) => one !== "");
  const CHOICES = {
    set: data.sets,
    status: ["solved", "unsure", "unsolved", "unmeasured"].filter((one) => trials.some((trial) => trial.status === one)),
    stop: values((trial) => trial.stop),
    tool: data.tools,
    needs: values((trial) => trial.needs).sort((one, other) => one - other),
    expected: values((trial) => trial.expected),
    fault: values((trial) => trial.fault),
    change: two ? ["better", "worse", "same"] : [],
  };
  const SORTS = [["", "failures first"], ["set", "by set and id"], ["calls", "most calls first"], ...(two ? [["change", "largest change first"]] : [])];
  for (const [name, choices] of Object.entries(CHOICES)) {
    $(name).append(el("option", { value: "" }, "all"), ...choices.map((one) => el("option", { value: one }, words(one))));
    $(name).closest("label").hidden = choices.length < 2 && name !== "change" || choices.length === 0;
  }
  $("sort").append(...SORTS.map(([value, told]) => el("option", { value }, told)));

  let chosen = trials;
  let first = 0;

  const state = () => new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
  const said = () => {
    const found = new URLSearchParams();
    for (const name of FIELDS) if ($(name).value) found.set(name, $(name).value);
    return found;
  };
  const link = (more) => {
    const found = said();
    for (const [name, value] of Object.entries(more)) found.set(name, value);
    return `#${found}`;
  };
  const moved = (trial) => trial.change === "" ? 0 : Math.abs(trial.own[0][WORTH] - trial.own[1][WORTH]);
  const ORDERS = {
    calls: (one, other) => (other.own[0]?.[CALLS] ?? 0) - (one.own[0]?.[CALLS] ?? 0),
    change: (one, other) => moved(other) - moved(one),
  };
  const choose = () => {
    const sought = $("q").value.toLowerCase().split(/\s+/).filter(Boolean);
    const wanted = Object.keys(CHOICES).map((name) => [name, $(name).value]).filter(([, value]) => value !== "");
    chosen = ($("sort").value === "set" ? bySet : trials).filter((trial) =>
      wanted.every(([name, value]) => name === "tool" ? trial.tools.includes(value) : trial[name] === value)
      && sought.every((word) => trial.hay.includes(word)));
    const order = ORDERS[$("sort").value];
    if (order) chosen = [...chosen].sort(order);
  };

  const mark = (run) => el(`span.status.${run ? run[STATUS] : "absent"}`, null, run ? run[STATUS] : "not tried");
  const draw = () => {
    const shown = chosen.slice(first, first + PAGE);
    $("list").className = two ? "list two" : "list";
    $("list").replaceChildren(...shown.map((trial) => {
      const run = trial.own.find(Boolean);
      return el("li", null, el("a", { href: link({ trial: trial.key }), "data-key": trial.key },
        trial.own.map(mark), el("span.id", null, trial.label, data.sets.length > 1 && el("span", null, " ", trial.set)), el("span.ask", null, trial.text),
        el("span.calls", null, many(run[CALLS], "call", "calls"), run[STOP] !== "finished" && el("span", null, " ", words(run[STOP])))));
    }));
    $("count").textContent = chosen.length === trials.length ? many(trials.length, "trial", "trials") : `${number(chosen.length)} of ${number(trials.length)} trials`;
    if (two) $("count").append(...pieces(`; first ${names[0]}, then ${names[1]}`));
    $("turn").hidden = chosen.length <= PAGE;
    $("where").textContent = `${number(first + 1)} to ${number(first + shown.length)}`;
    $("before").disabled = first === 0;
    $("after").disabled = first + PAGE >= chosen.length;
  };
  const changed = () => {
    first = 0;
    $("odd").hidden = true;
    choose();
    draw();
    const told = said().toString();
    history.replaceState(null, "", told ? `#${told}` : location.pathname + location.search);
  };
  const turn = (by) => { first = Math.max(0, first + by * PAGE); draw(); $("trials").scrollIntoView(); $("list").querySelector("a")?.focus({ preventScroll: true }); };

  /* A trace. */
  const LONG = 700;
  const long = (text, kind = "p.text") => {
    const holder = el(kind, { dir: "auto" });
    const fill = (all) => {
      holder.replaceChildren(...pieces(all ? text : text.slice(0, LONG) + "… "));
      if (!all) holder.append(on(el("button.linkish", { type: "button" }, `Show all ${number(text.length)} characters`), "click", () => fill(true)));
    };
    fill(text.length <= LONG * 1.3);
    return holder;
  };
  /* JSON over several lines, its words and numbers as they were written. What is no JSON, or no more whole, is let be. */
  const LINE = 76;
  const laid_out = (text) => {
    if (!/^\s*[[{]/.test(text)) return text;
    try { JSON.parse(text); } catch { return text; }
    const parts = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g);
    const open = [], length = [], group = new Map();
    let total = 0;
    parts.forEach((part, place) => {
      length[place] = total;
      total += part.length + (part === "," || part === ":" ? 1 : 0);
      if (part === "{" || part === "[") open.push(place);
      else if (part === "}" || part === "]") { const from = open.pop(); group.set(from, [place, total - length[from]]); }
    });
    let deep = 0, inline = -1, out = "";
    const line = () => `\n${"  ".repeat(deep)}`;
    parts.forEach((part, place) => {
      const within = place <= inline;
      if (part === "{" || part === "[") {
        const [end, long] = group.get(place);
        if (!within && (long + 2 * deep <= LINE || end === place + 1)) inline = end;
        out += part;
        if (place > inline) { deep += 1; out += line(); }
      } else if (part === "}" || part === "]") {
        if (!within) { deep -= 1; out += line(); }
        out += part;
      } else out += part === "," ? (within ? ", " : `,${line()}`) : part === ":" ? ": " : part;
    });
    return out;
  };
  const argument = (call, gold) => {
    const wanted = new Map(gold?.args ?? []);
    const made = new Map(call.args);
    const off = new Set((call.differs ?? []).map((path) => path.split(/[.[]/)[0]));
    const known = [...new Set([...made.keys(), ...wanted.keys()])];
    if (!known.length) return el("p.kind", null, "no arguments");
    const beside = gold && gold.args !== null;
    return el("table.args", null,
      el("thead", null, el("tr", null, el("th", { scope: "col" }, "argument"), el("th", { scope: "col" }, "as called"), beside && el("th", { scope: "col" }, "gold"))),
      el("tbody", null, known.map((name) => el(`tr${beside && off.has(name) ? ".off" : ""}`, null,
        el("th", { scope: "row" }, name), el("td", null, made.get(name) ?? "–"), beside && el("td", null, wanted.get(name) ?? "–")))));
  };
  const origin = (call) => {
    const lost = call.source === "" || call.source === "missed";
    const when = call.at ? `, first made ${new Date(call.at * 1000).toISOString().slice(0, 10)}` : "";
    return el("p.kind", null,
      el(`span.tag${lost ? ".odd" : ""}`, null, call.source === "" ? "reached no API" : call.source),
      call.fault && el("span.tag.odd", null, `spoilt: ${call.fault}`), call.error && el("span.tag.odd", null, "error"),
      " ", `${call.by ? `by ${call.by}` : ""}${when}${call.seconds ? `, ${call.seconds} s` : ""}`.replace(/^, /, ""),
      (call.tried ?? []).length > 0 && el("span.small", null, ` Tried before: ${call.tried.join("; ")}.`));
  };
  const title = (tool, api) => el("span.name", null, el("span.tool", null, `${tool} / `), api);
  const step = (one, gold, answer) => {
    if (one.is === "thought") return el("li", null, el("p.kind", null, "thought"), long(one.text));
    if (one.is === "finish") return el("li", null, el("p.kind", null, one.gave_up ? "gives up" : "finish", one.text && one.text === answer && ", with the final answer above"),
      one.text !== answer && long(one.text));
    const wanted = one.gold === undefined ? null : gold[one.gold];
    const state = wanted ? { made: "as gold", differs: "gold, other arguments", moved: "gold, out of order", missing: "" }[wanted.state] : gold.length ? "not in gold" : "";
    return el("li.call", null,
      el("div", null, one.api ? title(one.api[1], one.api[2]) : el("span.name", null, one.name),
        state && el(`span.tag${wanted?.state === "made" ? ".key" : ""}`, null, state), one.resolution && el("span.tag.odd", null, one.resolution)),
      one.api && el("p.kind", null, `${one.api[0]}, called as `, el("code", null, one.name)),
      one.malformed === undefined ? argument(one, wanted) : [el("p.kind", null, "arguments that cannot be read"), long(one.malformed)],
      el("div.answer", null, origin(one), long(laid_out(one.shown)),
        one.whole && el("details", null, el("summary", null, "The whole answer, as it came"), long(laid_out(one.whole)))));
  };
  /* A reason that begins with the judge's name says it once. */
  const reason = (one) => one.judge && one.reason.startsWith(`${one.judge}: `) ? one.reason.slice(one.judge.length + 2) : one.reason;
  const opinion = (one) => el("div.opinion", null,
    el("p", null, el(`span.status.${one.missing ? "unmeasured" : one.status.toLowerCase()}`, null, one.missing ? `unmeasured: ${one.missing}` : one.status),
      one.judge && el("span.kind", null, ` by ${one.judge}${one.repeat ? `, repeat ${one.repeat + 1}` : ""}`)),
    one.reason && long(reason(one)), (one.ballots ?? []).map(opinion));
  const KINDS = {
    unsolvable: "The tools do not have what is asked for; a right answer says so.",
    "off-topic": "It needs no tool; a right answer says that this is not what it is there for.",
    refusal: "It must not be done; a right answer refuses.",
  };
  const fact = (name, value) => el("div", null, el("dt", null, name), el("dd", null, value));
  const wish = (call) => el("li", null, call.api ? title(...call.api) : el("span.name", null, call.name),
    el(`span.tag${call.state === "made" ? ".key" : call.state === "missing" && !call.optional ? ".odd" : ""}`, null,
      { made: call.args === null ? "called" : "called as gold", differs: "called with other arguments", moved: "called out of order", missing: call.optional ? "optional, not called" : "not called" }[call.state]),
    call.args?.length ? el("div.with", null, call.args.map(([name, value]) => `${name} = ${value}`).join(", ")) : null);

  const told = (query, one, run, status) => {
    if (!one) return el("p", null, `${names[run]} has no such trial.`);
    const cost = one.cost === null ? "unknown" : one.cost ? `${one.cost.toPrecision(2)} US$` : "";
    return el("div", null,
      el(`div.outline.${status}`, null,
        one.verdicts.length ? one.verdicts.map(opinion) : el("p.none", null, one.unmeasured ? `Without a verdict: ${one.unmeasured}.` : "Nobody has judged it."),
        one.failure && el("p", null, el("span.tag.odd", null, `the ${one.failure[2]}’s fault`), ` ${one.failure[0]}: `, one.failure[1]),
        el("h3", null, "Final answer"), one.answer ? long(one.answer) : el("p.none", null, "none"),
        el("dl.facts", null, fact("counts", one.worth === null ? `nothing: ${one.unmeasured}` : one.worth.toFixed(2)), fact("stopped", words(one.stop)),
          fact("offered", one.offered === null ? "unknown" : many(one.offered, "API", "APIs")), fact("took", `${one.seconds.toFixed(2)} s`),
          one.usage[0] > 0 && fact("tokens", `${number(one.usage[1])} + ${number(one.usage[2])}`), cost && one.usage[0] > 0 && fact("cost", cost))),
      query.facts.length ? [el("h3", null, "A right answer tells"), el("ul.gold", null, query.facts.map((says) => el("li", null, says)))] : null,
      el("h3", null, "Should have been called"),
      one.note && el("p.dim", null, one.note),
      one.gold.length ? el("ol.gold", null, one.gold.map(wish)) : el("p.none", null, query.expected === "answer" ? "Nobody said which calls are right." : "No call is needed."),
      el("h3", null, "Steps"),
      one.steps.length ? el("ol.steps", null, one.steps.map((each) => step(each, one.gold, one.answer))) : el("p.none", null, "none"));
  };

  const dialog = $("trace");
  const opened = new Map();
  let current = null;
  let side = 0;
  const open = async (trial, run) => {
    current = trial;
    side = run;
    const chunk = Math.floor(trial.query / data.chunk);
    if (!opened.has(chunk)) opened.set(chunk, await unpack(`chunk-${chunk}`));
    if (current !== trial || side !== run) return;
    const query = opened.get(chunk)[trial.query % data.chunk];
    const one = query.trials[at.get(trial.query).indexOf(trial)][run];
    const place = chosen.indexOf(trial);
    const to = (by) => on(el("button", { type: "button", ...(chosen[place + by] && place >= 0 ? {} : { disabled: "" }) }, by < 0 ? "Previous" : "Next"), "click", () => step_by(by));
    dialog.replaceChildren(el("div.trace", null,
      el("div.bars-top", null, el("h2", { id: "trace-head", tabindex: "-1" }, `${trial.set} / `, el("b", null, trial.label)),
        two && names.map((name, number) => on(el("button", { type: "button", "aria-pressed": String(number === run) }, name), "click", () => go(trial, number))),
        to(-1), to(1), on(el("button", { type: "button" }, "Close"), "click", () => dialog.close())),
      long(query.text, "p.text.lead"),
      query.expected !== "answer" && el("p.dim", null, KINDS[query.expected] ?? `A right answer is of the kind ${query.expected}.`),
      told(query, one, run, trial.own[run]?.[STATUS] ?? "absent")));
    if (!dialog.open) dialog.showModal();
    dialog.scrollTop = 0;
    $("trace-head").focus({ preventScroll: true });
  };
  const go = (trial, run = side) => {
    history.replaceState(null, "", link({ trial: trial.key, ...(run ? { run } : {}) }));
    open(trial, run);
  };
  const step_by = (by) => {
    const next = chosen[chosen.indexOf(current) + by];
    if (current && next) go(next);
  };
  dialog.addEventListener("close", () => {
    const last = current;
    current = null;
    dialog.replaceChildren();
    const place = chosen.indexOf(last);
    if (place >= 0 && (place < first || place >= first + PAGE)) { first = place - place % PAGE; draw(); }
    const told = said().toString();
    history.replaceState(null, "", told ? `#${told}` : "#trials");
    [...$("list").querySelectorAll("a")].find((one) => last && one.dataset.key === last.key)?.focus();
  });
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });

  /* From the address to the page. */
  const complain = (lacking) => {
    $("odd").hidden = !lacking.length;
    $("odd").replaceChildren(...pieces(lacking.length ? `Nothing here is ${lacking.join(", nor ")}: the address asks for it, and the list is shown without it.` : ""));
  };
  const follow = (moved) => {
    const wanted = state();
    const lacking = [];
    if (location.hash.includes("=")) {
      for (const name of FIELDS) {
        $(name).value = wanted.get(name) ?? "";
        if (name !== "q" && $(name).selectedIndex < 0) { $(name).value = ""; lacking.push(`${name}=${wanted.get(name)}`); }
      }
    }
    for (const name of wanted.keys()) if (![...FIELDS, "trial", "run"].includes(name)) lacking.push(`${name}=${wanted.get(name)}`);
    if (wanted.get("trial") && !byKey.has(wanted.get("trial"))) lacking.push(`trial=${wanted.get("trial")}`);
    complain(lacking);
    choose();
    const trial = byKey.get(wanted.get("trial"));
    first = trial && chosen.includes(trial) ? Math.floor(chosen.indexOf(trial) / PAGE) * PAGE : 0;
    draw();
    if (trial) open(trial, two && wanted.get("run") === "1" ? 1 : 0);
    else if (dialog.open) dialog.close();
    if (!trial && location.hash.includes("=") && moved) $("trials").scrollIntoView();
  };
  addEventListener("hashchange", () => follow(true));
  for (const name of FIELDS) $(name).addEventListener(name === "q" ? "input" : "change", changed);
  $("clear").addEventListener("click", () => { for (const name of FIELDS) $(name).value = ""; changed(); });
  $("before").addEventListener("click", () => turn(-1));
  $("after").addEventListener("click", () => turn(1));
  addEventListener("keydown", (event) => {
    if (!$("keys").checked || event.ctrlKey || event.metaKey || event.altKey) return;
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && event.target.id !== "keys") return;
    if (dialog.open) {
      if (event.key === "n") step_by(1);
      else if (event.key === "p") step_by(-1);
      else if (event.key === "r" && two) go(current, 1 - side);
      return;
    }
    if (event.key === "/") { event.preventDefault(); $("q").focus(); return; }
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const links = [...$("list").querySelectorAll("a")];
    const place = links.indexOf(document.activeElement);
    if (by && place >= 0) { event.preventDefault(); links[place + by]?.focus(); }
  });
  $("filters").hidden = false;
  follow(true);
  document.documentElement.setAttribute("data-ready", "");
})();
