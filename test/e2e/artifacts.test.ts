import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { createNode } from "../../src/node/index.ts";
import { hexToBytes } from "../../src/protocol/primitives/hex.ts";
import {
  CHECKED,
  compiled,
  content,
  deploy,
  FILE,
  foundry,
  frames,
  hardhat,
  inputOf,
  inSource,
  plain,
  project,
  refusal,
  send,
  started,
  word,
} from "./artifacts/vault.ts";

const optimized = compiled(true, false);
const viaIr = compiled(true, true);

describe.each([
  ["Hardhat", hardhat(plain)],
  ["Foundry", foundry(plain)],
  ["solc", { "artifacts/output.json": plain, [FILE]: content }],
] as const)("artifacts of %s", (_, files) => {
  it("locate in the source where a call failed", async () => {
    const root = project(files);
    await using node = await createNode({
      artifacts: { folders: [join(root, "artifacts"), join(root, "out")] },
    });
    const deployed = await deploy(node, plain);
    const { till, from } = deployed;
    const { code, message, data } = await refusal(deployed, {
      ...{ from, to: till, data: inputOf("Till", "ask(uint256)", 5000) },
    });
    expect({ code, message }).toEqual({ code: 3, message: "execution reverted: too little" });
    expect(data.data).toMatch(/^0x08c379a0/);
    expect(frames(data.stack)).toEqual(CHECKED);
    const send = { from, to: till, data: inputOf("Till", "ask(uint256)", 5000) };
    const refused = await deployed.request({ method: "eth_sendTransaction", params: [send] }).catch((e) => e);
    expect(refused).toMatchObject({ code: 3, message: "execution reverted: too little" });
    expect(frames((refused as { data: { stack: string } }).data.stack)).toEqual(CHECKED);
  });
});
describe("artifacts", () => {
  it("locate failures in a modifier, a panic, a creation and a caught call", async () => {
    const deployed = await started();
    await using node = deployed.node;
    const { vault, till, from, other } = deployed;
    const traceOf = async (call: object) =>
      node.artifacts?.stackTrace(hexToBytes(await send(deployed, call)));
    const take = inputOf("Vault", "take(uint256)", 5);
    expect(await traceOf({ from: other, to: vault, data: take })).toEqual([
      inSource("Vault.onlyOwner", "if (msg.sender != owner) revert"),
    ]);
    expect(await traceOf({ from, to: vault, data: inputOf("Vault", "take(uint256)", 5000) })).toEqual([
      inSource("Vault._less", "return held - amount"),
      inSource("Vault.take", "held = _less(amount)"),
    ]);
    expect(await traceOf({ from, to: till, data: inputOf("Till", "steal(uint256)", 5) })).toEqual([
      inSource("Vault.onlyOwner", "if (msg.sender != owner) revert"),
      inSource("Till.steal", "vault.take(amount);\n    }\n\n    function tryIt"),
    ]);
    expect(await traceOf({ from, to: till, data: inputOf("Till", "tryIt(uint256)", 5) })).toEqual([
      inSource("Till.tryIt", 'require(amount == 0, "gave up")'),
    ]);
    const creation = `0x${plain.contracts[FILE].Vault.evm.bytecode.object}${word(0)}`;
    expect(await traceOf({ from, data: creation })).toEqual([
      inSource("Vault.constructor", "require(first > 0"),
    ]);
    expect(await traceOf({ from, to: vault, data: take })).toEqual([]);
  });

  it("locate failures in optimized code", async () => {
    const deployed = await started(optimized, hardhat(optimized));
    await using _ = deployed.node;
    const { till, from } = deployed;
    const { data } = await refusal(deployed, { from, to: till, data: inputOf("Till", "ask(uint256)", 5000) });
    expect(frames(data.stack)).toEqual(CHECKED);
  });

  it("name at least the function if optimization lost the location", async () => {
    const deployed = await started(viaIr, hardhat(viaIr, true, true));
    await using _ = deployed.node;
    const { vault, from } = deployed;
    const { data } = await refusal(deployed, {
      from,
      to: vault,
      data: inputOf("Vault", "check(uint256)", 5000),
    });
    expect(frames(data.stack)).toEqual([inSource("Vault.check", "contract Vault is IVault")]);
  });

  it("are read again when they change", async () => {
    const deployed = await started(plain, {});
    await using _ = deployed.node;
    const { till, from, root } = deployed;
    const call = { from, to: till, data: inputOf("Till", "ask(uint256)", 5000) };
    expect((await refusal(deployed, call)).data).toMatch(/^0x08c379a0/);
    mkdirSync(join(root, "artifacts"));
    writeFileSync(
      join(root, "artifacts", "output.json"),
      JSON.stringify(hardhat(plain)["artifacts/build-info/1.json"]),
    );
    await vi.waitFor(
      async () => expect(frames((await refusal(deployed, call)).data.stack)).toEqual(CHECKED),
      {
        timeout: 20_000,
        interval: 200,
      },
    );
  });
});
