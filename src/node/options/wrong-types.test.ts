import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { NodeError } from "../../protocol/primitives/errors.ts";
import { createNode } from "../create-node.ts";
import type { NodeOptions } from "../node-options.ts";
import { checkOptions } from "./check-options.ts";
import { devNodeOptions } from "./index.ts";
import type { MemberOption } from "./member.ts";
import { MEMBERS, UNDECLARED } from "./undeclared.ts";

const FOLDER = mkdtempSync(join(tmpdir(), "kairn-wrong-types-"));
afterAll(() => rmSync(FOLDER, { recursive: true, force: true }));

const declared = Object.values(devNodeOptions) as readonly Partial<MemberOption<unknown, string>>[];
const PATHS = new Set([
  ...declared.flatMap(({ member }) => member ?? []),
  ...Object.keys(UNDECLARED),
  ...Object.entries(MEMBERS).flatMap(([group, members]) => [
    group,
    ...Object.keys(members).map((name) => `${group}.${name}`),
  ]),
]);

/** Groups that need more than the member in question, to be valid. */
const COMPLETE: Readonly<Record<string, object>> = {
  artifacts: { folders: [] },
  cluster: { url: "postgres://user@127.0.0.1:1/database" },
  feePayer: { port: 0 },
  fork: { url: "http://127.0.0.1:1", retries: 0, timeoutMs: 100 },
  http: { port: 0 },
  metrics: { port: 0 },
  rpcRate: { perSecond: 1 },
  sealing: { kind: "onDemand" },
  tls: { cert: "cert", key: "key" },
  ws: { port: 0 },
};

/** Options with one member of a certain value. */
function withMember(path: string, value: unknown): NodeOptions {
  const [group = "", ...rest] = path.split(".");
  if (rest.length === 0) return { [group]: value } as NodeOptions;
  const inner = rest.reduceRight((held: unknown, name) => ({ [name]: held }), value);
  return { [group]: { ...COMPLETE[group], ...(inner as object) } } as NodeOptions;
}

/** The error that a value is refused with; undefined if it is accepted. */
function refusalOf(path: string, value: unknown): unknown {
  try {
    checkOptions(withMember(path, value));
    return undefined;
  } catch (error) {
    return error;
  }
}

/** What no option may be. */
const NEVER: Readonly<Record<string, unknown>> = {
  null: null,
  NaN: Number.NaN,
  "1e300": 1e300,
  "a fraction": 1.5,
  "a bigint of 10,000 digits": 10n ** 10_000n,
  "a negative bigint": -1n,
  "a symbol": Symbol("s"),
  "a function": () => {},
  "a date": new Date(0),
  "a megabyte of text": "m/1".repeat(400_000),
  "a NUL": "/a\0b",
  "100,000 texts": new Array(100_000).fill("localhost"),
  "a list of numbers": [1],
  "a list of null": [null],
  "a list of lists": [[]],
  "a list of objects": [{}],
  "an unknown member": { bogus: 1 },
  "a list with a huge text": ["a".repeat(1_000_000)],
  "300 bytes": new Uint8Array(300),
};

/** A genesis has members of its own. */
const EXCEPTIONS = new Set(["genesis: an unknown member"]);

/** One value of each kind that is right for some options. */
const PROBES: Readonly<Record<string, unknown>> = {
  text: join(FOLDER, "x"),
  number: 12,
  bigint: 12n,
  boolean: true,
  list: [],
  object: {},
  bytes: new Uint8Array(20).fill(1),
  key: new Uint8Array(32).fill(1),
};

/** Options of several types. */
const SEVERAL: Readonly<Record<string, readonly string[]>> = {
  dashboard: ["boolean", "object"],
  dev: ["boolean", "object"],
  ipc: ["text", "boolean"],
};

describe.each([...PATHS])("%s of createNode()", (path) => {
  it("has no value that no option may have, and is named by the error", () => {
    for (const [what, value] of Object.entries(NEVER)) {
      if (EXCEPTIONS.has(`${path}: ${what}`)) continue;
      expect(refusalOf(path, value), what).toMatchObject({
        name: "OptionError",
        message: expect.stringContaining(path),
      });
    }
  });

  it("has one type", () => {
    const kinds = Object.keys(PROBES).filter((kind) => refusalOf(path, PROBES[kind]) === undefined);
    if (SEVERAL[path] !== undefined) expect(kinds).toEqual(SEVERAL[path]);
    else expect(kinds.length).toBeLessThanOrEqual(1);
  });
});

it("what is accepted starts a node, or is refused with a reason", async () => {
  for (const path of PATHS) {
    for (const value of ["", join(FOLDER, path), ["x"], [], {}]) {
      if (refusalOf(path, value) !== undefined) continue;
      try {
        const node = await createNode(withMember(path, value));
        await node.stop();
      } catch (error) {
        expect(error, `${path}: ${JSON.stringify(value)}`).toBeInstanceOf(NodeError);
      }
    }
  }
});
