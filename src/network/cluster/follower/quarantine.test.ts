import { expect, it } from "vitest";
import type { Files } from "../../../platform/runtime/files.ts";
import type { Logger } from "../../../platform/telemetry/logger.ts";
import { silentLogger } from "../../../platform/telemetry/logger.ts";
import { ClusterError } from "../errors.ts";
import { createQuarantine } from "./quarantine.ts";

it("reports that nothing was saved on a full disk, and continues", async () => {
  const files = {
    createDirectory() {},
    list: () => [],
    replace: () => Promise.reject(new Error("ENOSPC")),
  } as unknown as Files;
  const said: unknown[] = [];
  const logger: Logger = {
    ...silentLogger,
    error: (text: string, facts: unknown) => said.push([text, facts]),
  };
  const bytes = new Uint8Array(32);
  const ids = { hash: bytes, parentHash: bytes, stateRoot: bytes, checksum: bytes };
  const record = { ...ids, height: 1n, epoch: 1n, size: 32, payload: bytes };
  createQuarantine("/quarantine", files, logger)(record, new ClusterError("BAD_RECORD", "no"));
  await new Promise(setImmediate);
  expect(said.at(-1)).toEqual([
    "the rejected record could not be saved",
    { folder: "/quarantine", error: "ENOSPC" },
  ]);
});
