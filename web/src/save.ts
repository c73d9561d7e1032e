// Buttons below a chart that save it: as SVG and PNG for another page, as CSV for a spreadsheet.
import type { ChartData } from "./data";
import { rowsOf } from "./exported";
import { csv } from "./tables";

/** Pixels of the picture for each pixel of the drawing. */
const SHARP = 2;

/** The buttons for a chart; `svg` draws it. */
export function saving(chart: ChartData, svg: () => string): HTMLElement {
  const bar = document.createElement("div");
  bar.className = "copy save";
  const word = document.createElement("span");
  word.textContent = "Save";
  bar.append(
    word,
    button("SVG", `${chart.id}.svg`, async () => new Blob([svg()], { type: "image/svg+xml" })),
    button("PNG", `${chart.id}.png`, () => picture(svg())),
    button("CSV", `${chart.id}.csv`, async () => new Blob([csv(rowsOf(chart))], { type: "text/csv" })),
  );
  return bar;
}

function button(kind: string, file: string, make: () => Promise<Blob>): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = kind;
  made.setAttribute("aria-label", `Save as ${kind}`);
  made.addEventListener("click", async () => {
    try {
      save(await make(), file);
    } catch {
      made.textContent = "Could not save";
    }
  });
  return made;
}

function save(content: Blob, file: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = file;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}

/** An SVG text as PNG. */
async function picture(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = image.naturalWidth * SHARP;
  canvas.height = image.naturalHeight * SHARP;
  canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return await new Promise((resolve, reject) => {
    canvas.toBlob((made) => (made === null ? reject(new Error("no picture")) : resolve(made)), "image/png");
  });
}
