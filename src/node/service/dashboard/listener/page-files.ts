import { readdirSync } from "node:fs";
import { basename, dirname, extname, join } from "node:path";
import { readFileWithin } from "../../../../platform/intake/read-file.ts";
import { findAsset } from "../../../../platform/runtime/asset.ts";

/** Bytes of one file of the page. */
const MAX_BYTES = 2 << 20;

const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** A file of the page as it is sent. */
export interface PageFile {
  readonly type: string;
  readonly bytes: Uint8Array;
}

/**
 * The files of the page by their paths on the server, `/` and `/assets/…`; a build step leaves them in the package. None where
 * the page was not built.
 */
export function readPageFiles(): ReadonlyMap<string, PageFile> {
  const index = findAsset(join("dashboard", "index.html"));
  if (index === undefined) return new Map();
  const assets = join(dirname(index), "assets");
  const names = readdirSync(assets).filter((name) => TYPES[extname(name)] !== undefined);
  return new Map([
    ["/", pageFile(index)],
    ...names.map((name) => [`/assets/${basename(name)}`, pageFile(join(assets, name))] as const),
  ]);
}

function pageFile(path: string): PageFile {
  return { type: TYPES[extname(path)] as string, bytes: readFileWithin(path, MAX_BYTES) };
}
