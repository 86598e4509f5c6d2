import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Folders of assets: in a package, in the build cache of a checkout, and the files for operators. */
const ASSET_FOLDERS = ["assets", join("node_modules", ".cache", "kairn"), "ops"];

/**
 * Path of a file that ships with the package. It is searched for in `ASSET_FOLDERS` under the nearest folder above this file that
 * has one, so the same lookup works for sources, compiled files (`dist/…`) and bundles (`dist/*.js`, `dist/chunks/*.js`).
 * @throws Error if it has not been built
 */
export function assetPath(name: string): string {
  const path = findAsset(name);
  if (path === undefined) throw new Error(`${name} is missing; build the package first (npm run build)`);
  return path;
}

/** The same; undefined if it has not been built. */
export function findAsset(name: string): string | undefined {
  let folder = dirname(fileURLToPath(import.meta.url));
  for (;;) {
    for (const place of ASSET_FOLDERS) {
      const path = join(folder, place, name);
      if (existsSync(path)) return path;
    }
    const above = dirname(folder);
    if (above === folder) return undefined;
    folder = above;
  }
}
