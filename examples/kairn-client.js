// kairn's own client: every method of the node, with its types, and keys that stay local.
import assert from "node:assert/strict";
import {
  api,
  bytesToHex,
  createClient,
  devApi,
  hexToBytes,
  httpRequest,
  localAccount,
  transactionType,
} from "kairn/client";
import { KEYS, startNode } from "./start-node.js";

const node = await startNode();
const client = createClient({ ...api, ...devApi }, httpRequest(node.url));
const account = localAccount([hexToBytes(KEYS[0])]);

// Amounts are bigint, addresses and hashes bytes; the block may be omitted.
const before = await client.kaia_getBalance({ address: account.address, block: { number: "latest" } });
await client.anvil_setBalance({ address: account.address, balance: before + 7n });
assert.equal(await client.kaia_getBalance({ address: account.address }), before + 7n);

// A Kaia value transfer, signed with a local key.
const to = new Uint8Array(20).fill(0xab);
const call = { from: account.address, to, value: 5n };
const transfer = {
  ...call,
  type: transactionType(0x08),
  gas: await client.kaia_estimateGas({ call }),
  gasPrice: await client.kaia_gasPrice(),
  nonce: await client.kaia_getTransactionCount({ address: account.address }),
};
const raw = account.sign(transfer, await client.kaia_chainId());
const hash = await client.kaia_sendRawTransaction({ raw });
await client.anvil_mine({});

const receipt = await client.kaia_getTransactionReceipt({ hash });
assert.equal(receipt.type, "TxTypeValueTransfer");
assert.equal(await client.kaia_getBalance({ address: to }), 5n);

console.log(`${bytesToHex(hash)} moved 5 kei`);
await node.stop();
