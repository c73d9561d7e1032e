// A chart as a drawing of its own: SVG text that needs neither this page nor its style sheet, and the figures as rows.
// Works without a document, so that the program can draw the same charts outside a browser.
import { init } from "echarts/core";
import type { ChartData, Point } from "./data";
import { FONT, type Option } from "./options";

/** The colours of page.css in light mode; build.mjs puts them in. */
declare const PALETTE: Record<string, string>;

/** Pixels per letter of the legend, around a name with its key, and of a line of it. */
const LETTER = 6.8;
const KEY = 44;
const LINE = 22;

/** The colours of the style sheet in place of their names. */
const coloured = (svg: string): string => svg.replace(/var\(--([\w-]+)\)/g, (_, name) => PALETTE[name] ?? "#000");

/** The names that the reader sees, each once. */
function names(chart: ChartData): string[] {
  const shown = chart.panels.flatMap(({ series }) => series.filter(({ hidden }) => hidden !== true));
  return [...new Set(shown.map(({ name }) => name))];
}

/** Height of the legend: its names side by side, in as many lines as they need; none for a single series. */
function legendHeight(chart: ChartData, width: number): number {
  const all = names(chart);
  if (all.length < 2) return 0;
  let [lines, used] = [1, 0];
  for (const name of all) {
    const own = name.length * LETTER + KEY;
    if (used > 0 && used + own > width) [lines, used] = [lines + 1, 0];
    used += own;
  }
  return lines * LINE + 8;
}

/** A grid or a title, or several, this far below their places. */
const lower = (grid: unknown, by: number): unknown =>
  Array.isArray(grid)
    ? grid.map((one) => ({ ...one, top: one.top + by }))
    : { ...(grid as { top: number }), top: (grid as { top: number }).top + by };

/** The chart as SVG text, `width` pixels wide. `option` is its drawing on a page of that width, `height` its height. */
export function svgOf(chart: ChartData, option: Option, width: number, height: number): string {
  const above = legendHeight(chart, width);
  const legend = {
    show: above > 0,
    data: names(chart),
    left: 0,
    top: 0,
    width,
    itemGap: 16,
    selectedMode: false,
    selected: (option.legend as { selected?: object } | undefined)?.selected,
    textStyle: { fontFamily: FONT, fontSize: 12, color: "var(--ink)" },
  };
  const drawn = init(null, null, { renderer: "svg", ssr: true, width, height: height + above });
  const title = option.title === undefined ? undefined : lower(option.title, above);
  const whole = { ...option, title, legend, grid: lower(option.grid, above), backgroundColor: "var(--paper)" };
  // A file has no tooltips and no slider.
  drawn.setOption({ ...whole, tooltip: { show: false }, dataZoom: [], aria: { enabled: false } } as Option);
  const svg = coloured(drawn.renderToSVGString());
  drawn.dispose();
  const words = chart.description.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  // A function, because words may hold `$1`.
  return svg.replace(/<svg[^>]*>/, (open) => `${open}<title>${words}</title>`);
}

/** The value of a point with the signs that its text has: of a bound, and of a disturbed figure. */
function figure(point: Point | undefined): string {
  if (point === undefined || point[1] === null) return "";
  const bound = /[≥≤~]/u.exec(point[2])?.[0];
  const mark = /[▲▼◆]/u.exec(point[2])?.[0];
  return [bound, String(point[1]), mark].filter((part) => part !== undefined).join(" ");
}

/** A row for each place on the x axis, a column for each series of each panel; the first row has the headings. */
export function rowsOf(chart: ChartData): string[][] {
  const columns = chart.panels.flatMap((panel) => panel.series.map((series) => ({ panel, series })));
  const several = chart.panels.length > 1;
  const head = columns.map(({ panel, series }) => `${several ? `${panel.title}: ` : ""}${series.name} (${panel.unit})`);
  const places = new Map<string, Point[]>();
  columns.forEach(({ series }, column) => {
    for (const point of series.points) {
      const label = chart.x.labels[point[0]] ?? String(point[0]);
      const row = places.get(label) ?? [];
      // A line is broken by a point without a figure, at the place of the one before it.
      if (point[1] !== null || row[column] === undefined) row[column] = point;
      places.set(label, row);
    }
  });
  const rows = [...places].map(([label, points]) => [label, ...columns.map((_, column) => figure(points[column]))]);
  return [[chart.x.title === "" ? "x" : chart.x.title, ...head], ...rows];
}
