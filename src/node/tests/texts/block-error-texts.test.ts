import { afterAll, beforeAll, expect, it } from "vitest";
import { createNode, type Node } from "../../create-node.ts";
import { asker, refuser } from "../../testing/ask.ts";

const WORD = `0x${"12".repeat(32)}`;

let node: Node;
let sent: string;
let ask: ReturnType<typeof asker>;
let refusal: ReturnType<typeof refuser>;

beforeAll(async () => {
  node = await createNode({ compat: "kaia" });
  [ask, refusal] = [asker(node), refuser(node)];
  const [from] = (await ask("kaia_accounts")) as string[];
  sent = (await ask("kaia_sendTransaction", { from, to: from, value: "0x1", gas: "0x5208" })) as string;
  for (let head = 0; head < 2; ) {
    await ask("evm_mine");
    head = Number(await ask("kaia_blockNumber"));
  }
});
afterAll(() => node.stop());

// Texts measured on the reference node v2.2.1.

it("names options of a trace like the fields of the reference's struct", async () => {
  const wrong = (config: object) => refusal("debug_traceTransaction", sent, config);
  const into = (found: string, field: string, type: string) =>
    `invalid argument 1: json: cannot unmarshal ${found} into Go struct field TraceConfig.${field} of type ${type}`;
  expect(await wrong({ tracer: [1] })).toBe(into("array", "Tracer", "string"));
  expect(await wrong({ disableMemory: "0x1" })).toBe(into("string", "LogConfig.DisableMemory", "bool"));
});

it("omits results of tracers that found nothing", async () => {
  const text =
    "json: error calling MarshalJSON for type json.RawMessage: invalid character 'u' looking for beginning of value";
  for (const tracer of ["noopTracer", "unigramTracer"]) {
    expect(await refusal("debug_traceTransaction", sent, { tracer })).toBe(text);
    expect(await refusal("debug_traceBlockByNumber", "0x1", { tracer })).toBe(text);
  }
});

it("takes the parent of the first block as the start of a traced range, even for tags", async () => {
  const range = (first: unknown, last: unknown) =>
    refusal("debug_traceBlockByNumberRange", first, last, { tracer: "callTracer" });
  const order = (start: number, end: number) => `end block #${end} needs to come after start block #${start}`;
  expect(await range("0x1", "0x1")).toContain('answered {"1":{"block":"0x1"');
  expect(await range("0x0", "0x1")).toBe(order(-1, 1));
  expect(await range("latest", "latest")).toBe(order(-2, -1));
  expect(await range("0x1", "0x0")).toBe(order(0, 0));
  expect(await range("pending", "latest")).toBe("the block does not exist (block number: -3)");
  expect(await range("0xc9", "0xca")).toBe("the block does not exist (block number: 200)");
  expect(await range("0x1", "0xca")).toBe("the block does not exist (block number: 202)");
  expect(await range("0x2", "pending")).toBe("answered null");
});

it("reports missing blocks with the text of each method", async () => {
  const [from] = (await ask("kaia_accounts")) as string[];
  const none = "0xc8";
  expect(await refusal("debug_traceCall", { from, to: from }, none, {})).toBe(
    "the block does not exist (block number: 200)",
  );
  expect(await refusal("governance_getStakingInfo", "pending")).toBe(
    "failed to get header for block number 18446744073709551613",
  );
});

it("recovers signers by block number, not by hash", async () => {
  const [raw, signature] = ["0x01", `0x${"11".repeat(64)}1b`];
  expect(await refusal("kaia_recoverFromTransaction", raw, { blockNumber: "latest" })).toBe(
    "invalid argument 1: hex string without 0x prefix",
  );
  expect(await refusal("kaia_recoverFromMessage", `0x${"00".repeat(20)}`, "0x12", signature, WORD)).toBe(
    "invalid argument 3: hex number > 64 bits",
  );
});

it("first reports a missing block or account, and names the struct of an override", async () => {
  expect(await refusal("eth_createAccessList", {}, {})).toBe(
    "invalid arguments; neither block nor hash specified",
  );
  const nobody = `0x${"ab".repeat(20)}`;
  expect(await refusal("eth_getProof", nobody, [], "pending")).toBe(
    "there is no account corresponding to the given address",
  );
  expect(await refusal("eth_estimateGas", {}, "latest", { [nobody]: { nonce: 1 } })).toBe(
    "invalid argument 2: json: cannot unmarshal non-string into Go struct field EthOverrideAccount.nonce of type hexutil.Uint64",
  );
});

it("returns null for no changed accounts, requires an uncle's index, and accepts null as a nonce", async () => {
  const { hash } = (await ask("kaia_getBlockByNumber", "0x1", false)) as { hash: string };
  expect(await ask("debug_getModifiedAccountsByHash", hash, hash)).toBeNull();
  expect(await refusal("eth_getUncleByBlockNumberAndIndex", "0x1")).toBe(
    "missing value for required argument 1",
  );
  expect(await ask("eth_submitWork", null, WORD, WORD)).toBe(false);
});
