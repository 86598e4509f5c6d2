import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** In a package (any bundling), where a build step leaves what code run from source needs, and what operators read too. */
const PLACES = ["assets", join("node_modules", ".cache", "kairn"), "ops"];

/**
 * Path of a file that ships with the package. It lies in one of `PLACES` under the nearest folder above this file that
 * has one, so the same rule serves sources, compiled files (`dist/…`) and bundles (`dist/*.js`, `dist/chunks/*.js`).
 * @throws Error when it was not built
 */
export function assetPath(name: string): string {
  const path = findAsset(name);
  if (path === undefined) throw new Error(`${name} is missing; build the package first (npm run build)`);
  return path;
}

/** The same, undefined when it was not built. */
export function findAsset(name: string): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    for (const place of PLACES) {
      const path = join(folder, place, name);
      if (existsSync(path)) return path;
    }
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
}
