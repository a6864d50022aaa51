// What the page adds where scripts run: filters, sorting, evidence beside its claim, and folded places that open when led to.
(() => {
  "use strict";
  const $ = (id) => document.getElementById(id);
  const reveal = (node) => {
    for (let at = node; at; at = at.parentElement) if (at.tagName === "DETAILS") at.open = true;
  };
  const goTo = () => {
    const node = location.hash.length > 1 && $(decodeURIComponent(location.hash.slice(1)));
    if (!node) return;
    if (node.closest("#matrix") && node.hidden) { for (const input of inputs()) clear(input); filter(); }
    unpick(node);
    reveal(node);
    node.scrollIntoView({ block: node.closest("#matrix") ? "center" : "start" });
  };
  const inputs = () => document.querySelectorAll("[data-filter]");
  const clear = (input) => { if (input.type === "checkbox") input.checked = false; else input.value = ""; };
  const asked = () => {
    const made = {};
    for (const input of inputs()) {
      const value = input.type === "checkbox" ? (input.checked ? input.value : "") : input.value.trim().toLowerCase();
      if (value) made[input.dataset.filter] = value;
    }
    return made;
  };
  const fits = (row, want) => Object.entries(want).every(([name, value]) => {
    if (name === "base" || name === "candidate") return true;
    if (name === "text") return row.textContent.toLowerCase().includes(value);
    if (name === "change" && value === "moved") return row.dataset.change !== "same";
    return (row.dataset[name] || "").toLowerCase().split(" ").includes(value);
  });
  const pick = (want) => {
    const runs = $("filter-base")?.options;
    if (!runs) return;
    const picked = Boolean(want.base || want.candidate);
    const pair = [want.base ?? "0", want.candidate ?? String(runs.length - 2)];
    for (const cell of document.querySelectorAll("#matrix [data-run]")) cell.hidden = picked && !pair.includes(cell.dataset.run);
    for (const node of document.querySelectorAll(".of-ends")) node.hidden = picked;
    for (const row of $("matrix").tBodies[0].rows) {
      const text = row.querySelector(".moved");
      row.dataset.ends ??= JSON.stringify([row.dataset.change, text.textContent]);
      const [from, to] = pair.map((run) => row.querySelector(`td[data-run="${run}"]`).dataset.value);
      const moved = from && to ? to - from : NaN;
      const way = moved < -1e-9 ? "down" : moved > 1e-9 ? "up" : "same";
      [row.dataset.change, text.textContent] = picked ? [way, Number.isNaN(moved) ? "" : points(moved)] : JSON.parse(row.dataset.ends);
    }
    $("pair-words").firstChild.textContent = $("pair-words").firstChild.textContent.replace(/^Change is from .*?\. Each/s, `Change is from ${picked ? pair.map((run) => runs[Number(run) + 1].text).join(" to ") : $("pair-words").dataset.ends}. Each`);
  };
  const points = (moved) => {
    const unit = $("matrix").dataset.scale === "unit";
    const size = unit ? `${Math.abs(100 * moved).toFixed(1)} pp` : String(Number(Math.abs(moved).toPrecision(4)));
    return (moved < -1e-9 ? "−" : moved > 1e-9 && unit ? "+" : "") + size;
  };
  const filter = () => {
    const table = $("matrix");
    if (!table) return;
    const want = asked();
    pick(want);
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      row.hidden = !fits(row, want);
      if (!row.hidden) shown += 1;
    }
    $("matched").textContent = `${shown} of ${table.tBodies[0].rows.length} tasks`;
    $("no-match").hidden = shown > 0;
    const search = new URLSearchParams(want).toString();
    try { history.replaceState(null, "", location.pathname + (search ? `?${search}` : "") + location.hash); } catch { /* the address stays */ }
  };
  let from = null;
  const close = () => {
    const panel = $("panel");
    if (!panel || panel.hidden) return;
    panel.hidden = true;
    if (from) from.focus();
  };
  const show = (link) => {
    const place = $(link.getAttribute("href").slice(1));
    if (!place) return false;
    const copy = place.cloneNode(true);
    copy.removeAttribute("id");
    for (const node of copy.querySelectorAll("[id]")) node.removeAttribute("id");
    $("panel-body").replaceChildren(copy);
    $("panel").hidden = false;
    $("panel-body").focus();
    const mark = copy.querySelector("mark");
    if (mark) mark.scrollIntoView({ block: "nearest" });
    from = link;
    return true;
  };
  const sortKey = (row, place) => {
    const words = (row.cells[place]?.dataset.value ?? row.cells[place]?.textContent ?? "").trim();
    const number = parseFloat(words.replace("−", "-").replace(/,(?=\d{3})/g, "").replace(/^[^\d.-]*(?=[-.]?\d)/, ""));
    return { words, number: /^[^\p{L}]{0,3}\d/u.test(words) ? number : NaN };
  };
  const order = (one, other) => {
    if (!one.words || !other.words) return 0;
    if (!Number.isNaN(one.number) && !Number.isNaN(other.number)) return one.number - other.number;
    return one.words.localeCompare(other.words, "en", { numeric: true });
  };
  const sort = (head) => {
    const table = head.closest("table");
    const up = head.getAttribute("aria-sort") ? head.getAttribute("aria-sort") !== "ascending" : !head.classList.contains("num");
    for (const cell of head.parentElement.cells) cell.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", up ? "ascending" : "descending");
    const keyed = [...table.tBodies[0].rows].map((row) => ({ row, key: sortKey(row, head.cellIndex) }));
    keyed.sort((one, other) => (!one.key.words) - (!other.key.words) || (up ? 1 : -1) * order(one.key, other.key));
    table.tBodies[0].append(...keyed.map((one) => one.row));
  };
  const sortable = () => {
    for (const head of document.querySelectorAll("main thead tr:only-child > th")) {
      if (head.closest("table").tBodies[0]?.rows.length < 2 || head.closest("table.moves, table.counts")) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.title = "Sort by this column";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => sort(head));
    }
  };
  const pickLedger = () => {
    const picker = $("ledger-pair");
    if (!picker) return;
    const comparisons = [...document.querySelectorAll(".comparison")];
    const show = () => { for (const one of comparisons) one.hidden = one.id !== `comparison-${picker.value}`; };
    $("ledger-filters").hidden = false;
    picker.addEventListener("input", show);
    show();
  };
  const unpick = (node) => {
    const comparison = node.closest(".comparison[hidden]");
    if (!comparison) return;
    $("ledger-pair").value = comparison.id.slice("comparison-".length);
    $("ledger-pair").dispatchEvent(new Event("input"));
  };
  const follow = () => {
    const links = [...document.querySelectorAll("header nav a[href^='#']")];
    const mark = () => {
      const reached = links.filter((link) => $(link.hash.slice(1))?.getBoundingClientRect().top < innerHeight / 3);
      const ended = innerHeight + scrollY >= document.documentElement.scrollHeight - 2;
      const now = ended ? links.at(-1) : reached.at(-1) ?? links[0];
      for (const link of links) if (link === now) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
      const bar = now?.closest("nav");
      if (bar && bar.scrollWidth > bar.clientWidth) bar.scrollLeft = now.offsetLeft - bar.offsetLeft - (bar.clientWidth - now.offsetWidth) / 2;
    };
    addEventListener("scroll", mark, { passive: true });
    mark();
  };
  document.addEventListener("DOMContentLoaded", () => {
    const bar = $("filters");
    if (bar) {
      bar.hidden = false;
      for (const [name, value] of new URLSearchParams(location.search)) {
        for (const input of inputs()) {
          if (input.dataset.filter !== name) continue;
          if (input.type === "checkbox") input.checked = true;
          else if (input.tagName === "SELECT") input.value = [...input.options].find((option) => option.value.toLowerCase() === value)?.value ?? "";
          else input.value = value;
        }
      }
      bar.addEventListener("input", filter);
      filter();
    }
    document.addEventListener("click", (event) => {
      const link = event.target.closest("a");
      if (!link) return;
      const moves = $("filter-moves");
      if (link.dataset.moves && moves) { moves.value = link.dataset.moves; filter(); event.preventDefault(); }
      if (link.matches("a.evidence") && !event.ctrlKey && !event.metaKey && !event.shiftKey && show(link)) event.preventDefault();
      else if ((link.getAttribute("href") || "").startsWith("#") && link.closest("#panel")) close();
      if (link.getAttribute("href") === location.hash) goTo();
    });
    sortable();
    pickLedger();
    follow();
    document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
    $("panel-close")?.addEventListener("click", close);
    goTo();
  });
  window.addEventListener("hashchange", goTo);
})();
