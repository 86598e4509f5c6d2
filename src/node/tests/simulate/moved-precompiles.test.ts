import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createNode, type Node } from "../../create-node.ts";
import { ALICE, BOB, CAROL, funded, requestsTo } from "../../testing/simulation.ts";

let node: Node;
const { request, simulate, one } = requestsTo(() => node);
beforeAll(async () => {
  node = await createNode();
  await request("evm_mine");
});
afterAll(() => node.stop());

describe("eth_simulateV1 with moved precompiled contracts", () => {
  const SHA256 = `0x${"02".padStart(40, "0")}`;
  const hashOf12 = "0x3a103a4e5729ad68c02a678ae39accfbc0ae208096437401b7ceab63cca0622f";
  const moved = (movePrecompileToAddress: string) => ({ movePrecompileToAddress });
  const returned = async (...blockStateCalls: object[]) =>
    (await simulate({ blockStateCalls })).map(({ calls }) => calls.map(({ returnData }) => returnData));
  const to = (address: string) => ({ to: address, input: "0x1234" });

  it("executes them at their new address for one block, also when called or delegated to by code", async () => {
    const ask = (operands: string, opcode: string) =>
      `0x36600060003760206000366000${operands}73${CAROL.slice(2)}5a${opcode}5060206000f3`;
    const calling = { [ALICE]: { code: ask("6000", "f1") }, [BOB]: { code: ask("", "f4") } };
    const calls = [to(CAROL), to(SHA256), to(ALICE), to(BOB)];
    expect(
      await returned(
        { stateOverrides: { [SHA256]: moved(CAROL), ...calling }, calls },
        { calls: [to(CAROL), to(SHA256)] },
      ),
    ).toEqual([
      [hashOf12, "0x", hashOf12, hashOf12],
      ["0x", hashOf12],
    ]);
  });

  it("leaves an ordinary account behind, which may have code and receive funds", async () => {
    const code = "0x602a60005260206000f3";
    const stateOverrides = { ...funded, [SHA256]: { code } };
    const sent = { ...to(SHA256), from: ALICE, value: "0x1" };
    expect(await returned({ stateOverrides, calls: [to(SHA256), sent] })).toEqual([
      [`0x${"2a".padStart(64, "0")}`, `0x${"2a".padStart(64, "0")}`],
    ]);
  });

  it("uses the last of two moved to one address, in the order of their own addresses", async () => {
    const identity = `0x${"04".padStart(40, "0")}`;
    const stateOverrides = { [identity]: moved(CAROL), [SHA256]: moved(CAROL) };
    expect(await returned({ stateOverrides, calls: [to(CAROL)] })).toEqual([["0x1234"]]);
  });

  it("rejects moving other accounts, or to an overridden account", async () => {
    const refused = (stateOverrides: object) => expect(one({ stateOverrides })).rejects;
    const shown = (text: string) => ({
      code: -32000,
      message: expect.stringMatching(new RegExp(text, "i")),
    });
    await refused({ [BOB]: moved(CAROL) }).toMatchObject(shown(`^account ${BOB} is not a precompile$`));
    await refused({ [SHA256]: moved(CAROL), ...{ [CAROL]: { nonce: "0x1" } } }).toMatchObject(
      shown(`^account ${CAROL} is already overridden$`),
    );
    await refused({ [SHA256]: moved(SHA256) }).toMatchObject(shown("already overridden$"));
  });
});
