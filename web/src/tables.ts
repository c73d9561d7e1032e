// Gives every table of figures copy buttons: they copy the shown content as CSV or TSV.

export function addCopyButtons(): void {
  for (const table of document.querySelectorAll<HTMLTableElement>("table[data-copy]")) {
    const bar = document.createElement("div");
    bar.className = "copy";
    bar.append(
      button("Copy as CSV", () => csv(rowsOf(table))),
      button("Copy as TSV", () => tsv(rowsOf(table))),
    );
    (table.closest(".scroll") ?? table).after(bar);
  }
}

function button(title: string, text: () => string): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = title;
  made.addEventListener("click", async () => {
    const copied = await copy(text());
    made.textContent = copied ? "Copied" : "Could not copy";
    setTimeout(() => {
      made.textContent = title;
    }, 1500);
  });
  return made;
}

function rowsOf(table: HTMLTableElement): string[][] {
  return [...table.rows].map((row) => [...row.cells].map(textOf));
}

/** A figure of one thousand or more, with or without signs: `≥ 1,505 ▲`. */
const FIGURE = /^[^\p{L}\d]*\d{1,3}(,\d{3})+(\.\d+)?[^\p{L}\d]*$/u;

/** `data-value` has the plain value of a cell with bars or signs. Commas are removed for spreadsheets. */
export function textOf(cell: HTMLTableCellElement): string {
  const text = (cell.dataset.value ?? cell.textContent ?? "").replace(/\s+/g, " ").trim();
  return FIGURE.test(text) ? text.replaceAll(",", "") : text;
}

/** Puts an apostrophe before text that a spreadsheet would take for a formula; numbers stay numbers. */
function harmless(text: string): string {
  return /^[=+\-@\t\r]/.test(text) && Number.isNaN(Number(text)) ? `'${text}` : text;
}

export function csv(rows: string[][]): string {
  const quoted = (text: string) => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
  return rows.map((row) => `${row.map((text) => quoted(harmless(text))).join(",")}\r\n`).join("");
}

export function tsv(rows: string[][]): string {
  return rows.map((row) => `${row.map((text) => harmless(text.replaceAll("\t", " "))).join("\t")}\n`).join("");
}

async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copyBySelection(text);
  }
}

/** For browsers that deny the clipboard to pages opened from a file. */
function copyBySelection(text: string): boolean {
  const area = document.createElement("textarea");
  area.value = text;
  area.style.position = "fixed";
  area.style.opacity = "0";
  document.body.append(area);
  area.select();
  const done = document.execCommand("copy");
  area.remove();
  return done;
}
