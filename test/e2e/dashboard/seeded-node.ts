import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createNode, type Node } from "../../../src/node/create-node.ts";

const chain = (name: string): string =>
  fileURLToPath(new URL(`../../fixtures/chains/all-types/${name}`, import.meta.url));

/** A node with a recorded chain of all transaction types, whose dashboard needs no session. */
export async function startSeededNode(): Promise<Node> {
  const node = await createNode({
    genesis: JSON.parse(readFileSync(chain("genesis.json"), "utf8")),
    history: "archive",
    http: { port: 0 }, // clients can connect
    dashboard: { port: 0, publicRead: true },
  });
  await node.provider.request({ method: "admin_importChain", params: [chain("chain.rlp.gz")] });
  return node;
}

/** A development chain for the screens that write: a contract, a sender with a nonce gap, hostile texts. */
export async function startDevNode(): Promise<Node> {
  const node = await createNode({ dashboard: { port: 0, publicRead: true } });
  const ask = <T>(method: string, ...params: unknown[]) =>
    node.provider.request({ method, params }) as Promise<T>;
  const [, from, to] = await ask<readonly [string, string, string]>("kaia_accounts");
  await ask("anvil_setCode", HOSTILE, REVERTING);
  for (const value of ["0x1", "0xde0b6b3a7640000"])
    await ask("kaia_sendTransaction", { typeInt: 8, from, to, value, gas: "0x186a0" });
  const memo = { typeInt: 16, from, to, value: "0x1", gas: "0x30d40" };
  await ask("kaia_sendTransaction", { ...memo, input: hex(HOSTILE_TEXT) });
  await ask("kaia_sendTransaction", {
    typeInt: 48,
    from,
    to: HOSTILE,
    value: "0x0",
    input: "0x",
    gas: "0x30d40",
  });
  await ask("evm_setAutomine", false);
  const nonce = Number(await ask<string>("kaia_getTransactionCount", from, "latest"));
  for (const ahead of [0, 3, 4])
    await ask("kaia_sendTransaction", {
      ...{ typeInt: 8, from, to, value: "0x1", gas: "0x186a0" },
      nonce: `0x${(nonce + ahead).toString(16)}`,
    });
  return node;
}

/** A hostile text for memos and revert reasons, meant to be executed or to mislead. */
export const HOSTILE_TEXT =
  "<img src=x onerror=document.title='taken'><script>document.title='taken'</script>\u202egnp.exe https://evil.example/\u0000" +
  `Z${"\u0489\u20dd".repeat(600)}`;
/** A contract that reverts with that text. */
export const HOSTILE = `0x${"ba".repeat(20)}`;

function hex(text: string): string {
  return `0x${Buffer.from(text).toString("hex")}`;
}

/** Init code of `Error(string)` with the text, copied from the end of the code. */
const REVERTING = (() => {
  const bytes = Buffer.from(HOSTILE_TEXT);
  const padded = Buffer.concat([bytes, Buffer.alloc((32 - (bytes.length % 32)) % 32)]);
  const word = (value: number) => value.toString(16).padStart(64, "0");
  const data = `08c379a0${word(32)}${word(bytes.length)}${padded.toString("hex")}`;
  const size = (data.length / 2).toString(16).padStart(4, "0");
  // PUSH2 size, DUP1, PUSH1 12, PUSH1 0, CODECOPY, PUSH1 0, REVERT
  return `0x61${size}80600c6000396000fd${data}`;
})();
