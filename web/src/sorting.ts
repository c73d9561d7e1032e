// Sorts tables by a column: a button in each heading. Rows stay below the heading of their test.
import { textOf } from "./tables";

/** Fewest rows worth sorting. */
const LEAST_ROWS = 4;

type Order = "none" | "descending" | "ascending";
const NEXT: Record<Order, Order> = { none: "descending", descending: "ascending", ascending: "none" };

export function addSorting(): void {
  for (const table of document.querySelectorAll<HTMLTableElement>("table[data-copy]:not(.corners, .answers)")) {
    const body = table.tBodies[0];
    if (body !== undefined && body.rows.length >= LEAST_ROWS) makeSortable(table, body);
  }
}

function makeSortable(table: HTMLTableElement, body: HTMLTableSectionElement): void {
  const original = [...body.rows];
  const headings = [...(table.tHead?.rows[0]?.cells ?? [])];
  headings.forEach((heading, column) => {
    const name = (heading.textContent ?? "").trim();
    const values = new Set(original.filter((row) => !isTitle(row)).map((row) => textIn(row, column)));
    if (name === "" || values.size < 2) return;
    const button = document.createElement("button");
    button.type = "button";
    button.className = "sort";
    button.title = `Sort by ${name}`;
    button.setAttribute("aria-label", button.title);
    button.addEventListener("click", () => {
      const order = NEXT[(heading.getAttribute("aria-sort") ?? "none") as Order];
      for (const other of headings) other.removeAttribute("aria-sort");
      if (order !== "none") heading.setAttribute("aria-sort", order);
      body.append(...(order === "none" ? original : sorted(original, column, order === "ascending" ? 1 : -1)));
    });
    // The unit stands on a line of its own.
    heading.insertBefore(button, heading.querySelector("small"));
  });
}

/** Whether a row is only the title of the rows below it. */
function isTitle(row: HTMLTableRowElement): boolean {
  const [first, ...rest] = [...row.cells].map(textOf);
  return first?.endsWith(":") === true && rest.every((text) => text === "");
}

/** The rows in order of a column, each stretch below a title by itself; rows without a value last. */
function sorted(rows: HTMLTableRowElement[], column: number, sign: 1 | -1): HTMLTableRowElement[] {
  const stretches: HTMLTableRowElement[][] = [[]];
  for (const row of rows) {
    if (isTitle(row)) stretches.push([row], []);
    else stretches.at(-1)?.push(row);
  }
  const compare = (one: HTMLTableRowElement, other: HTMLTableRowElement) =>
    order(textIn(one, column), textIn(other, column), sign);
  return stretches.flatMap((stretch) => [...stretch].sort(compare));
}

function textIn(row: HTMLTableRowElement, column: number): string {
  const cell = row.cells[column];
  return cell === undefined ? "" : textOf(cell);
}

function order(one: string, other: string, sign: 1 | -1): number {
  if (one === "" || other === "") return Number(one === "") - Number(other === "");
  const [first, second] = [figureOf(one), figureOf(other)];
  return sign * (first !== null && second !== null ? first - second : one.localeCompare(other));
}

/** The figure of a cell, with or without signs: `≥ 1505 ▲`, `1.02 †`, `-3 %`. */
function figureOf(text: string): number | null {
  const figure = /^[^\p{L}\d.+-]*([+-]?\d[\d,]*(\.\d+)?)/u.exec(text)?.[1];
  return figure === undefined ? null : Number(figure.replaceAll(",", ""));
}
