// The page's script: charts, copy buttons, the download of the raw results. Everything it shows lies in the page
// already; without this script the tables are all there.
import { drawAll } from "./charts";
import type { ChartData } from "./data";
import { addCopyButtons } from "./tables";

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
offerDownload();
