// Ranking bars: horizontal, one for each name, the first at the top, each with its value.
import type { BarSeriesOption, CustomSeriesOption } from "echarts/charts";
import type { ChartData, Panel, Point, Series } from "./data";
import { colourOf, FONT, figureOf, HATCHED, type Option, selection, tooltip } from "./options";

/** Height of a bar with the gap to the next. */
const ROW = 30;
const TOP = 30;
const BOTTOM = 30;
/** Room for the names, and for the values behind the bars. */
const NAMES = { wide: 250, narrow: 120 };
const VALUES = 90;

export const isRanking = (chart: ChartData): boolean => chart.panels[0]?.kind === "rank";

export const rankHeight = (chart: ChartData): number => TOP + BOTTOM + ROW * chart.x.labels.length;

export function rankOptions(chart: ChartData, narrow: boolean): Option {
  const panel = chart.panels[0] as Panel;
  const width = narrow ? NAMES.narrow : NAMES.wide;
  return {
    animation: false,
    aria: { enabled: true, label: { description: chart.description }, decal: { show: false } },
    textStyle: { fontFamily: FONT, fontSize: 12, color: "var(--ink-soft)" },
    legend: { show: false, selected: selection(chart) },
    tooltip: { ...tooltip(), axisPointer: { type: "shadow" } },
    grid: { left: width + 12, right: VALUES, top: TOP, bottom: BOTTOM, outerBoundsMode: "none" },
    xAxis: {
      type: "value",
      min: 0,
      name: `${panel.title} (${panel.unit})`,
      nameLocation: "start",
      nameGap: 0,
      nameTextStyle: {
        align: "left",
        verticalAlign: "bottom",
        padding: [0, 0, ROW * chart.x.labels.length + 8, -width - 8],
        color: "var(--ink)",
        fontWeight: 600,
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
    label: {
      show: true,
      fontSize: 11,
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
