// The report page in a real browser: one file, no error, no request, charts that answer, tables that can be copied.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { after, before, describe, test } from "node:test";
import { launch, ReportPage, samplePage, until, whyNot } from "./browser.mjs";

const skip = whyNot() ?? false;

/** From the first to the last label of an axis. */
const span = (labels) => labels[labels.length - 1] - labels[0];

describe("the page of a run", { skip }, () => {
  let browser;
  let sample;
  let report;

  before(async () => {
    sample = samplePage("");
    browser = await launch();
    report = await ReportPage.open(browser, sample.path);
  });
  after(async () => {
    await browser?.close();
    sample?.remove();
  });

  test("stays below 2 MB", () => {
    assert.ok(statSync(sample.path).size < 2_000_000);
  });

  test("draws every chart and leaves no table empty", async () => {
    const charts = await report.charts().count();
    assert.ok(charts >= 4, `${charts} charts`);
    assert.equal(await report.page.locator(".chart svg").count(), charts);
    for (const table of await report.tables().all()) {
      assert.ok((await table.locator("tbody tr").count()) > 0, await table.locator("caption").textContent());
    }
  });

  test("has a slider only where there is something to zoom", async () => {
    const charts = JSON.parse(await report.page.locator("#drivelab-charts").textContent());
    const points = ({ panels }) => Math.max(...panels.flatMap(({ series }) => series.map((one) => one.points.length)));
    const long = charts.filter((chart) => points(chart) >= 25).map(({ id }) => id);
    assert.ok(long.length > 0 && long.length < charts.length, `${long}`);
    const drawn = await report.page
      .locator(".chart")
      .evaluateAll((all) => all.filter((chart) => chart.innerHTML.includes("var(--zoom)")).map(({ id }) => id));
    assert.deepEqual(drawn.sort(), long.sort());
  });

  test("hides and shows a series by its legend, by keyboard as well", async () => {
    const charts = JSON.parse(await report.page.locator("#drivelab-charts").textContent());
    const all = ({ panels }) => panels.flatMap(({ series }) => series).filter(({ colour }) => colour === 1);
    const at = charts.findIndex((chart) => all(chart).length > 0 && all(chart).every(({ name }) => name === "Write"));
    const button = report.legend(at).filter({ hasText: "Write" });
    const drawn = await report.marks(at, 1);
    assert.ok(drawn > 0);
    await button.click();
    assert.equal(await button.getAttribute("aria-pressed"), "false");
    const marks = () => report.marks(at, 1);
    assert.equal(await until(marks, (now) => now === 0), 0);
    await button.press("Enter");
    assert.equal(await until(marks, (now) => now === drawn), drawn);
  });

  test("shows a figure of the table where the pointer is", async () => {
    const chart = report.charts().first();
    await chart.scrollIntoViewIfNeeded();
    const { x, y, width } = await chart.locator("svg").first().boundingBox();
    await report.page.mouse.move(x + width * 0.2, y + 90);
    const tooltip = report.page.locator(".tooltip").first();
    await tooltip.waitFor({ state: "visible" });
    const shown = await tooltip.locator("b").first().textContent();
    const table = await chart.locator("xpath=ancestor::figure[1]//table").textContent();
    const [figure] = shown.replace("≥ ", "").split(" ");
    assert.ok(table.includes(figure), `${shown} is in no cell of the table of the chart`);
  });

  test("saves every chart as SVG, PNG and CSV with its figures", async () => {
    const charts = JSON.parse(await report.page.locator("#drivelab-charts").textContent());
    const saved = async (id, title) => {
      const waiting = report.page.waitForEvent("download");
      await report.page.locator(`#${id}`).getByRole("button", { name: title, exact: true }).click();
      const download = await waiting;
      return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
    };
    for (const [index, chart] of charts.entries()) {
      // Chromium drops downloads beyond ten without a pause of a second; no reader is that fast.
      if (index % 4 === 3) await new Promise((later) => setTimeout(later, 1200));
      const svg = await saved(chart.id, "Save as SVG");
      const text = svg.bytes.toString();
      assert.equal(svg.name, `${chart.id}.svg`);
      assert.ok(text.startsWith("<svg") && !text.includes("var(--") && !text.includes("NaN"), chart.id);
      for (const { title, series } of chart.panels) {
        assert.ok(text.includes(title.replace("&", "&amp;")), `${chart.id}: no axis ${title}`);
        const shown = series.filter(({ hidden }) => hidden !== true);
        if (shown.length > 1) for (const { name } of shown) assert.ok(text.includes(name), `${chart.id}: no ${name}`);
      }
      const csv = (await saved(chart.id, "Save as CSV")).bytes.toString();
      const figures = csv
        .trim()
        .split("\r\n")
        .slice(1)
        .flatMap((line) => line.split(",").slice(1));
      const drawn = chart.panels.flatMap(({ series }) => series.flatMap(({ points }) => points.map(([, y]) => y)));
      const marks = chart.panels.flatMap(({ series }) =>
        series.flatMap(({ points }) => points.map(([, , says]) => says)),
      );
      assert.equal(/[▲▼◆]/u.test(figures.join("")), /[▲▼◆]/u.test(marks.join("")), `${chart.id}: marks`);
      const known = drawn.filter((y) => y !== null);
      assert.deepEqual(
        figures
          .filter((text) => text !== "")
          .map((text) => Number(text.replace(/[≥≤~▲▼◆ ]/gu, "")))
          .sort((a, b) => a - b),
        known.sort((a, b) => a - b),
        chart.id,
      );
    }
    const png = await saved(charts[0].id, "Save as PNG");
    assert.equal(png.bytes.subarray(1, 4).toString(), "PNG");
    assert.equal(png.bytes.readUInt32BE(16), 1920, "twice the width of the drawing");
    assert.ok(png.bytes.length > 10_000, `${png.bytes.length} bytes`);
  });

  test("names the sections of the whole run, none over another, and lists all of them", async () => {
    const names = await report.sectionNames();
    assert.ok(names.length >= 3, `${names.length} names in the drawing`);
    names.slice(1).forEach(({ text, left, bottom }, index) => {
      assert.ok(left >= names[index].right, `${text} runs into ${names[index].text}`);
      assert.ok(bottom <= names[index].plotTop, `${text} stands in the plot`);
    });
    const listed = await report.page.locator("#whole .sections li").allTextContents();
    const { stretches } = await report.chartData("whole-run");
    assert.equal(listed.length, stretches.length);
    stretches.forEach(({ label }, index) => {
      assert.ok(listed[index].startsWith(label), `${listed[index]} is not ${label}`);
    });
  });

  test("draws every axis of figures from zero, or says that it is logarithmic", async () => {
    const scales = await report.lowestFigures();
    assert.ok(scales.length >= 6, `${scales.length} panels`);
    const isLogarithmic = ({ title }) => title.endsWith(", logarithmic");
    assert.deepEqual(
      scales.filter((scale) => (scale.lowest === "0") === isLogarithmic(scale)),
      [],
    );
    // Bars of latency begin at zero, lines do not.
    const lines = scales.filter(({ title }) => /^(latency|response)/i.test(title)).filter(isLogarithmic);
    assert.ok(lines.length > 2, `${scales.map(({ title }) => title)}`);
  });

  test("zooms by Ctrl and wheel, not by the wheel alone", async () => {
    const { x, y, width } = await report.reach(report.timeChart());
    const whole = await report.timeLabels();
    await report.page.mouse.move(x + width / 2, y + 90);
    await report.page.mouse.wheel(0, -120);
    assert.deepEqual(await report.timeLabels(), whole);
    await report.reach(report.timeChart());
    await report.page.keyboard.down("Control");
    for (let turn = 0; turn < 8; turn++) await report.page.mouse.wheel(0, -120);
    await report.page.keyboard.up("Control");
    const zoomed = await until(
      () => report.timeLabels(),
      (labels) => span(labels) < span(whole),
    );
    assert.ok(span(zoomed) < span(whole), `${zoomed} after ${whole}`);
  });

  test("zooms by its slider", async () => {
    const fresh = await ReportPage.open(browser, sample.path);
    const { x, y, width, height } = await fresh.reach(fresh.timeChart());
    const whole = await fresh.timeLabels();
    const right = x + width - 22;
    const slider = y + height - 6 - 7;
    await fresh.page.mouse.move(right, slider);
    await fresh.page.mouse.down();
    await fresh.page.mouse.move(right - width / 2, slider, { steps: 8 });
    await fresh.page.mouse.up();
    const zoomed = await until(
      () => fresh.timeLabels(),
      (labels) => span(labels) < span(whole),
    );
    assert.ok(span(zoomed) < span(whole), `${zoomed} after ${whole}`);
    assert.equal(zoomed[0], whole[0], "the left end stays");
    assert.deepEqual(fresh.troubles, []);
    await fresh.close();
  });

  test("copies a table as CSV", async () => {
    await report.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await report.unfold();
    await report.page.getByRole("button", { name: "Copy as CSV" }).nth(1).click();
    const rows = await report.tables().nth(1).locator("tr").count();
    const lines = (text) => text.trimEnd().split("\r\n").length;
    const clipboard = () => report.page.evaluate(() => navigator.clipboard.readText());
    const text = await until(clipboard, (text) => lines(text) === rows);
    assert.equal(lines(text), rows);
    // On a busy machine figures carry signs: a bound before them, a mark behind.
    assert.match(text, /,(≥ )?\d{4,}(\.\d+)?( [▲▼◆])?[,\r]/, "a figure of a thousand and more is a plain number");
    assert.doesNotMatch(text, /"[≥ ]*\d{1,3}(,\d{3})+(\.\d+)?[ ▲▼◆]*"/, "no figure has commas");
  });

  test("unfolds a definition that a heading of a table leads to", async () => {
    const link = report.page.locator('a[href^="#metric-"]:visible').first();
    const name = (await link.getAttribute("href")).slice(1);
    const definition = report.page.locator(`[id="${name}"]`);
    assert.equal(await definition.isVisible(), false);
    await link.click();
    await definition.waitFor({ state: "visible" });
  });

  test("hands over its results as JSON", async () => {
    const download = report.page.waitForEvent("download");
    await report.page.locator("a[data-download]").click();
    const results = JSON.parse(readFileSync(await (await download).path(), "utf8"));
    assert.equal(results.schema, "drivelab.results");
    assert.ok(results.metrics.length > 0);
  });

  test("has no serious accessibility violation, in light and in dark", async () => {
    assert.deepEqual(await report.violations(), []);
    const dark = await ReportPage.open(browser, sample.path, { colorScheme: "dark" });
    assert.deepEqual(await dark.violations(), []);
    assert.deepEqual(dark.troubles, []);
    await dark.close();
  });

  test("fits a phone without scrolling sideways", async () => {
    const phone = await ReportPage.open(browser, sample.path, { viewport: { width: 390, height: 844 } });
    const width = await phone.page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${width} px wide`);
    assert.deepEqual(phone.troubles, []);
    await phone.close();
  });

  test("scales its charts to the paper", async () => {
    await report.page.emulateMedia({ media: "print" });
    await report.page.setViewportSize({ width: 700, height: 1000 });
    const heights = await report.page
      .locator(".canvas")
      .evaluateAll((drawings) => drawings.map((drawing) => drawing.getBoundingClientRect().height));
    assert.ok(
      heights.every((height) => height > 100),
      `charts are lost in print: ${heights}`,
    );
    const cut = await report.page
      .locator(".chart svg")
      .evaluateAll(
        (drawings) =>
          drawings.filter((drawing) => drawing.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
            .length,
      );
    assert.equal(cut, 0);
    await report.page.emulateMedia({ media: "screen" });
  });

  test("did all that without an error and without a request", () => {
    // The download is a blob made by the page itself.
    assert.deepEqual(
      report.troubles.filter((trouble) => !trouble.startsWith("request: blob:")),
      [],
    );
  });
});

for (const kind of [
  "several",
  "hostile",
  "loads",
  "long",
  "watched",
  "together",
  "rank",
  "arms",
  "beside",
  "published",
]) {
  test(`the page of ${kind} runs opens without an error, a request or a violation`, { skip }, async () => {
    const sample = samplePage(kind);
    const browser = await launch();
    try {
      const report = await ReportPage.open(browser, sample.path);
      assert.deepEqual(report.troubles, []);
      assert.equal(await report.page.evaluate(() => globalThis.broken), undefined, "a name from outside ran as script");
      assert.equal(await report.page.locator("img").count(), 0);
      assert.deepEqual(await report.violations(), []);
    } finally {
      await browser.close();
      sample.remove();
    }
  });
}

test("a test among many is one figure until it is unfolded or followed to; then its chart is drawn", {
  skip,
}, async () => {
  const sample = samplePage("long");
  const browser = await launch();
  try {
    const report = await ReportPage.open(browser, sample.path);
    const folded = report.page.locator("section:has(> details.test)");
    assert.ok((await folded.count()) > 2, "more than twelve tests");
    const drawing = (at) => folded.nth(at).locator(".chart .canvas svg").first();
    assert.equal(await folded.nth(0).locator(".chart").first().isVisible(), false);
    assert.match(await folded.nth(0).locator("p strong").first().textContent(), /\d (MB\/s|IOPS|µs)$/);
    await folded.nth(0).locator("details.test > summary").click();
    await drawing(0).waitFor({ state: "visible" });
    assert.ok((await drawing(0).boundingBox()).width > 500, "it is as wide as the page");
    const id = await folded.nth(1).getAttribute("id");
    await report.page.evaluate((place) => (location.hash = place), id);
    await drawing(1).waitFor({ state: "visible" });
    assert.deepEqual(report.troubles, []);
  } finally {
    await browser.close();
    sample.remove();
  }
});

test("a backlog and response times are drawn over time, from zero", { skip }, async () => {
  const sample = samplePage("loads");
  const browser = await launch();
  try {
    const report = await ReportPage.open(browser, sample.path);
    const scales = await report.lowestFigures();
    const overloaded = scales.filter(({ chart }) => chart === "overloaded-r300000-time");
    assert.deepEqual(
      overloaded.map(({ title }) => title),
      ["Throughput", "Latency, logarithmic", "Response time, logarithmic", "Backlog"],
    );
    assert.deepEqual(
      scales.filter(({ title, lowest }) => lowest !== "0" && !title.endsWith(", logarithmic")),
      [],
    );
  } finally {
    await browser.close();
    sample.remove();
  }
});

test("several drives at once: axes from zero, a table beside every chart, all drives over time", { skip }, async () => {
  const sample = samplePage("together");
  const browser = await launch();
  try {
    const report = await ReportPage.open(browser, sample.path);
    const scales = await report.lowestFigures();
    assert.ok(scales.length >= 6, `${scales.length} panels`);
    // The title of a logarithmic axis says so.
    assert.deepEqual(
      scales.filter(({ title, lowest }) => lowest !== "0" && !title.endsWith(", logarithmic")),
      [],
    );
    const time = scales.filter(({ chart }) => chart === "all-seconds");
    assert.deepEqual(
      time.map(({ title }) => title),
      ["All drives", "Each drive"],
    );
    const figures = report.page.locator("figure");
    for (const figure of await figures.all()) assert.equal(await figure.locator("table").count(), 1);
    const phone = await ReportPage.open(browser, sample.path, { viewport: { width: 390, height: 844 } });
    const width = await phone.page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${width} px wide`);
    await phone.close();
  } finally {
    await browser.close();
    sample.remove();
  }
});

test("ten drives side by side: eight are drawn, the others when asked for", { skip }, async () => {
  const sample = samplePage("many");
  const browser = await launch();
  try {
    const report = await ReportPage.open(browser, sample.path);
    const charts = await report.page.locator("#comparison .chart").count();
    assert.ok(charts >= 3, `${charts} charts`);
    assert.equal(await report.page.locator("#comparison .chart svg").count(), charts);
    const buttons = report.legend(0);
    assert.equal(await buttons.count(), 10);
    const pressed = async () => Promise.all((await buttons.all()).map((one) => one.getAttribute("aria-pressed")));
    assert.deepEqual(await pressed(), [...Array(8).fill("true"), "false", "false"]);
    await buttons.nth(9).click();
    assert.equal((await pressed())[9], "true");
    assert.deepEqual(report.troubles, []);
  } finally {
    await browser.close();
    sample.remove();
  }
});

test("a comparison has the figures of its document, in the table of headlines and in the folded one, and is copied", {
  skip,
}, async () => {
  const sample = samplePage("two");
  const browser = await launch();
  try {
    const report = await ReportPage.open(browser, sample.path);
    const document = JSON.parse(readFileSync(`${sample.path}.json`, "utf8"));
    const group = document.groups[0];
    const all = [...group.tests.flatMap(({ steps }) => steps.flatMap(({ figures }) => figures)), ...group.run];
    const number = (text) => Number((text.match(/-?[\d,]+(\.\d+)?/) ?? ["NaN"])[0].replaceAll(",", ""));
    const near = (shown, value, what) => {
      if (value === null) return assert.ok(!/\d/.test(shown) || /void|—/.test(shown), `${what}: ${shown}`);
      // Shown are three digits and more.
      assert.ok(Math.abs(number(shown) - value) <= 0.006 * Math.abs(value) + 0.006, `${what}: ${shown}, not ${value}`);
    };
    const details = report.page
      .locator("#comparison details")
      .filter({ has: report.page.locator("table") })
      .first();
    for (const [table, headline] of [
      [report.page.locator("#comparison table").first(), true],
      [details.locator("table").first(), false],
    ]) {
      const rows = await table
        .locator("tbody tr")
        .evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent.trim())));
      const figures = all.filter((figure) => figure.headline === headline);
      const filled = rows.filter((row) => row.slice(1).some((text) => text !== ""));
      assert.equal(filled.length, figures.length, `${headline}`);
      for (const [at, { metric, cells }] of figures.entries()) {
        const [, , ...shown] = filled[at];
        for (const side of [0, 1]) near(shown[side], cells[side].value, `${metric} ${filled[at][0]}`);
        if (cells[1].ratio !== null) near(shown[2], cells[1].ratio, `ratio of ${metric}`);
      }
    }
    await report.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const rows = await report.page.locator("#comparison table").first().locator("tr").count();
    await report.page.locator("#comparison").getByRole("button", { name: "Copy as CSV" }).first().click();
    const lines = (text) => text.trimEnd().split("\r\n").length;
    const copied = await until(
      () => report.page.evaluate(() => navigator.clipboard.readText()),
      (text) => lines(text) === rows,
    );
    assert.equal(lines(copied), rows);
    assert.deepEqual(report.troubles, []);
  } finally {
    await browser.close();
    sample.remove();
  }
});

test("a comparison is sorted by a column, the rows of each test by themselves, by keyboard", { skip }, async () => {
  const sample = samplePage("many");
  const browser = await launch();
  try {
    const report = await ReportPage.open(browser, sample.path);
    const table = report.page.locator("#comparison table").first();
    const rows = () =>
      table
        .locator("tbody tr")
        .evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent.trim())));
    const column = (await table.locator("thead th").allTextContents()).findIndex((title) => title.trim() === "A");
    const heading = table.locator("thead th").nth(column);
    const isTitle = (row) => row[0].endsWith(":");
    const figures = (all) => {
      const stretches = [[]];
      for (const row of all) {
        if (isTitle(row)) stretches.push([]);
        else stretches.at(-1).push(Number(row[column].replace(/[^\d.]/g, "")));
      }
      return stretches;
    };
    const before = await rows();
    assert.ok(before.filter(isTitle).length > 1 && figures(before).some((stretch) => stretch.length > 2), `${before}`);
    for (const [order, sign] of [
      ["descending", -1],
      ["ascending", 1],
    ]) {
      await heading.locator("button").press("Enter");
      assert.equal(await heading.getAttribute("aria-sort"), order);
      const after = await rows();
      assert.deepEqual(after.filter(isTitle), before.filter(isTitle));
      for (const stretch of figures(after)) {
        assert.deepEqual(
          stretch,
          [...stretch].sort((one, other) => sign * (one - other)),
        );
      }
    }
    assert.notDeepEqual(await rows(), before);
    await heading.locator("button").press("Enter");
    assert.deepEqual(await rows(), before, "as it was");
    assert.deepEqual(report.troubles, []);
  } finally {
    await browser.close();
    sample.remove();
  }
});

test("a ranking has the best drive at the top and a value at each bar, on a phone too", { skip }, async () => {
  const sample = samplePage("rank");
  const browser = await launch();
  try {
    for (const viewport of [
      { width: 1280, height: 900 },
      { width: 390, height: 844 },
    ]) {
      const report = await ReportPage.open(browser, sample.path, { viewport });
      const texts = await report.page.locator("#ranking svg text").allTextContents();
      const first = await report.page.locator("table tbody tr").first().locator("td, th").allTextContents();
      const value = first[2].replace(/[^\d.,]/g, "");
      assert.ok(
        texts.some((text) => text.includes(value)),
        `${value} is not among ${texts}`,
      );
      assert.ok(texts.findIndex((text) => text.startsWith("1. ")) < texts.findIndex((text) => text.startsWith("10. ")));
      const width = await report.page.evaluate(() => document.documentElement.scrollWidth);
      assert.ok(width <= viewport.width, `${width} px wide`);
      assert.deepEqual(report.troubles, []);
      await report.close();
    }
  } finally {
    await browser.close();
    sample.remove();
  }
});

test("published figures alone: a chart for each kind, and a table with the figures of the document", {
  skip,
}, async () => {
  const sample = samplePage("published");
  const browser = await launch();
  try {
    const report = await ReportPage.open(browser, sample.path);
    const charts = await report.page.locator("#published .chart").count();
    assert.ok(charts >= 2, `${charts} charts`);
    assert.equal(await report.page.locator("#published .chart svg").count(), charts);
    const document = JSON.parse(await report.page.locator("#drivelab-results").textContent());
    const rows = await report.page
      .locator("#published table")
      .last()
      .locator("tbody tr")
      .evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent.trim())));
    assert.equal(rows.length, document.published.rows.length);
    const numbers = (text) => text.match(/[\d,]+(\.\d+)?/g)?.map((one) => Number(one.replaceAll(",", ""))) ?? [];
    const sides = document.published.sides.map((side) => side.name);
    for (const [at, { figures }] of document.published.rows.entries()) {
      for (const [side, name] of sides.entries()) {
        const own = figures.filter((figure) => figure.side === name).map((figure) => figure.value);
        assert.deepEqual(numbers(rows[at][2 + side]).slice(0, own.length), own, `${rows[at]}`);
      }
    }
    const phone = await ReportPage.open(browser, sample.path, { viewport: { width: 390, height: 844 } });
    const width = await phone.page.evaluate(() => document.documentElement.scrollWidth);
    assert.ok(width <= 390, `${width} px wide`);
    await phone.close();
    assert.deepEqual(report.troubles, []);
  } finally {
    await browser.close();
    sample.remove();
  }
});

test("a run beside published figures: hatched series with its own, the rest folded", { skip }, async () => {
  const sample = samplePage("beside");
  const browser = await launch();
  try {
    const report = await ReportPage.open(browser, sample.path);
    const charts = JSON.parse(await report.page.locator("#drivelab-charts").textContent());
    const sweep = charts.find((chart) => chart.panels.some((panel) => panel.series.some((series) => series.hatched)));
    const published = sweep.panels[0].series.filter((series) => series.hatched);
    assert.equal(published.length, 4);
    assert.deepEqual(
      published.map(({ points }) => points.filter((point) => point[1] !== null).length),
      [1, 1, 1, 1],
    );
    const folded = report.page.locator("#published details");
    assert.equal(await folded.getAttribute("open"), null);
    await folded.locator("summary").press("Enter");
    assert.ok(await folded.locator("table").isVisible());
    const words = (await report.page.locator("#comparison").textContent()).replaceAll(/\s+/g, " ");
    assert.match(words, /The published tests differ in system \(Windows; here Linux .*target \(partition; here /);
    assert.deepEqual(report.troubles, []);
  } finally {
    await browser.close();
    sample.remove();
  }
});
