// Says whether node_modules holds what package-lock.json asks for: exit status 0 if so, 3 if not.
// With --dev the tools for checks and tests count too; the Rust build needs only the rest.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const read = (path) => JSON.parse(readFileSync(here(path), "utf8"));

function present(path, version) {
  try {
    return read(`${path}/package.json`).version === version;
  } catch {
    return false;
  }
}

const wanted = Object.entries(read("package-lock.json").packages).filter(
  ([path, entry]) => path !== "" && !entry.optional && (!entry.dev || process.argv.includes("--dev")),
);
const missing = wanted.filter(([path, entry]) => !present(path, entry.version)).map(([path]) => path);
if (missing.length > 0) {
  console.log(`not installed: ${missing.join(", ")}`);
  process.exit(3);
}
