// vitest: the whole chain inside the test, no port and no process; every test starts from the same state.
import { createNode } from "kairn";
import { createTestClient, custom, getContract, parseEther, publicActions, walletActions } from "viem";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { guestbook } from "../guestbook.js";

let node;
let client;
let book;
let snapshot;

beforeAll(async () => {
  node = await createNode();
  const chain = { id: 1337, name: "kairn", nativeCurrency: { name: "KAIA", symbol: "KAIA", decimals: 18 } };
  const [account] = await node.provider.request({ method: "eth_accounts" });
  client = createTestClient({
    mode: "anvil",
    account,
    chain,
    transport: custom(node.provider),
    pollingInterval: 20,
  })
    .extend(publicActions)
    .extend(walletActions);
  const hash = await client.deployContract(guestbook);
  const { contractAddress } = await client.waitForTransactionReceipt({ hash });
  book = getContract({ address: contractAddress, abi: guestbook.abi, client });
});
afterAll(() => node.stop());
beforeEach(async () => {
  snapshot = await client.snapshot();
});
afterEach(() => client.revert({ id: snapshot }));

it("keeps a line", async () => {
  await client.waitForTransactionReceipt({ hash: await book.write.sign(["first"]) });
  expect(await book.read.lineOf([client.account.address])).toBe("first");
  expect(await book.read.guests()).toBe(1n);
});

it("sees nothing of the previous test", async () => {
  expect(await book.read.guests()).toBe(0n);
});

it("counts a guest once, however often it signs", async () => {
  const guest = "0x00000000000000000000000000000000000a11ce";
  await client.setBalance({ address: guest, value: parseEther("1") });
  await client.impersonateAccount({ address: guest });
  for (const line of ["hello", "goodbye"]) {
    const hash = await book.write.sign([line], { account: guest });
    await client.waitForTransactionReceipt({ hash });
  }
  expect(await book.read.guests()).toBe(1n);
  expect(await book.read.lineOf([guest])).toBe("goodbye");
});

it("refuses an empty line by name", async () => {
  await expect(book.simulate.sign([""])).rejects.toThrow("EmptyLine");
});
