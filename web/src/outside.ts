// The same charts outside a browser: the program runs this script in an engine of its own, which has no document.
import type { ChartData } from "./data";
import { savedSvg } from "./drawing";

/** The engine has no clock, and a drawing without animation waits for nothing. */
const never = (): number => 0;

/** A chart, as the page has it in JSON, as SVG text. */
const drawSvg = (chart: string): string => savedSvg(JSON.parse(chart) as ChartData);

Object.assign(globalThis, { setTimeout: never, clearTimeout: never, drawSvg });
