import { existsSync } from "node:fs";
import { isAbsolute } from "node:path";
import { expect, it } from "vitest";
import { assetPath, findAsset } from "./asset.ts";

it("finds the files of the package, whatever the working folder is", () => {
  const found = assetPath("genesis/mainnet.json.gz");
  expect([isAbsolute(found), existsSync(found)]).toEqual([true, true]);
  expect(findAsset("genesis/mainnet.json.gz")).toBe(found);
});

it("says of a missing file how it is made", () => {
  expect(findAsset("none")).toBeUndefined();
  expect(() => assetPath("none")).toThrow("none is missing; build the package first (npm run build)");
});
