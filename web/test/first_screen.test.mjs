// What stands on the first screens of a page: the short answer, then a chart, and no list of warnings before it.
// PAGES names a folder of pages to measure instead of the samples.
import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { basename, join } from "node:path";
import { test } from "node:test";
import { launch, ReportPage, samplePage, whyNot } from "./browser.mjs";

const skip = whyNot();

/** Screens within which the first chart begins: two on a desk, four on a phone. */
const SCREENS = [
  { width: 1200, height: 900, screens: 2 },
  { width: 390, height: 844, screens: 4 },
];
const MOST_TILES = 8;

const measured = (report) =>
  report.page.evaluate(() => {
    const edges = (selector) => {
      const box = document.querySelector(selector)?.getBoundingClientRect();
      return box && { top: box.top + scrollY, bottom: box.bottom + scrollY };
    };
    const chart = document.querySelector(".chart");
    const before = (one) => one.compareDocumentPosition(chart) & Node.DOCUMENT_POSITION_FOLLOWING;
    // Each run has a section of its own.
    const sections = [...document.querySelectorAll("[id$=findings]")];
    const statements = sections.map((section) =>
      [...section.querySelectorAll(".finding > summary")].map((one) => one.textContent.trim()),
    );
    return {
      answer: edges("#check .finding") ?? edges("#short .answer"),
      verdicts: edges("#short"),
      chart: edges(".chart"),
      tiles: Math.max(0, ...[...document.querySelectorAll(".tiles")].map((tiles) => tiles.children.length)),
      warningsBefore: [...document.querySelectorAll("[id$=findings] .finding")].filter(before).length,
      twice: statements.flatMap((all) => all.filter((text, at) => all.indexOf(text) !== at)),
      width: document.documentElement.scrollWidth,
    };
  });

const named = process.env.PAGES;
const pages = named
  ? readdirSync(named).filter((file) => file.endsWith(".html"))
  : ["answered", "", "watched", "loads", "long", "beside"];

for (const page of pages) {
  test(`the first screens of ${page || "a run"} have the answer and a chart`, { skip }, async () => {
    const sample = named ? { path: join(named, page), remove() {} } : samplePage(page);
    const browser = await launch();
    try {
      for (const { width, height, screens } of SCREENS) {
        const report = await ReportPage.open(browser, sample.path, { viewport: { width, height } });
        const seen = await measured(report);
        if (named) console.log(`${basename(page)} at ${width} x ${height}: ${JSON.stringify(seen)}`);
        if (page === "answered") assert.ok(seen.answer && seen.verdicts, "no short answer");
        if (seen.answer) assert.ok(seen.answer.bottom <= height, `the answer ends at ${seen.answer.bottom} px`);
        // On a phone the verdicts stand below each other.
        const wide = width > height;
        if (seen.verdicts && wide) assert.ok(seen.verdicts.bottom <= height, `verdicts to ${seen.verdicts.bottom} px`);
        assert.ok(seen.chart.top <= screens * height, `the first chart begins at ${seen.chart.top} px`);
        assert.ok(seen.tiles <= MOST_TILES, `${seen.tiles} tiles`);
        assert.equal(seen.warningsBefore, 0, "a warning stands before the first chart");
        assert.deepEqual(seen.twice, [], "said twice");
        assert.ok(seen.width <= width, `${seen.width} px wide`);
        assert.deepEqual(report.troubles, []);
        await report.close();
      }
    } finally {
      await browser.close();
      sample.remove();
    }
  });
}
