// The lists of the page: select a corpus and a list, filter, sort, turn pages. The DOM contains only one page of rows.
// Data: corpora[] of {name, lists[] of {name, columns[]}}; a column has a title and values, which are texts, numbers
// (number: true), or indexes into `texts`. search: included in the search; choose: has a menu of its texts;
// atLeast: has a field for the minimum; decimals: the number of decimals.
const ROWS = 50;
const { corpora } = await unpack("data");
const root = document.getElementById("lists");
let corpus = 0, which = 0, page = 0, order = null, filters = {}, found = [];

const make = (tag, fields = {}, ...children) => {
  const element = Object.assign(document.createElement(tag), fields);
  element.append(...children);
  return element;
};
const list = () => corpora[corpus].lists[which];
const text = (column, row) => {
  const value = column.values[row];
  return column.texts ? column.texts[value] : value ?? "";
};
const shown = (column, row) => {
  const value = text(column, row);
  if (!column.number || value === "") return String(value);
  return value.toLocaleString("en", { minimumFractionDigits: column.decimals, maximumFractionDigits: column.decimals });
};

const top = make("nav"), tools = make("nav"), table = make("table"), pager = make("nav");
const status = make("span", { role: "status" });
root.replaceChildren(top, tools, table, pager);
pager.setAttribute("aria-label", "Pages");

function chooseList(newCorpus, newList) {
  corpus = newCorpus;
  which = Math.min(newList, corpora[corpus].lists.length - 1);
  page = 0; order = null; filters = {};
  showTop(); showTools(); look();
}

function showTop() {
  const names = corpora.map((one, at) => make("option", { value: at, textContent: one.name, selected: at === corpus }));
  const choice = make("select", { ariaLabel: "corpus", onchange: (event) => chooseList(Number(event.target.value), which) }, ...names);
  const buttons = corpora[corpus].lists.map((one, at) => {
    const button = make("button", { type: "button", textContent: one.name, onclick: () => chooseList(corpus, at) });
    button.setAttribute("aria-pressed", at === which);
    return button;
  });
  top.replaceChildren(...(corpora.length > 1 ? [choice] : []), ...buttons);
}

function showTools() {
  const fields = [];
  const set = (name, value) => { filters[name] = value; page = 0; look(); };
  if (list().columns.some((column) => column.search)) {
    const search = make("input", { type: "search", placeholder: "search", ariaLabel: "search" });
    search.oninput = () => set("search", search.value.trim().toLowerCase());
    fields.push(search);
  }
  list().columns.forEach((column, at) => {
    if (column.choose) {
      const all = make("option", { value: "", textContent: `any ${column.title}` });
      const options = column.texts.map((name, value) => make("option", { value, textContent: name || "(none)" }));
      const select = make("select", { ariaLabel: column.title }, all, ...options);
      select.onchange = () => set(at, select.value === "" ? null : Number(select.value));
      fields.push(select);
    } else if (column.atLeast) {
      const least = make("input", { type: "number", min: 1, value: 1 });
      least.oninput = () => set(at, Number(least.value) || 0);
      fields.push(make("label", {}, `${column.title} ≥`, least));
    }
  });
  tools.replaceChildren(...fields, status);
}

function matches() {
  const { columns } = list();
  const tests = [];
  if (filters.search) {
    const parts = columns.filter((column) => column.search);
    // repeated texts of a column are searched once
    const hits = parts.map((column) => column.texts?.map((one) => one.toLowerCase().includes(filters.search)));
    tests.push((row) => parts.some((column, at) => hits[at]
      ? hits[at][column.values[row]] : column.values[row].toLowerCase().includes(filters.search)));
  }
  columns.forEach((column, at) => {
    const wanted = filters[at];
    if (wanted === undefined || wanted === null) return;
    tests.push(column.choose ? (row) => column.values[row] === wanted : (row) => column.values[row] >= wanted);
  });
  const rows = [];
  const length = columns[0].values.length;
  for (let row = 0; row < length; row += 1) if (tests.every((test) => test(row))) rows.push(row);
  return rows;
}

function look() {
  found = matches();
  if (order) {
    const { values, number, texts } = list().columns[order.column];
    // texts that are embedded as numbers are numbered in sort order
    const compare = number || texts ? (a, b) => (values[a] ?? -1) - (values[b] ?? -1) : (a, b) => values[a].localeCompare(values[b]);
    found.sort((a, b) => (order.down ? -1 : 1) * compare(a, b) || a - b);
  }
  const all = list().columns[0].values.length;
  status.textContent = `${found.length.toLocaleString("en")} of ${all.toLocaleString("en")}`;
  showRows(); showPager();
}

function showRows() {
  const { columns } = list();
  const heads = columns.map((column, at) => {
    const arrow = order?.column === at ? (order.down ? " ▾" : " ▴") : "";
    const button = make("button", { type: "button", textContent: column.title + arrow });
    button.onclick = () => {
      order = { column: at, down: order?.column === at ? !order.down : Boolean(column.number) };
      page = 0; look();
    };
    const head = make("th", { scope: "col", className: column.number ? "" : "text" }, button);
    if (arrow) head.setAttribute("aria-sort", order.down ? "descending" : "ascending");
    return head;
  });
  const rows = found.slice(page * ROWS, (page + 1) * ROWS).map((row) => make("tr", {}, ...columns.map((column) =>
    make("td", { className: column.number ? "" : "text", dir: column.number ? "" : "auto", textContent: shown(column, row) }))));
  if (!rows.length) rows.push(make("tr", {}, make("td", { className: "none", colSpan: columns.length, textContent: "no matches" })));
  table.replaceChildren(make("thead", {}, make("tr", {}, ...heads)), make("tbody", {}, ...rows));
}

function showPager() {
  const pages = Math.max(1, Math.ceil(found.length / ROWS));
  const go = (label, name, to) => {
    const button = make("button", { type: "button", textContent: label, disabled: to < 0 || to >= pages || to === page });
    button.setAttribute("aria-label", name);
    button.onclick = () => { page = to; showRows(); showPager(); };
    return button;
  };
  pager.replaceChildren(
    go("«", "first page", 0), go("‹", "previous page", page - 1),
    make("span", { className: "where", textContent: `${(page + 1).toLocaleString("en")} / ${pages.toLocaleString("en")}` }),
    go("›", "next page", page + 1), go("»", "last page", pages - 1));
}

chooseList(0, 0);
