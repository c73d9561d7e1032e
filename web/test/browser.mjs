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
  const cargo = ["run", "--quiet", "-p", "drivelab-report", "--example", "sample_page", "--", path, kind];
  execFileSync("cargo", cargo, { cwd: ROOT, stdio: ["ignore", "inherit", "inherit"] });
  return { path, remove: () => rmSync(folder, { recursive: true }) };
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

  /** Drawn lines and bars of a chart, as the strokes and fills in series colours. */
  async marks(index, colour) {
    // The library draws in the next frame.
    await this.page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))));
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
