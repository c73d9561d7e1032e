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
/** Room for the names, and for the values behind the bars. */
const NAMES = { wide: 250, narrow: 120 };
const VALUES = 90;
/** Width of the title on a phone. */
const TITLE = 330;

export const isRanking = (chart: ChartData): boolean => chart.panels[0]?.kind === "rank";

const namesOf = (narrow: boolean): number => (narrow ? NAMES.narrow : NAMES.wide);

/** Height of a row: words break whole, so a line holds a little less than its width. */
function rowOf(chart: ChartData, narrow: boolean): number {
  const lines = chart.x.labels.map((name) => Math.ceil((name.length * LETTER * 1.15) / namesOf(narrow)));
  return Math.max(ROW, LINE * Math.max(1, ...lines) + 6);
}

const titleOf = ({ title, unit }: Panel): string => `${title} (${unit})`;

/** Room above the bars: the title takes more lines on a phone. */
function topOf(chart: ChartData, narrow: boolean): number {
  const title = titleOf(chart.panels[0] as Panel);
  const lines = narrow ? Math.ceil((title.length * LETTER * 1.3) / TITLE) : 1;
  return TOP + 15 * (lines - 1);
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
    grid: { left: width + 12, right: VALUES, top: topOf(chart, narrow), bottom: BOTTOM, outerBoundsMode: "none" },
    xAxis: {
      type: "value",
      min: 0,
      name: titleOf(panel),
      nameLocation: "start",
      nameGap: 0,
      nameTextStyle: {
        align: "left",
        verticalAlign: "bottom",
        padding: [0, 0, rowOf(chart, narrow) * chart.x.labels.length + 8, -width - 8],
        color: "var(--ink)",
        fontWeight: 600,
        lineHeight: 15,
        ...(narrow ? { width: TITLE, overflow: "break" as const } : {}),
      },
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
    series: panel.series.flatMap((series) => [bars(panel, series), ...whiskers(series)]),
  };
}

/** Inside the bar, where no whisker crosses it, unless the bar is too short for it or hatched. */
const labelOf = (point: Point, widest: number, hatched: boolean): object =>
  (point[1] ?? 0) > 0.25 * widest && !hatched
    ? { position: "insideLeft", color: "var(--paper)" }
    : { position: "right", color: "var(--ink)" };

function bars(panel: Panel, series: Series): BarSeriesOption {
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
      width: VALUES - 6,
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
