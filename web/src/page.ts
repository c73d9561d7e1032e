// The page's script: charts, copy buttons, download of the raw results. All data is in the page already, and without
// this script the page still has all tables.
import { drawAll } from "./charts";
import type { ChartData } from "./data";
import { addSorting } from "./sorting";
import { addCopyButtons } from "./tables";
import { unfoldTargets } from "./unfold";

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

/** The results document of the page, as a file. */
function offerDownload(): void {
  const link = document.querySelector<HTMLAnchorElement>("a[data-download]");
  const text = textOf("drivelab-results");
  if (link === null || text === "") return;
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.hidden = false;
}

drawAll(JSON.parse(textOf("drivelab-charts") || "[]") as ChartData[]);
addCopyButtons();
addSorting();
offerDownload();
unfoldTargets();
