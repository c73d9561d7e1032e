// The types of the chart data in the page: they mirror crates/report/src/figure/chart.rs, which explains each.
// Numbers come with their printed text; the script only lays out and computes nothing.

/** x, y (null if there is no figure to draw), the text of y, and the heading of its tooltip. */
export type Point = [x: number, y: number | null, text: string, heading?: string];

export interface Series {
  name: string;
  /** Index into the palette of page.css; a quantity has the same colour in every chart. */
  colour: number;
  dashed: boolean;
  /** Published figures: hatched bars, dotted lines. */
  hatched?: boolean;
  /** Not drawn until the reader asks for it. */
  hidden?: boolean;
  points: Point[];
  /** Lowest and highest round, if there were several. */
  ranges: [x: number, low: number, high: number][];
}

export interface Panel {
  title: string;
  unit: string;
  /** `rank`: horizontal bars, one for each label of the x axis, the first at the top. */
  kind: "line" | "bar" | "rank";
  /** Logarithmic y axis (to base 10) instead of one from zero. */
  log?: boolean;
  series: Series[];
}

export interface Axis {
  title: string;
  scale: "category" | "log2" | "linear";
  /** Labels of a category axis; a point's x is an index into them. */
  labels: string[];
  /** Ticks of a numeric axis: the measured values; empty if the drawing may choose. */
  ticks: number[];
  /** End of a linear axis; 0 if the drawing may choose. */
  end: number;
}

/** A named section of the x axis, such as the steps of one test. */
export interface Stretch {
  from: number;
  to: number;
  label: string;
}

export interface ChartData {
  id: string;
  /** Description for readers who cannot see the chart. */
  description: string;
  x: Axis;
  panels: Panel[];
  stretches: Stretch[];
}
