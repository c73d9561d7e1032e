// From chart data to ECharts options. All choices of style are here; colours are CSS variables of page.css, so that
// dark mode and print need no second drawing.
import type { BarSeriesOption, CustomSeriesOption, LineSeriesOption } from "echarts/charts";
import type {
  AriaComponentOption,
  DataZoomComponentOption,
  GridComponentOption,
  LegendComponentOption,
  TitleComponentOption,
  TooltipComponentOption,
} from "echarts/components";
import type { ComposeOption } from "echarts/core";
import type { Axis, ChartData, Panel, Point, Series, Stretch } from "./data";

export type Option = ComposeOption<
  | LineSeriesOption
  | BarSeriesOption
  | CustomSeriesOption
  | AriaComponentOption
  | DataZoomComponentOption
  | GridComponentOption
  | LegendComponentOption
  | TitleComponentOption
  | TooltipComponentOption
>;

export const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";
const SYMBOLS = ["circle", "diamond", "triangle", "rect", "emptyCircle", "emptyDiamond", "emptyTriangle", "emptyRect"];
/** Number of points beyond which symbols would hide the line. */
const MOST_SYMBOLS = 40;
const TOP = 34;
/** Extra height for the names of sections of the x axis, in a strip above the first panel. */
const STRIP = 20;
const GAP = 46;
const BOTTOM = 52;
/** Extra height for a title of the x axis. */
const TITLE = 22;
/** Pixels per letter of a label, and between two labels. */
const LETTER = 6.4;
const APART = 4;
/** Degrees by which labels are turned that do not fit side by side. */
const TURNED = 45;

export const colourOf = (index: number): string => `var(--c${index % 8})`;

/** Height of a chart in CSS pixels: its panels, the gaps between them, axis and slider. */
export function heightOf(chart: ChartData, narrow: boolean): number {
  const gap = gapOf(chart, narrow);
  const title = chart.x.title === "" ? 0 : TITLE;
  return (
    topOf(chart) + chart.panels.length * (panelHeight(chart, narrow) + gap) + bottomOf(chart, narrow) + title - GAP
  );
}

const topOf = (chart: ChartData): number => (chart.stretches.length > 0 ? TOP + STRIP : TOP);

const rightOf = (narrow: boolean): number => (narrow ? 14 : 22);

/** Height between panels: axis labels, in two lines on a phone, and the title of the next panel. */
const gapOf = (chart: ChartData, narrow: boolean): number =>
  chart.x.scale === "category" && !crowded(chart, narrow) && (narrow || wraps(chart)) ? GAP + 16 : GAP;

/** Height of the slider. */
const SLIDER = 22;

/** Height below the last panel for labels in one line. */
const below = (chart: ChartData): number => (canZoom(chart) ? BOTTOM : BOTTOM - SLIDER);

/** Height below the last panel; more if labels take two lines or are turned. */
function bottomOf(chart: ChartData, narrow: boolean): number {
  if (crowded(chart, narrow)) {
    const longest = chart.x.labels.reduce((most, text) => Math.max(most, text.length), 0);
    return below(chart) + Math.ceil(longest * LETTER * Math.sin((TURNED * Math.PI) / 180));
  }
  return wraps(chart) ? below(chart) + 16 : below(chart);
}

/** Approximate pixels per category. */
const roomOf = (axis: Axis, narrow: boolean): number => (narrow ? 290 : 880) / Math.max(1, axis.labels.length);

/** Whether labels do not fit side by side even in two lines; then they are turned, below the last panel only. */
function crowded(chart: ChartData, narrow: boolean): boolean {
  const room = roomOf(chart.x, narrow);
  return (
    chart.x.scale === "category" && chart.x.labels.some((text) => Math.ceil(text.length / 2) * LETTER + APART > room)
  );
}

/** Whether category labels need more than one line. */
const wraps = (chart: ChartData): boolean =>
  chart.x.scale === "category" && chart.x.labels.some((text) => text.length > 14);

function panelHeight(chart: ChartData, narrow: boolean): number {
  const one = narrow ? 190 : 230;
  return chart.panels.length === 1 ? one : Math.round(one * 0.72);
}

export function optionsOf(chart: ChartData, narrow: boolean, width: number): Option {
  const all = chart.panels.map((_, index) => index);
  return {
    animation: false,
    aria: { enabled: true, label: { description: chart.description }, decal: { show: false } },
    textStyle: { fontFamily: FONT, fontSize: 12, color: "var(--ink-soft)" },
    legend: { show: false, selected: selection(chart) },
    axisPointer: { link: [{ xAxisIndex: "all" }] },
    tooltip: tooltip(),
    grid: all.map((index) => grid(chart, index, narrow)),
    xAxis: all.map((index) => xAxis(chart, index, narrow)),
    yAxis: chart.panels.map((panel, index) => yAxis(chart, panel, index)),
    dataZoom: canZoom(chart) ? zoom(all) : [],
    series: chart.panels.flatMap((panel, index) => panelSeries(chart, panel, index, narrow, width)),
  };
}

/** Series that are hidden until the reader asks for them. */
export const selection = (chart: ChartData): Record<string, boolean> =>
  Object.fromEntries(chart.panels.flatMap(({ series }) => series.map(({ name, hidden }) => [name, hidden !== true])));

function grid(chart: ChartData, index: number, narrow: boolean): GridComponentOption {
  const height = panelHeight(chart, narrow);
  return {
    left: leftOf(chart),
    right: rightOf(narrow),
    top: topOf(chart) + index * (height + gapOf(chart, narrow)),
    height,
    outerBoundsMode: "none",
  };
}

/** Room for the longest figure on any y axis, so that all panels start at the same position. */
function leftOf(chart: ChartData): number {
  const values = chart.panels.flatMap(({ series }) => series.flatMap(({ points }) => points.map(([, y]) => y ?? 0)));
  const highest = values.reduce((one, other) => Math.max(one, other), 0);
  return 30 + Math.ceil(highest * 1.2).toLocaleString("en").length * 6;
}

function xAxis(chart: ChartData, index: number, narrow: boolean) {
  const last = index === chart.panels.length - 1;
  const common = {
    gridIndex: index,
    name: last ? chart.x.title : "",
    nameLocation: "middle" as const,
    nameGap: 30,
    nameTextStyle: { color: "var(--ink-soft)" },
    axisLine: { lineStyle: { color: "var(--rule-strong)" } },
    axisTick: { show: true, lineStyle: { color: "var(--rule-strong)" } },
    axisPointer: { label: { show: false }, lineStyle: { color: "var(--rule-strong)" } },
  };
  const turned = crowded(chart, narrow);
  const label = { show: last || !turned, color: "var(--ink-soft)", hideOverlap: true };
  return { ...common, ...scale(chart.x, label, narrow, turned) };
}

function scale(axis: Axis, label: object, narrow: boolean, turned: boolean) {
  switch (axis.scale) {
    case "category": {
      const width = Math.max(64, Math.min(190, roomOf(axis, narrow) - 2 * APART));
      const named = { ...label, hideOverlap: false, interval: 0 };
      const beside = { overflow: "break" as const, width, verticalAlign: "top" as const, margin: 9, lineHeight: 13 };
      const axisLabel = turned ? { ...named, rotate: TURNED } : { ...named, ...beside };
      return { type: "category" as const, data: axis.labels, axisLabel };
    }
    case "log2": {
      const axisLabel = { ...label, customValues: axis.ticks };
      const [low, high] = [axis.ticks[0] ?? 1, axis.ticks[axis.ticks.length - 1] ?? 1];
      const range = { min: low / 1.15, max: high * 1.15 };
      const tick = { show: true, customValues: axis.ticks, lineStyle: { color: "var(--rule-strong)" } };
      return { type: "log" as const, logBase: 2, ...range, axisLabel, axisTick: tick, splitLine: { show: false } };
    }
    case "linear": {
      const ticks = axis.ticks.length > 0 ? { customValues: axis.ticks } : {};
      const axisTick = { show: true, ...ticks, lineStyle: { color: "var(--rule-strong)" } };
      const end = axis.end > 0 ? { max: axis.end } : {};
      const axisLabel = { ...label, ...ticks, showMaxLabel: axis.ticks.length > 0 };
      return { type: "value" as const, min: 0, ...end, axisLabel, axisTick, splitLine: { show: false } };
    }
  }
}

function yAxis(chart: ChartData, panel: Panel, index: number) {
  const values = panel.series.flatMap(({ points }) => points.map(([, y]) => y ?? 0));
  // A share ends at 100 %.
  const end = panel.unit === "%" && values.every((value) => value <= 100) ? { max: 100, interval: 25 } : {};
  const ends = panel.series.flatMap(({ ranges }) => ranges.flatMap(([, low, high]) => [low, high]));
  const range = panel.log === true ? logRange([...values, ...ends]) : { type: "value" as const, min: 0, ...end };
  return {
    ...range,
    gridIndex: index,
    name: `${panel.title} (${panel.unit})`,
    nameLocation: "end" as const,
    nameGap: index === 0 && chart.stretches.length > 0 ? 10 + STRIP : 10,
    nameTextStyle: {
      align: "left" as const,
      padding: [0, 0, 0, -leftOf(chart) + 4],
      color: "var(--ink)",
      fontWeight: 600 as const,
    },
    splitNumber: 4,
    axisLabel: { color: "var(--ink-soft)" },
    splitLine: { lineStyle: { color: "var(--rule)" } },
  };
}

/** A logarithmic axis over the whole decades of the values. */
function logRange(values: number[]) {
  const above = values.filter((value) => value > 0);
  const [low, high] = [Math.min(...above), Math.max(...above)];
  const decade = (value: number, round: (exponent: number) => number) => 10 ** round(Math.log10(value));
  return { type: "log" as const, logBase: 10, min: decade(low, Math.floor), max: decade(high * 1.001, Math.ceil) };
}

/** Fewer places on the x axis can all be seen at once. */
const LEAST_ZOOMED = 25;

/** Whether a part of the x axis is worth a closer look. */
const canZoom = (chart: ChartData): boolean =>
  chart.panels.some(({ series }) => series.some(({ points }) => points.length >= LEAST_ZOOMED));

/** Drag to move, Ctrl and wheel to zoom (the wheel alone scrolls the page), and a slider for other input. */
function zoom(xAxisIndex: number[]): DataZoomComponentOption[] {
  return [
    {
      type: "inside",
      xAxisIndex,
      filterMode: "none",
      zoomOnMouseWheel: "ctrl",
      moveOnMouseWheel: false,
      preventDefaultMouseMove: false,
    },
    {
      type: "slider",
      xAxisIndex,
      filterMode: "none",
      height: 14,
      bottom: 6,
      showDetail: false,
      showDataShadow: false,
      brushSelect: false,
      borderColor: "var(--rule)",
      backgroundColor: "var(--sunken)",
      fillerColor: "var(--zoom)",
      handleSize: 18,
      handleStyle: { color: "var(--paper)", borderColor: "var(--rule-strong)" },
      moveHandleSize: 0,
      emphasis: { handleStyle: { color: "var(--paper)", borderColor: "var(--ink-soft)" } },
    },
  ];
}

function panelSeries(
  chart: ChartData,
  panel: Panel,
  index: number,
  narrow: boolean,
  width: number,
): Option["series"] & object[] {
  const drawn = panel.series.flatMap((series) => {
    const main = panel.kind === "bar" ? bar(panel, series, index, valued(panel, narrow)) : line(series, index);
    return series.ranges.length === 0 ? [main] : [main, ranges(panel, series, index)];
  });
  if (chart.stretches.length === 0) return drawn;
  const plot = width - leftOf(chart) - rightOf(narrow);
  const names = index === 0 ? namesOf(chart, plot) : [];
  return drawn.map((series, first) => (first === 0 ? { ...series, markArea: areas(chart, names) } : series));
}

/** Most bars of a panel for which each shows its value. */
const MOST_VALUES = 16;

/** The text of a point without its unit. */
export const figureOf = (point: Point, unit: string): string =>
  point[1] === null ? "" : point[2].endsWith(` ${unit}`) ? point[2].slice(0, -unit.length - 1) : point[2];

/** Bars show their values if there is room. */
function valued(panel: Panel, narrow: boolean): boolean {
  const bars = panel.series.filter(({ hidden }) => hidden !== true).reduce((sum, one) => sum + one.points.length, 0);
  return panel.kind === "bar" && bars <= (narrow ? MOST_VALUES / 4 : MOST_VALUES);
}

/** Hatching of published figures. */
export const HATCHED = {
  symbol: "rect",
  dashArrayX: [1, 0],
  dashArrayY: [2, 5],
  rotation: -Math.PI / 4,
  color: "var(--paper)",
};

/** The mark of a disturbed figure is drawn at its point too; it comes from the text of the point. */
export function marked(point: Point): { value: Point; label?: object } {
  const mark = /[▲▼◆]/u.exec(point[2])?.[0];
  return mark === undefined
    ? { value: point }
    : { value: point, label: { show: true, position: "top", formatter: mark, color: "var(--ink)", fontSize: 10 } };
}

const common = (
  series: Series,
  index: number,
  data: { value: Point; label?: object }[] = series.points.map(marked),
) => ({
  name: series.name,
  xAxisIndex: index,
  yAxisIndex: index,
  data,
  dimensions: ["x", "y", "text", "heading"],
  encode: { x: 0, y: 1 },
  emphasis: { disabled: true },
});

function bar(panel: Panel, series: Series, index: number, values: boolean): BarSeriesOption {
  const label = { show: values, position: "top", color: "var(--ink)", fontSize: 10 };
  const formatter = ({ value }: { value?: unknown }): string => figureOf(value as Point, panel.unit);
  // With values at the bars, a mark stands in the text of its value.
  const drawn = values ? series.points.map((value) => ({ value })) : series.points.map(marked);
  return {
    ...common(series, index, drawn),
    type: "bar",
    barMaxWidth: 34,
    barGap: "12%",
    itemStyle: {
      color: colourOf(series.colour),
      borderRadius: [2, 2, 0, 0],
      ...(series.hatched === true ? { decal: HATCHED } : {}),
    },
    ...(values ? { label: { ...label, formatter } } : {}),
  } as BarSeriesOption;
}

function line(series: Series, index: number): LineSeriesOption {
  const many = series.points.length > MOST_SYMBOLS;
  return {
    ...common(series, index),
    type: "line",
    connectNulls: false,
    showSymbol: !many,
    symbol: SYMBOLS[series.colour % SYMBOLS.length] ?? "circle",
    symbolSize: 7,
    itemStyle: { color: colourOf(series.colour) },
    lineStyle: { color: colourOf(series.colour), width: many ? 1.5 : 2, type: strokeOf(series) },
  } as LineSeriesOption;
}

function strokeOf(series: Series): "dotted" | "dashed" | "solid" {
  if (series.hatched === true) return "dotted";
  return series.dashed ? "dashed" : "solid";
}

/** Whiskers from the lowest to the highest round. They have the series' name, so its legend entry hides them too. */
function ranges(panel: Panel, series: Series, index: number): CustomSeriesOption {
  // The library lays out only the bars that are shown.
  const shown = panel.series.filter(({ hidden }) => hidden !== true);
  const siblings = shown.length;
  const position = shown.indexOf(series);
  return {
    type: "custom",
    name: series.name,
    xAxisIndex: index,
    yAxisIndex: index,
    silent: true,
    z: 5,
    tooltip: { show: false },
    encode: { x: 0, y: [1, 2] },
    data: series.ranges,
    renderItem: (_, api) => {
      const [x, low, high] = [api.value(0), api.value(1), api.value(2)];
      const bottom = api.coord([x, low]);
      const top = api.coord([x, high]);
      const slots =
        panel.kind === "bar" ? (api.barLayout?.({ barMaxWidth: 34, barGap: "12%", count: siblings }) ?? []) : [];
      const at = (bottom[0] ?? 0) + (slots[position]?.offsetCenter ?? 0);
      const [from, to] = [bottom[1] ?? 0, top[1] ?? 0];
      const stroke = { stroke: "var(--ink)", lineWidth: 1.2, fill: "none" };
      const shape = (x1: number, y1: number, x2: number, y2: number) => ({
        type: "line" as const,
        shape: { x1, y1, x2, y2 },
        style: stroke,
      });
      return {
        type: "group",
        children: [shape(at, from, at, to), shape(at - 4, from, at + 4, from), shape(at - 4, to, at + 4, to)],
      };
    },
  } as CustomSeriesOption;
}

/**
 * Label above each section: number and name if they fit, only the number if that fits beside the previous label,
 * otherwise nothing. The list below the legend has all sections.
 */
export function namesOf(chart: ChartData, plot: number): string[] {
  const at = (x: number) => (x / (chart.x.end || 1)) * plot;
  let taken = 0;
  return chart.stretches.map(({ from, to, label }, index) => {
    const number = String(index + 1);
    const room = at(to) - at(from) - APART;
    const name = [`${number} ${label}`, number].find((text, short) => {
      const half = (text.length * LETTER) / 2;
      return short === 0 ? 2 * half <= room : (at(from) + at(to)) / 2 - half >= taken;
    });
    if (name === undefined) return "";
    taken = (at(from) + at(to)) / 2 + (name.length * LETTER) / 2 + APART;
    return name;
  });
}

/** Sections as bands; the first panel names them. */
function areas(chart: ChartData, names: string[]): LineSeriesOption["markArea"] {
  const style = (index: number) => ({ color: index % 2 === 0 ? "var(--band)" : "transparent" });
  const label = (text: string) => ({
    show: text !== "",
    position: "top" as const,
    distance: 5,
    formatter: text,
    color: "var(--ink-soft)",
    fontSize: 11,
  });
  return {
    silent: true,
    data: chart.stretches.map((stretch: Stretch, index) => [
      { xAxis: stretch.from, itemStyle: style(index), label: label(names[index] ?? "") },
      { xAxis: stretch.to },
    ]),
  };
}

interface Hovered {
  seriesName?: string;
  seriesType?: string;
  axisIndex?: number;
  value?: unknown;
  marker?: string;
  color?: unknown;
}

export function tooltip(): TooltipComponentOption {
  return {
    trigger: "axis",
    confine: true,
    className: "tooltip",
    renderMode: "html",
    backgroundColor: "var(--paper)",
    borderColor: "var(--rule-strong)",
    textStyle: { color: "var(--ink)", fontFamily: FONT, fontSize: 12 },
    axisPointer: { type: "line" },
    formatter: (hovered) =>
      tooltipBody((Array.isArray(hovered) ? hovered : [hovered]) as Hovered[]) as unknown as string,
  };
}

/** Built from nodes, never from HTML text, because names come from outside. */
function tooltipBody(hovered: Hovered[]): HTMLElement {
  const body = document.createElement("div");
  const rows = hovered.filter((one) => one.seriesType !== "custom" && Array.isArray(one.value));
  const heading = rows.map((one) => (one.value as Point)[3]).find((text) => text !== undefined);
  if (heading !== undefined) {
    const title = document.createElement("strong");
    title.textContent = heading;
    body.append(title);
  }
  for (const one of rows) {
    const row = document.createElement("div");
    row.className = "tooltip-row";
    const key = document.createElement("i");
    key.style.background = typeof one.color === "string" ? one.color : "var(--ink-soft)";
    const name = document.createElement("span");
    name.textContent = one.seriesName ?? "";
    const value = document.createElement("b");
    value.textContent = (one.value as Point)[2];
    row.append(key, name, value);
    body.append(row);
  }
  return body;
}
