// Draws the charts into their elements on the page, and gives each a legend and buttons to save it.
import { type EChartsType, init } from "echarts/core";
import type { ChartData } from "./data";
import { drawing, pixels, savedSvg } from "./drawing";
import { colourOf } from "./options";
import { saving } from "./save";

/** Width in CSS pixels below which labels are laid out for a phone. */
const NARROW = 560;

export function drawAll(charts: ChartData[]): void {
  for (const chart of charts) {
    const place = document.getElementById(chart.id);
    if (place !== null) whenShown(place, () => draw(chart, place));
  }
}

/** Draws now, or when the place is unfolded: a folded one has no width to draw for, and most are never looked at. */
function whenShown(place: HTMLElement, drawIt: () => void): void {
  if (place.clientWidth > 0) {
    drawIt();
    return;
  }
  const watch = new ResizeObserver(() => {
    if (place.clientWidth === 0) return;
    watch.disconnect();
    drawIt();
  });
  watch.observe(place);
}

function draw(chart: ChartData, place: HTMLElement): void {
  const canvas = document.createElement("div");
  canvas.className = "canvas";
  place.replaceChildren(canvas);
  let narrow = place.clientWidth < NARROW;
  canvas.style.height = `${pixels(chart, narrow)}px`;
  const drawn = init(canvas, null, { renderer: "svg" });
  drawn.setOption(drawing(chart, narrow, place.clientWidth));
  place.prepend(legend(chart, drawn), ...sections(chart));
  place.append(saving(chart, () => savedSvg(chart)));
  scalable(canvas);
  new ResizeObserver(() => {
    // In print, the style sheet scales the existing drawing.
    if (matchMedia("print").matches || place.clientWidth === 0) return;
    const now = place.clientWidth < NARROW;
    if (now !== narrow) {
      narrow = now;
      canvas.style.height = `${pixels(chart, narrow)}px`;
      drawn.setOption(drawing(chart, narrow, place.clientWidth));
    }
    drawn.resize();
    scalable(canvas);
  }).observe(place);
}

/** A viewBox lets print scale the drawing to the paper; otherwise a chart would be cut off at its screen width. */
function scalable(canvas: HTMLElement): void {
  const svg = canvas.querySelector("svg");
  svg?.setAttribute("viewBox", `0 0 ${canvas.clientWidth} ${canvas.clientHeight}`);
}

/** The numbered list of all sections of the x axis; the drawing names only those with enough room. */
function sections(chart: ChartData): HTMLElement[] {
  if (chart.stretches.length === 0) return [];
  const list = document.createElement("ol");
  list.className = "sections";
  list.setAttribute("aria-label", "Sections of the run");
  for (const { from, to, label } of chart.stretches) {
    const time = document.createElement("span");
    const seconds = (at: number): string => (to < 10 ? at.toFixed(1) : String(Math.round(at)));
    time.textContent = ` ${seconds(from)}–${seconds(to)} s`;
    const item = document.createElement("li");
    item.append(label, time);
    list.append(item);
  }
  return [list];
}

/** Buttons instead of the library's legend: they wrap, work with the keyboard and are read by screen readers. */
function legend(chart: ChartData, drawn: EChartsType): HTMLElement {
  const list = document.createElement("div");
  list.className = "legend";
  list.setAttribute("role", "group");
  list.setAttribute("aria-label", "Show or hide series");
  const series = new Map(chart.panels.flatMap((panel) => panel.series).map((one) => [one.name, one]));
  for (const [name, { colour, dashed, hatched, hidden }] of series) {
    const button = document.createElement("button");
    button.type = "button";
    button.setAttribute("aria-pressed", String(hidden !== true));
    const key = document.createElement("i");
    key.className = hatched === true ? "key dotted" : dashed ? "key dashed" : "key";
    key.style.setProperty("--key", colourOf(colour));
    button.append(key, name);
    button.addEventListener("click", () => {
      const shown = button.getAttribute("aria-pressed") !== "true";
      button.setAttribute("aria-pressed", String(shown));
      drawn.dispatchAction({ type: shown ? "legendSelect" : "legendUnSelect", name });
    });
    list.append(button);
  }
  return list;
}
