// Bundles the page's script and style sheet, and the script that draws charts outside a browser: `node build.mjs FOLDER`
// writes page.js, page.css, outside.js and sizes.json there.
// Called by crates/report/build.rs, which embeds the results; nothing is fetched when a page is viewed.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const out = process.argv[2] ?? "dist";
const source = (name) => fileURLToPath(new URL(`src/${name}`, import.meta.url));
mkdirSync(out, { recursive: true });

/** The colours of the first block of page.css: light mode. Saved charts have no style sheet. */
function palette() {
  const block = readFileSync(source("page.css"), "utf8").match(/:root \{([^}]*)\}/)[1];
  return Object.fromEntries([...block.matchAll(/--([\w-]+): ([^;]+);/g)].map(([, name, colour]) => [name, colour]));
}

const result = await build({
  entryPoints: [source("page.ts"), source("page.css"), source("outside.ts")],
  outdir: out,
  bundle: true,
  minify: true,
  format: "iife",
  target: ["es2020", "chrome100", "firefox100", "safari15"],
  // The licences of what is bundled stay in the page itself: it travels alone.
  legalComments: "eof",
  charset: "utf8",
  define: { PALETTE: JSON.stringify(palette()) },
  metafile: true,
  logLevel: "warning",
});

// "</script" inside a string of the bundle would end the page's script element.
const script = join(out, "page.js");
writeFileSync(script, readFileSync(script, "utf8").replaceAll("</script", "<\\/script"));
const sizes = Object.entries(result.metafile.outputs).map(([path, { bytes }]) => [path.replace(/^.*\//, ""), bytes]);
writeFileSync(join(out, "sizes.json"), `${JSON.stringify(Object.fromEntries(sizes))}\n`);
