import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { createNode, type Node } from "../../create-node.ts";
import { callAs, sessionOf } from "../../testing/page-client.ts";

const STRANGER = "0x0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
const [UPDATE, TRANSFER, DELEGATED] = [32, 8, 9];
let node: Node;
let session: string;
let accounts: readonly string[];

beforeAll(async () => {
  node = await createNode({ dashboard: { port: 0, publicRead: true } });
  session = await sessionOf(node);
  accounts = await call("kaia_accounts");
});
afterAll(() => node?.stop());

async function call<T>(method: string, ...params: unknown[]): Promise<T> {
  const { result, error } = JSON.parse((await callAs(node, session, method, params)).body);
  if (error !== undefined) throw new Error(error.message);
  return result as T;
}

interface Draft {
  readonly raw: string;
  readonly isComplete: boolean;
  readonly sender: {
    readonly valid: boolean;
    readonly weight: number;
    readonly signatures: { weight: number }[];
  };
  readonly feePayer: { readonly valid: boolean; readonly address: string } | null;
}

const multisigOf = (threshold: number, keys: readonly string[]) => ({
  keyType: 4,
  key: { threshold, keys: keys.map((key) => ({ weight: 1, key })) },
});

describe("a transaction with several signers", () => {
  it("gets a key, two signatures from two copies, and is mined", async () => {
    const [owner, second, third] = accounts.slice(1) as [string, string, string];
    const keys = await Promise.all(
      [owner, second, third].map((one) => call<string>("dashboard_publicKey", one)),
    );
    const report = await call<{ encoded: string; warnings: string[]; gas: string }>(
      "dashboard_examineKey",
      owner,
      multisigOf(2, keys),
    );
    expect(report).toMatchObject({ problem: null, warnings: [], locksOut: false });
    const gas = `0x${BigInt(report.gas).toString(16)}`;
    await call("kaia_sendTransaction", { typeInt: UPDATE, from: owner, key: report.encoded, gas });

    const draft = await call<Draft>("dashboard_draft", {
      typeInt: TRANSFER,
      from: owner,
      to: third,
      value: "0x1",
    });
    expect(draft).toMatchObject({ isComplete: false, sender: { threshold: 2, weight: 0, valid: false } });
    const one = await call<Draft>("dashboard_addSignature", draft.raw, second, 0);
    expect(one).toMatchObject({ isComplete: false, sender: { weight: 1 } });
    const other = await call<Draft>("dashboard_addSignature", draft.raw, third, 0);
    const both = await call<Draft>("dashboard_merge", [one.raw, other.raw, one.raw]);
    expect(both).toMatchObject({ isComplete: true, sender: { weight: 2, valid: true } });
    expect(both.sender.signatures).toHaveLength(2);
    const hash = await call<string>("kaia_sendRawTransaction", both.raw);
    expect(await call("kaia_getTransactionReceipt", hash)).toMatchObject({ status: "0x1" });
  });

  it("is not merged with another one", async () => {
    const draft = (value: string) =>
      call<Draft>("dashboard_draft", { typeInt: TRANSFER, from: accounts[5], to: accounts[6], value });
    const [a, b] = [await draft("0x1"), await draft("0x2")];
    await expect(call("dashboard_merge", [a.raw, b.raw])).rejects.toThrow("different transactions");
    await expect(call("dashboard_merge", [])).rejects.toThrow("1 to 20 copies");
    await expect(call("dashboard_merge", Array(21).fill(a.raw))).rejects.toThrow("1 to 20 copies");
    await expect(call("dashboard_examine", "0x1234")).rejects.toThrow("this is not a transaction");
    const [from, to] = accounts;
    const beyond = { typeInt: TRANSFER, from, to, value: "0x1", nonce: "0x20000000000001" };
    await expect(call("dashboard_draft", beyond)).rejects.toThrow("its nonce is 9007199254740993");
  });

  it("is reported as not signed by a key that does not belong to the account", async () => {
    const { raw } = await call<Draft>("dashboard_draft", {
      typeInt: TRANSFER,
      from: accounts[5],
      to: accounts[6],
      value: "0x1",
    });
    const signed = await call<Draft>("dashboard_addSignature", raw, accounts[7], 0);
    expect(signed).toMatchObject({
      isComplete: false,
      sender: { valid: false, signatures: [{ belongs: false }] },
    });
  });
});

describe("a fee-delegated transaction", () => {
  it("is signed by the fee payer last, and mined", async () => {
    const tx = {
      typeInt: DELEGATED,
      from: accounts[5],
      to: accounts[6],
      value: "0x1",
      feePayer: `0x${"00".repeat(20)}`,
    };
    const { raw } = await call<Draft>("dashboard_draft", tx);
    const sent = await call<Draft>("dashboard_addSignature", raw, accounts[5], 0);
    expect(sent).toMatchObject({ isComplete: false, sender: { valid: true }, feePayer: { valid: false } });
    const paid = await call<Draft>("dashboard_addSignature", sent.raw, accounts[8], 2);
    expect(paid).toMatchObject({ isComplete: true, feePayer: { valid: true, address: accounts[8] } });
    const hash = await call<string>("kaia_sendRawTransaction", paid.raw);
    expect(await call("kaia_getTransactionReceipt", hash)).toMatchObject({
      status: "0x1",
      feePayer: accounts[8],
    });
  });

  it("reports that no fee payer service is running", async () => {
    expect(await call("dashboard_feePayer")).toBeNull();
  });
});

describe("the effect of a new account key", () => {
  const examine = (key: unknown) =>
    call<{ warnings: string[]; problem: string | null }>("dashboard_examineKey", accounts[9], key);

  it("warns of roles that nobody, or not this node, could sign for any more", async () => {
    const failing = await examine({ keyType: 3, key: {} });
    expect(failing).toMatchObject({ locksOut: true, problem: null });
    expect(failing.warnings.join()).toMatch(/ever be able to change this account's key/);
    const strange = await examine({ keyType: 2, key: STRANGER });
    expect(strange).toMatchObject({ locksOut: true });
    expect(strange.warnings.join()).toMatch(/holds none of the keys/);
    const mine = await call<string>("dashboard_publicKey", accounts[9]);
    const half = await examine(multisigOf(2, [mine, STRANGER]));
    expect(half).toMatchObject({ locksOut: true, roles: [{ held: 1, threshold: 2, total: 2 }, {}, {}] });
    expect(half.warnings.join()).toMatch(
      /holds a weight of 1 of the required 2.*every one of the 2 keys is needed/,
    );
  });

  it("does not warn about roles for which the node holds enough keys", async () => {
    const mine = await call<string>("dashboard_publicKey", accounts[9]);
    const key = {
      keyType: 5,
      key: [
        { keyType: 2, key: mine },
        { keyType: 1, key: {} },
        { keyType: 3, key: {} },
      ],
    };
    const report = await examine(key);
    expect(report).toMatchObject({
      locksOut: false,
      roles: [{ type: "public", held: 1 }, { type: "legacy", held: 1 }, { type: "fail" }],
    });
    expect(report.warnings).toEqual(["fee payer: nobody will be able to sign."]);
  });

  it("reports why the chain would reject it", async () => {
    const mine = await call<string>("dashboard_publicKey", accounts[9]);
    for (const key of [
      multisigOf(3, [mine, STRANGER]),
      multisigOf(1, [mine, mine]),
      { keyType: 2, key: "0x02" },
      { keyType: 9, key: {} },
    ])
      expect((await examine(key)).problem, JSON.stringify(key)).toEqual(expect.any(String));
  });
});

describe("a contract with an ABI given by the user", () => {
  // returns its only argument and one more, and logs nothing: `calldataload(4) + 1`
  const code = "0x60043560010160005260206000f3";
  const abi = [
    {
      type: "function",
      name: "next",
      stateMutability: "view",
      inputs: [{ name: "n", type: "uint256" }],
      outputs: [{ name: "", type: "uint256" }],
    },
    {
      type: "function",
      name: "put",
      stateMutability: "payable",
      inputs: [{ name: "who", type: "address" }],
      outputs: [],
    },
  ];
  const at = `0x${"c0".repeat(20)}`;

  it("is read by names, and invalid values are named", async () => {
    await call("anvil_setCode", at, code);
    const report = await call<{ functions: { selector: string; name: string }[] }>(
      "dashboard_contract",
      at,
      abi,
    );
    expect(report).toMatchObject({
      name: null,
      source: "given",
      functions: [{ isReading: true }, { isPayable: true }],
      events: [],
    });
    const { selector } = report.functions[0] as { selector: string };
    expect(await call("dashboard_read", at, selector, ["41"], null, abi)).toMatchObject({
      text: "(42)",
      error: null,
    });
    await expect(call("dashboard_encodeCall", at, selector, ["x"], abi)).rejects.toThrow(
      "argument n (uint256)",
    );
    await expect(call("dashboard_encodeCall", at, selector, [], abi)).rejects.toThrow("takes 1 arguments");
    await expect(call("dashboard_encodeCall", at, "0x12345678", [], abi)).rejects.toThrow("no function");
  });

  it("has no functions if none are known", async () => {
    expect(await call("dashboard_contract", at)).toMatchObject({ source: "none", functions: [] });
  });
});

describe("access to the desk", () => {
  it.each(["dashboard_draft", "dashboard_addSignature", "dashboard_publicKey", "dashboard_examineKey"])(
    "does not let a public reader call %s",
    async (method) => {
      expect(JSON.parse((await callAs(node, undefined, method)).body).error.code).toBe(-32601);
    },
  );

  it("lets a public reader view transactions and contracts", async () => {
    const at = bytesToHex(new Uint8Array(20));
    expect(JSON.parse((await callAs(node, undefined, "dashboard_contract", [at])).body).result.source).toBe(
      "none",
    );
  });
});
