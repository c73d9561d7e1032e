// The shapes of what Rust hands over in the page: the mirror of crates/report/src/figure/chart.rs, which says what each
// means.
// Numbers arrive with their printed text; this side lays out and computes nothing.

/** x, y (null where there is no figure to draw), the text of y, and the heading of its tooltip. */
export type Point = [x: number, y: number | null, text: string, heading?: string];

export interface Series {
  name: string;
  /** Index into the palette of page.css; the same thing has the same colour in every chart. */
  colour: number;
  dashed: boolean;
  points: Point[];
  /** Lowest and highest round, where there were several. */
  ranges: [x: number, low: number, high: number][];
}

export interface Panel {
  title: string;
  unit: string;
  kind: "line" | "bar";
  series: Series[];
}

export interface Axis {
  title: string;
  scale: "category" | "log2" | "linear";
  /** Texts of a category axis; a point's x is an index into them. */
  labels: string[];
  /** Where a numeric axis has its ticks: the values that were run; empty where the drawing may choose. */
  ticks: number[];
  /** Where a linear axis ends; 0 where the drawing may choose. */
  end: number;
}

/** A stretch of the x axis with a name, such as the steps of one test. */
export interface Stretch {
  from: number;
  to: number;
  label: string;
}

export interface ChartData {
  id: string;
  /** What is to be seen, for those who do not see it. */
  description: string;
  x: Axis;
  panels: Panel[];
  stretches: Stretch[];
}
