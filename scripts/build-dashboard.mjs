// Builds the dashboard: one script, one for plots that is loaded on first use, one style sheet. Tests, which run from source, find it
// in node_modules/.cache/kairn; the package has it in dist/assets.
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { root } from "./lib.mjs";

/** Where code run from source looks for the page. */
export const cachedPage = join(root, "node_modules", ".cache", "kairn", "dashboard");

/** Builds the page into a folder. */
export async function buildDashboard(outDir = cachedPage) {
  const { build } = await import("vite"); // a fresh clone installs it first
  await build({
    root: join(root, "src", "api", "dashboard"),
    configFile: false,
    publicDir: false,
    base: "/",
    logLevel: "warn",
    oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
    build: {
      outDir,
      emptyOutDir: true,
      target: "es2023",
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      sourcemap: false,
      reportCompressedSize: false,
    },
  });
}

/** For tests, which run from source. */
export const setup = () => buildDashboard();

if (import.meta.url === pathToFileURL(process.argv[1]).href) await buildDashboard();
