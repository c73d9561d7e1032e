// Which drawing a chart has, on a page and as a file. Needs no document.
import { BarChart, CustomChart, LineChart } from "echarts/charts";
import {
  AriaComponent,
  AxisPointerComponent,
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  MarkAreaComponent,
  TitleComponent,
  TooltipComponent,
} from "echarts/components";
import { use } from "echarts/core";
import { SVGRenderer } from "echarts/renderers";
import type { ChartData } from "./data";
import { svgOf } from "./exported";
import { heightOf, type Option, optionsOf } from "./options";
import { isRanking, rankHeight, rankOptions } from "./rank";

use([
  AriaComponent,
  AxisPointerComponent,
  BarChart,
  CustomChart,
  DataZoomComponent,
  GridComponent,
  LegendComponent,
  LineChart,
  MarkAreaComponent,
  SVGRenderer,
  TitleComponent,
  TooltipComponent,
]);

/** Width of a saved chart. */
const SAVED = 960;

/** The chart as SVG text, as wide as on a desktop. */
export const savedSvg = (chart: ChartData): string =>
  svgOf(chart, drawing(chart, false, SAVED), SAVED, pixels(chart, false));

export const pixels = (chart: ChartData, narrow: boolean): number =>
  isRanking(chart) ? rankHeight(chart, narrow) : heightOf(chart, narrow);

export const drawing = (chart: ChartData, narrow: boolean, width: number): Option =>
  isRanking(chart) ? rankOptions(chart, narrow) : optionsOf(chart, narrow, width);
