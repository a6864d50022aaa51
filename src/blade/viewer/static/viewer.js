// The viewer without this script is complete; with it, long lists load as they are reached and keys work.
(() => {
  "use strict";
  const every = (selector, root = document) => [...root.querySelectorAll(selector)];

  // -- lists that load in chunks ------------------------------------------------------------------------------------
  const loading = new WeakMap();
  const load = (chunk) => {
    if (!chunk.dataset.src) return Promise.resolve();
    if (!loading.has(chunk)) {
      const src = chunk.dataset.src;
      const done = fetch(src, { headers: { "X-Blade": "fragment" }, credentials: "same-origin" })
        .then((answer) => { if (!answer.ok) throw new Error(String(answer.status)); return answer.text(); })
        .then((made) => {
          chunk.innerHTML = made;
          delete chunk.dataset.src;
          watch(chunk);
        })
        .catch(() => { loading.delete(chunk); });
      loading.set(chunk, done);
    }
    return loading.get(chunk);
  };
  const near = new IntersectionObserver((seen) => {
    for (const one of seen) if (one.isIntersecting) { near.unobserve(one.target); load(one.target); }
  }, { rootMargin: "1200px 0px" });
  const watch = (root) => {
    for (const chunk of every(".chunk[data-src]", root)) near.observe(chunk);
    for (const link of every("a[data-load]", root)) {
      link.addEventListener("click", (event) => {
        event.preventDefault();
        const place = link.closest("[data-more]");
        place.dataset.src = place.dataset.more;
        load(place);
      });
    }
  };

  // -- the address: every item and every mark can be reached --------------------------------------------------------
  const number = (anchor) => {
    const match = /^(?:item|parts)-(-?\d+)/.exec(anchor);
    return match ? Number(match[1]) : Infinity;
  };
  const chunkOf = (anchor) => every(".chunk[data-first]").find(
    (chunk) => number(chunk.dataset.first) <= number(anchor) && number(anchor) <= number(chunk.dataset.last));
  const settle = (anchor) => {
    let target = anchor;  // words that several findings quote are marked once, with an empty place for each other
    while (target.tagName === "SPAN" && target.previousElementSibling) target = target.previousElementSibling;
    const chunk = target.closest(".chunk");
    if (chunk) chunk.classList.add("now");
    const rest = [0, 60, 250];  // chunks above may still take their place
    for (const wait of rest) setTimeout(() => target.scrollIntoView({ block: "center", behavior: "instant" }), wait);
    for (const mark of every("mark.now")) mark.classList.remove("now");
    if (target.tagName === "MARK") target.classList.add("now");
    const item = target.closest(".item");
    if (item) item.focus({ preventScroll: true });
  };
  const reach = (anchor, via) => {
    if (!anchor) return;
    const there = document.getElementById(anchor);
    if (there) { settle(there); return; }
    const chunk = chunkOf(via || anchor);
    if (chunk) load(chunk).then(() => { const found = document.getElementById(anchor); if (found) settle(found); });
  };
  const here = () => decodeURIComponent(window.location.hash.slice(1));
  window.addEventListener("hashchange", () => reach(here()));
  for (const link of every("a[data-mark]")) {
    link.addEventListener("click", (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      window.history.pushState(null, "", link.href);
      reach(here(), link.dataset.mark);
    });
  }

  // -- filters apply at once ------------------------------------------------------------------------------------------
  for (const form of every("form[data-filters]")) {
    form.addEventListener("change", (event) => { if (event.target.tagName === "SELECT") form.requestSubmit(); });
    form.addEventListener("formdata", (event) => {
      for (const [name, value] of [...event.formData.entries()]) if (!value) event.formData.delete(name);
    });
  }

  // -- keys -----------------------------------------------------------------------------------------------------------
  const onScreen = () => {
    const shown = every("[data-row]").filter((row) => row.getClientRects().length);
    const at = shown.indexOf(document.activeElement.closest("[data-row]"));
    if (at >= 0) return { shown, at };
    const below = shown.findIndex((row) => row.getBoundingClientRect().bottom > 120);
    return { shown, at: (below < 0 ? shown.length : below) - 0.5 };
  };
  const step = (by) => {
    const { shown, at } = onScreen();
    const next = shown[by > 0 ? Math.floor(at + 1) : Math.ceil(at - 1)];
    if (next) {
      next.focus({ preventScroll: true });
      next.scrollIntoView({ block: next.classList.contains("item") ? "start" : "nearest", behavior: "instant" });
    } else {
      const waiting = every(".chunk[data-src]");
      if (waiting.length) load(by > 0 ? waiting[0] : waiting[waiting.length - 1]);
    }
  };
  const marks = (by) => {
    const links = every("a[data-mark]");
    if (!links.length) return;
    const now = links.findIndex((link) => new URL(link.href).hash === window.location.hash);
    links[(now + by + links.length + (now < 0 && by < 0 ? 1 : 0)) % links.length].click();
  };
  const follow = (selector) => { const link = document.querySelector(selector); if (link) link.click(); };
  const dialog = document.getElementById("keys-shown");
  const keys = {
    j: () => step(1), k: () => step(-1), n: () => marks(1), p: () => marks(-1),
    "]": () => follow("a[data-after]"), "[": () => follow("a[data-before]"), u: () => follow("a[data-up]"),
    "/": () => document.getElementById("find").focus(), "?": () => dialog.showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog.open) return;
    if (event.target.closest("input, select, textarea")) { if (event.key === "Escape") event.target.blur(); return; }
    if (event.key === "Enter" && event.target.matches("article[data-row]")) { follow("#" + CSS.escape(event.target.id) + " .number"); return; }
    const act = keys[event.key];
    if (act) { event.preventDefault(); act(); }
  });
  const button = document.getElementById("keys");
  button.hidden = false;
  button.addEventListener("click", () => dialog.showModal());

  watch(document);
  reach(here());
})();
