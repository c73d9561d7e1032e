// Bundles the page's script and style sheet: `node build.mjs FOLDER` writes page.js, page.css and sizes.json there.
// Called by crates/report/build.rs, which embeds the results; nothing is fetched when a page is viewed.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const out = process.argv[2] ?? "dist";
const source = (name) => fileURLToPath(new URL(`src/${name}`, import.meta.url));
mkdirSync(out, { recursive: true });

const result = await build({
  entryPoints: [source("page.ts"), source("page.css")],
  outdir: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2020", "chrome100", "firefox100", "safari15"],
  // The licences of what is bundled stay in the page itself: it travels alone.
  legalComments: "eof",
  charset: "utf8",
  metafile: true,
  logLevel: "warning",
});

// "</script" inside a string of the bundle would end the page's script element.
const script = join(out, "page.js");
writeFileSync(script, readFileSync(script, "utf8").replaceAll("</script", "<\\/script"));
const sizes = Object.entries(result.metafile.outputs).map(([path, { bytes }]) => [path.replace(/^.*\//, ""), bytes]);
writeFileSync(join(out, "sizes.json"), `${JSON.stringify(Object.fromEntries(sizes))}\n`);
