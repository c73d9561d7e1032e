// Opens pages in Debian's Chromium and watches for whatever a report must never do: errors and network requests.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

const CHROMIUM = process.env.CHROMIUM ?? "/usr/bin/chromium";
const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const AXE = fileURLToPath(new URL("../node_modules/axe-core/axe.min.js", import.meta.url));

/** Why the browser tests cannot run here; with CI set that is an error. */
export function whyNot() {
  if (existsSync(CHROMIUM)) return undefined;
  const why = `no browser at ${CHROMIUM} (Debian: apt-get install chromium, or name one in CHROMIUM)`;
  if (process.env.CI) throw new Error(why);
  console.log(`skipped: ${why}`);
  return why;
}

export const launch = () =>
  chromium.launch({
    executablePath: CHROMIUM,
    args: ["--headless", "--no-sandbox", "--disable-quic", "--disable-background-networking"],
  });

/** The page under test: the one named in PAGE, or a sample rendered by the crate itself. */
export function samplePage(kind) {
  if (process.env.PAGE && kind === "") return { path: process.env.PAGE, remove() {} };
  const folder = mkdtempSync(join(tmpdir(), "drivelab-page-"));
  const path = join(folder, `sample-${kind || "run"}.html`);
  sampleProgram ??= process.env.SAMPLE_PAGE ?? builtSampleProgram();
  execFileSync(sampleProgram, [path, kind], { stdio: ["ignore", "inherit", "inherit"] });
  return { path, remove: () => rmSync(folder, { recursive: true }) };
}

let sampleProgram;

/**
 * The program that writes the sample pages. It is built with the whole workspace, so that its dependencies have the
 * features that the Rust tests need too and nothing is built twice.
 */
function builtSampleProgram() {
  const words = ["build", "--workspace", "--locked", "--example", "sample_page", "--message-format", "json"];
  const stdio = ["ignore", "pipe", "inherit"];
  const messages = execFileSync("cargo", words, { cwd: ROOT, stdio, encoding: "utf8", maxBuffer: 2 ** 28 });
  const built = messages.split("\n").find((line) => line.includes('"executable":"'));
  return JSON.parse(built).executable;
}

/** Looks until it is so, for half a minute at most: a browser on a busy machine draws some frames later. */
export async function until(look, isSo) {
  const end = performance.now() + 30_000;
  let seen = await look();
  while (!isSo(seen) && performance.now() < end) {
    await new Promise((later) => setTimeout(later, 50));
    seen = await look();
  }
  return seen;
}

/** A page opened and watched; `troubles` collects what must stay empty. */
export class ReportPage {
  troubles = [];

  static async open(browser, path, options = {}) {
    const report = new ReportPage();
    report.context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    report.page = await report.context.newPage();
    const url = pathToFileURL(path).href;
    report.page.on("console", (message) => {
      if (["error", "warning"].includes(message.type())) report.troubles.push(`console: ${message.text()}`);
    });
    report.page.on("pageerror", (error) => report.troubles.push(`error: ${error.message}`));
    report.page.on("request", (request) => {
      if (request.url() !== url && !request.url().startsWith("data:"))
        report.troubles.push(`request: ${request.url()}`);
    });
    await report.page.goto(url);
    await report.page.locator(".chart svg").first().waitFor();
    return report;
  }

  charts = () => this.page.locator(".chart");
  tables = () => this.page.locator("table");
  legend = (index) => this.page.locator(".legend").nth(index).locator("button");

  /** Opens the tables of the charts. */
  unfold = () =>
    this.page.evaluate(() => {
      for (const table of document.querySelectorAll("details.data")) table.open = true;
    });

  /** The chart of the whole run over time. */
  timeChart = () => this.page.locator("#whole .chart .canvas").first();

  /** Scrolls the drawing fully into view and says where it is. */
  async reach(drawing) {
    await drawing.evaluate((element) => element.scrollIntoView({ block: "center", behavior: "instant" }));
    return drawing.boundingBox();
  }

  /** The library draws in the next frame. */
  drawn = () =>
    this.page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));

  /** What Rust handed over for a chart. */
  chartData = (id) =>
    this.page.evaluate(
      (id) => JSON.parse(document.getElementById("drivelab-charts").textContent).find((chart) => chart.id === id),
      id,
    );

  /** Names of sections in the drawing of the whole run, from left to right, with their places. */
  async sectionNames() {
    await this.drawn();
    return this.timeChart().evaluate((drawing) => {
      const texts = [...drawing.querySelectorAll("svg text")];
      const at = (text) => text.getBoundingClientRect();
      const highest = texts.filter((text) => text.getAttribute("text-anchor") === "end").map((text) => at(text).top);
      const plotTop = Math.min(...highest) + 8;
      return texts
        .filter((text) => text.getAttribute("text-anchor") === "middle" && at(text).bottom <= plotTop + 4)
        .map((text) => ({
          text: text.textContent,
          left: at(text).left,
          right: at(text).right,
          bottom: at(text).bottom,
          plotTop: plotTop + 4,
        }))
        .sort((one, other) => one.left - other.left);
    });
  }

  /** Numbers under the time axis of the whole run, from left to right. */
  async timeLabels() {
    await this.drawn();
    return this.timeChart()
      .locator('svg text[text-anchor="middle"]')
      .evaluateAll((texts) => {
        const numbers = texts.filter(({ textContent }) => /^[\d.,]+$/.test(textContent));
        const at = (text) => text.getBoundingClientRect();
        const bottom = Math.max(...numbers.map((text) => at(text).bottom));
        return numbers
          .filter((text) => bottom - at(text).bottom < 3)
          .sort((one, other) => at(one).left - at(other).left)
          .map(({ textContent }) => Number(textContent.replaceAll(",", "")));
      });
  }

  /** The lowest label of the axis of figures of every panel of every chart. */
  async lowestFigures() {
    await this.drawn();
    return this.page.evaluate(() => {
      const middle = (text) => (text.getBoundingClientRect().top + text.getBoundingClientRect().bottom) / 2;
      const charts = JSON.parse(document.getElementById("drivelab-charts").textContent);
      return charts.flatMap(({ id, panels }) => {
        const texts = [...document.getElementById(id).querySelectorAll("svg text")];
        const heads = panels.map(({ title, unit }) =>
          texts.filter(({ textContent }) => textContent === `${title} (${unit})`).map(middle),
        );
        const tops = heads.flat().sort((one, other) => one - other);
        // A panel's labels stand between its own heading and that of the next; they alone end at the axis.
        const labels = texts.filter((text) => text.getAttribute("text-anchor") === "end");
        return panels.map(({ title }, index) => {
          const own = labels.filter((one) => middle(one) > tops[index] && middle(one) < (tops[index + 1] ?? Infinity));
          const lowest = own.sort((one, other) => middle(other) - middle(one))[0]?.textContent;
          return { chart: id, title, lowest };
        });
      });
    });
  }

  /** Drawn lines and bars of a chart, as the strokes and fills in series colours. */
  async marks(index, colour) {
    await this.drawn();
    const drawing = this.charts().nth(index).locator("svg");
    return drawing.locator(`path[fill="var(--c${colour})"], path[stroke="var(--c${colour})"]`).count();
  }

  /** Serious and critical violations of the accessibility rules. */
  async violations() {
    await this.page.evaluate(readFileSync(AXE, "utf8"));
    const { violations } = await this.page.evaluate(() => globalThis.axe.run());
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(" | ")}`);
  }

  close = () => this.context.close();
}
