import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { network } from "hardhat";
import { parseEther, verifyMessage, verifyTypedData } from "viem";

describe("Guestbook on kairn", async () => {
  const { viem, networkHelpers } = await network.create("kairn");

  async function deployBook() {
    return viem.deployContract("Guestbook");
  }

  it("keeps a line and emits an event", async () => {
    const book = await networkHelpers.loadFixture(deployBook);
    const [guest] = await viem.getWalletClients();
    const hash = await book.write.sign(["hello from Hardhat"]);
    await (await viem.getPublicClient()).waitForTransactionReceipt({ hash });

    const [{ args }] = await book.getEvents.Signed({}, { fromBlock: 0n });
    assert.equal(args.line, "hello from Hardhat");
    assert.equal(await book.read.lineOf([guest.account.address]), "hello from Hardhat");
  });

  it("starts each test from the fixture", async () => {
    const book = await networkHelpers.loadFixture(deployBook);
    assert.equal(await book.read.guests(), 0n);
  });

  it("lets accounts be impersonated and time pass", async () => {
    const book = await networkHelpers.loadFixture(deployBook);
    const guest = "0x00000000000000000000000000000000000a11ce";
    await networkHelpers.setBalance(guest, parseEther("1"));
    await networkHelpers.impersonateAccount(guest);
    const wallet = await viem.getWalletClient(guest);
    const hash = await book.write.sign(["nobody has my key"], { account: wallet.account });
    await (await viem.getPublicClient()).waitForTransactionReceipt({ hash });
    assert.equal(await book.read.guests(), 1n);

    const later = (await networkHelpers.time.latest()) + 86_400;
    await networkHelpers.time.increaseTo(later);
    assert.equal(await networkHelpers.time.latest(), later);
  });

  it("has accounts of the node sign messages and typed data", async () => {
    const [guest] = await viem.getWalletClients();
    const { address } = guest.account;
    assert.equal(guest.account.type, "json-rpc"); // signed by the node, without a key in Hardhat
    const message = "hello from Hardhat";
    assert.ok(await verifyMessage({ address, message, signature: await guest.signMessage({ message }) }));
    const typed = {
      domain: { name: "Guestbook", chainId: await guest.getChainId() },
      types: {
        Line: [
          { name: "guest", type: "address" },
          { name: "text", type: "string" },
        ],
      },
      primaryType: "Line",
      message: { guest: address, text: message },
    } as const;
    const signature = await guest.signTypedData(typed);
    assert.ok(await verifyTypedData({ ...typed, address, signature }));
  });

  it("names the error of a contract", async () => {
    const book = await networkHelpers.loadFixture(deployBook);
    await assert.rejects(book.simulate.sign([""]), /EmptyLine/);
  });
});
