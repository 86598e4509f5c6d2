import { afterAll, beforeAll, expect, it } from "vitest";
import { NumberLiteral } from "../../../protocol/codec/json/value.ts";
import { createNode, type Node } from "../../create-node.ts";
import { asker, NO_HASH, refuser } from "../../testing/ask.ts";

// What a comparison of generated requests with the reference node v2.2.1 found.

const NOBODY = `0x${"ab".repeat(20)}`;

let node: Node;
let ask: ReturnType<typeof asker>;
let refusal: ReturnType<typeof refuser>;

beforeAll(async () => {
  node = await createNode({ compat: "kaia" });
  [ask, refusal] = [asker(node), refuser(node)];
});
afterAll(() => node.stop());

it("names the type of an override, and of a wrong slot and its wrong value the value", async () => {
  const overridden = (override: unknown) => refusal("eth_call", {}, "latest", { [NOBODY]: override });
  const wrong = "invalid argument 2: json: cannot unmarshal";
  expect(await overridden(1)).toBe(`${wrong} number into Go value of type api.EthOverrideAccount`);
  const member = "Go struct field EthOverrideAccount.state of type common.Hash";
  expect(await overridden({ state: { a: 1 } })).toBe(`${wrong} non-string into ${member}`);
  expect(await overridden({ state: { a: NO_HASH } })).toBe(
    `${wrong} hex string without 0x prefix into ${member}`,
  );
});

it("refuses null as the input of a call in the chain namespace only", async () => {
  for (const name of ["data", "input"]) {
    expect(await refusal("kaia_call", { to: NOBODY, [name]: null }, "latest")).toBe(
      `invalid argument 0: json: cannot unmarshal non-string into Go struct field CallArgs.${name} of type hexutil.Bytes`,
    );
    expect(await ask("eth_call", { to: NOBODY, [name]: null }, "latest")).toBe("0x");
  }
  expect(await ask("kaia_call", { to: NOBODY }, "latest")).toBe("0x");
});

it("takes the zero hash of a log filter as the genesis block", async () => {
  expect(await ask("eth_getLogs", { blockHash: NO_HASH })).toEqual([]);
  expect(await refusal("eth_getLogs", { blockHash: `${NO_HASH.slice(0, -1)}1` })).toContain(
    "the header does not exist",
  );
});

it("takes any count of 64 bits of a fee history, and has none for a negative block number", async () => {
  const most = new NumberLiteral("18446744073709551615");
  expect(await ask("eth_feeHistory", most, "latest", [])).toMatchObject({ oldestBlock: "0x0" });
  expect(await refusal("eth_feeHistory", new NumberLiteral("18446744073709551616"), "latest", [])).toBe(
    "invalid argument 0: hex string without 0x prefix",
  );
  expect(await ask("eth_feeHistory", "0x5", new NumberLiteral("9223372036854775808"), [])).toEqual({
    oldestBlock: "0x0",
    gasUsedRatio: null,
  });
});

it("reads block numbers from 2^63 on as the reference does, as negative or unsigned ones", async () => {
  const huge = new NumberLiteral("9223372036854775808");
  const answers = (method: string, ...more: unknown[]) => refusal(method, huge, ...more);
  const unknown = ["kaia_getCouncil", "kaia_getCouncilSize", "kaia_getCommittee", "istanbul_getValidators"];
  for (const method of unknown) expect(await answers(method)).toBe("unknown block");
  const missing = "the block does not exist (block number: ";
  expect(await answers("kaia_forkStatus")).toBe(`${missing}-9223372036854775808)`);
  const withConsensus = "kaia_getBlockWithConsensusInfoByNumber";
  expect(await answers(withConsensus)).toBe(`${missing}9223372036854775808)`);
  expect(await answers(`${withConsensus}Range`, "latest")).toBe("start block number should be positive");
  expect(await answers("kaia_getTotalSupply", true)).toBe("supply checkpoint not found");
  expect(await answers("governance_getRewardsAccumulated", "latest")).toBe("invalid block number range");
  expect(await ask("kaia_getParams", huge)).toEqual(await ask("kaia_getParams", "0x7fffffffffffffff"));
  for (const [start, more] of [
    ["start", []],
    ["end", ["latest"]],
  ] as const)
    expect(await refusal("debug_getModifiedAccountsByNumber", ...more, huge)).toBe(
      `${start} block number #9223372036854775808 not found`,
    );
});

it("searches no logs from a negative block number on", async () => {
  const search = (fromBlock: unknown, toBlock: unknown) => refusal("eth_getLogs", { fromBlock, toBlock });
  const [minus4, minus3] = [4n, 3n].map((n) => new NumberLiteral(String(2n ** 64n - n)));
  expect(await search(minus3, "latest")).toBe("the header does not exist (block number: -3)");
  expect(await search(minus4, minus3)).toBe("the header does not exist (block number: -4)");
  expect(await search(minus3, minus4)).toBe("answered []");
});

it("lists forks by name", async () => {
  const names = Object.keys((await ask("kaia_forkStatus", "0x0")) as object);
  expect(names[0]).toBe("ChainID");
  expect(names.slice(1)).toEqual(names.slice(1).sort());
});
