"use strict";
// Click a column's head to sort by it; click again to reverse.
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  const key = (row, k) => {
    const cell = row.cells[k];
    const text = cell.dataset.sort ?? cell.textContent.trim();
    const number = Number(text);
    return text !== "" && !Number.isNaN(number) ? number : text.toLowerCase();
  };
  heads.forEach((head, k) => head.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const rows = [...body.rows].sort((a, b) => {
      const x = key(a, k), y = key(b, k);
      const order = typeof x === typeof y ? (x < y ? -1 : x > y ? 1 : 0) : (typeof x === "number" ? -1 : 1);
      return down ? -order : order;
    });
    body.append(...rows);
  }));
}

// The contents stay open beside the text and closed above it; they mark where the reader is.
const toc = document.querySelector(".toc");
if (toc) {
  const list = toc.querySelector("details"), beside = matchMedia("(min-width:76rem)");
  const fit = () => { list.open = beside.matches; };
  fit(); beside.addEventListener("change", fit);
  const links = [...toc.querySelectorAll("a")];
  for (const link of links) link.addEventListener("click", fit);
  const places = links.map(link => document.getElementById(link.hash.slice(1)));
  const mark = () => {
    const above = places.filter(place => place.getBoundingClientRect().top < innerHeight / 3).length;
    links.forEach((link, k) => k === above - 1 ? link.setAttribute("aria-current", "true") : link.removeAttribute("aria-current"));
  };
  addEventListener("scroll", mark, { passive: true }); mark();
}
