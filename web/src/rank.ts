// Ranking bars: horizontal, one for each name, the first at the top, each with its value.
import type { BarSeriesOption, CustomSeriesOption } from "echarts/charts";
import type { ChartData, Panel, Point, Series } from "./data";
import { colourOf, FONT, figureOf, HATCHED, type Option, selection, tooltip } from "./options";

/** Least height of a bar with the gap to the next; more where a name takes three lines. */
const ROW = 30;
/** Pixels per letter and per line of a name. */
const LETTER = 5.9;
const LINE = 13;
const TOP = 30;
const BOTTOM = 30;
/** Room for the names. */
const NAMES = { wide: 250, narrow: 120 };
/** Letters of a line of the title on a phone, and pixels of a further line. */
const TITLE = 44;
const TITLE_LINE = 14;

export const isRanking = (chart: ChartData): boolean => chart.panels[0]?.kind === "rank";

const namesOf = (narrow: boolean): number => (narrow ? NAMES.narrow : NAMES.wide);

/** Height of a row: words break whole, so a line holds a little less than its width. */
function rowOf(chart: ChartData, narrow: boolean): number {
  const lines = chart.x.labels.map((name) => Math.ceil((name.length * LETTER * 1.15) / namesOf(narrow)));
  return Math.max(ROW, LINE * Math.max(1, ...lines) + 6);
}

/** The title, in as many lines as a phone needs. */
function titleOf({ title, unit }: Panel, narrow: boolean): string {
  const most = narrow ? TITLE : Number.POSITIVE_INFINITY;
  const lines: string[] = [""];
  for (const word of `${title} (${unit})`.split(" ")) {
    const line = `${lines.at(-1)} ${word}`.trim();
    if (line.length <= most || lines.at(-1) === "") lines[lines.length - 1] = line;
    else lines.push(word);
  }
  return lines.join("\n");
}

/** Room above the bars for the title. */
const topOf = (chart: ChartData, narrow: boolean): number =>
  TOP + TITLE_LINE * (titleOf(chart.panels[0] as Panel, narrow).split("\n").length - 1);

/** Room behind the bars for the longest value; words behind a value may take several lines. */
function valuesOf(panel: Panel, narrow: boolean): number {
  const texts = panel.series.flatMap(({ points }) => points.map((point) => figureOf(point, panel.unit).length));
  return Math.min(Math.max(48, Math.max(0, ...texts) * LETTER + 12), narrow ? 100 : 210);
}

export const rankHeight = (chart: ChartData, narrow: boolean): number =>
  topOf(chart, narrow) + BOTTOM + rowOf(chart, narrow) * chart.x.labels.length;

export function rankOptions(chart: ChartData, narrow: boolean): Option {
  const panel = chart.panels[0] as Panel;
  const width = namesOf(narrow);
  return {
    animation: false,
    aria: { enabled: true, label: { description: chart.description }, decal: { show: false } },
    textStyle: { fontFamily: FONT, fontSize: 12, color: "var(--ink-soft)" },
    legend: { show: false, selected: selection(chart) },
    tooltip: { ...tooltip(), axisPointer: { type: "shadow" } },
    title: {
      text: titleOf(panel, narrow),
      left: 0,
      top: 4,
      padding: [0, 4],
      textStyle: { fontFamily: FONT, fontSize: 12, fontWeight: 600, lineHeight: TITLE_LINE, color: "var(--ink)" },
    },
    grid: {
      left: width + 12,
      right: valuesOf(panel, narrow),
      top: topOf(chart, narrow),
      bottom: BOTTOM,
      outerBoundsMode: "none",
    },
    xAxis: {
      type: "value",
      min: 0,
      axisLabel: { color: "var(--ink-soft)", hideOverlap: true },
      splitLine: { lineStyle: { color: "var(--rule)" } },
    },
    yAxis: {
      type: "category",
      inverse: true,
      data: chart.x.labels,
      axisLabel: { interval: 0, width, overflow: "break", fontSize: 11, lineHeight: 13, color: "var(--ink)" },
      axisLine: { lineStyle: { color: "var(--rule-strong)" } },
      axisTick: { show: false },
    },
    series: panel.series.flatMap((series) => [bars(panel, series, valuesOf(panel, narrow)), ...whiskers(series)]),
  };
}

/** Inside the bar, where no whisker crosses it, unless the bar is too short for it or hatched. */
const labelOf = (point: Point, widest: number, hatched: boolean): object =>
  (point[1] ?? 0) > 0.25 * widest && !hatched
    ? { position: "insideLeft", color: "var(--paper)" }
    : { position: "right", color: "var(--ink)" };

function bars(panel: Panel, series: Series, room: number): BarSeriesOption {
  const all = panel.series.flatMap(({ points }) => points.map((point) => point[1] ?? 0));
  const widest = Math.max(0, ...all);
  return {
    type: "bar",
    name: series.name,
    // A name has one bar, whichever series it belongs to.
    barGap: "-100%",
    barMaxWidth: 18,
    data: series.points.map((point) => ({ value: point, label: labelOf(point, widest, series.hatched === true) })),
    dimensions: ["place", "x", "text", "heading"],
    encode: { x: 1, y: 0 },
    emphasis: { disabled: true },
    itemStyle: {
      color: colourOf(series.colour),
      borderRadius: [0, 2, 2, 0],
      ...(series.hatched === true ? { decal: HATCHED } : {}),
    },
    // A value with words behind it, such as `105 (sensor 1, doubtful)`, takes several lines.
    label: {
      show: true,
      fontSize: 11,
      lineHeight: 12,
      width: room - 8,
      overflow: "break",
      formatter: ({ value }: { value?: unknown }) => figureOf(value as Point, panel.unit),
    },
  } as BarSeriesOption;
}

function whiskers(series: Series): CustomSeriesOption[] {
  if (series.ranges.length === 0) return [];
  return [
    {
      type: "custom",
      name: series.name,
      silent: true,
      z: 5,
      tooltip: { show: false },
      encode: { x: [1, 2], y: 0 },
      data: series.ranges,
      renderItem: (_, api) => {
        const [place, low, high] = [api.value(0), api.value(1), api.value(2)];
        const [from, to] = [api.coord([low, place]), api.coord([high, place])];
        const [left, right, y] = [from[0] ?? 0, to[0] ?? 0, from[1] ?? 0];
        const style = { stroke: "var(--ink)", lineWidth: 1.2, fill: "none" };
        const line = (x1: number, y1: number, x2: number, y2: number) => ({
          type: "line" as const,
          shape: { x1, y1, x2, y2 },
          style,
        });
        return {
          type: "group",
          children: [line(left, y, right, y), line(left, y - 4, left, y + 4), line(right, y - 4, right, y + 4)],
        };
      },
    } as CustomSeriesOption,
  ];
}
