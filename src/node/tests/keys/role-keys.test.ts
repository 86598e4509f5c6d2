import { afterAll, beforeAll, expect, it } from "vitest";
import { systemRuntime } from "../../../platform/runtime/system.ts";
import { accountKeyToJson } from "../../../protocol/account/key-json.ts";
import { compressPublicKey, publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { createKeyDeriver } from "../../../wallet/keystore/key-derivation.ts";
import { newUuid } from "../../../wallet/keystore/key-file.ts";
import { encryptKeyFile } from "../../../wallet/keystore/key-storage.ts";
import { Passphrase } from "../../../wallet/passphrase.ts";
import { createNode, type Node } from "../../create-node.ts";

const key = (n: number) => new Uint8Array(32).fill(n);
const publicKey = (n: number) => compressPublicKey(publicKeyOf(key(n)));
const address = key(0x5b).slice(12);
const from = bytesToHex(address);
const receiver = `0x${"ab".repeat(20)}`;
const gas = "0x30d40";

/** Two keys for transactions, one of its own for updates and one for fees. */
const keyring = [[key(1), key(2)], [key(3)], [key(4)]];
const onChain = accountKeyToJson({
  type: "roleBased",
  keys: [
    {
      ...{ type: "weightedMultisig", threshold: 2n },
      keys: [1, 2].map((n) => ({ weight: 1n, publicKey: publicKey(n) })),
    },
    { type: "public", publicKey: publicKey(3) },
    { type: "public", publicKey: publicKey(4) },
  ],
});

let node: Node;
// biome-ignore lint/suspicious/noExplicitAny: results of JSON-RPC
const call = (method: string, ...params: unknown[]): Promise<any> =>
  node.provider.request({ method, params });
const receipt = async (sent: Promise<string>) => call("kaia_getTransactionReceipt", await sent);

beforeAll(async () => {
  node = await createNode({ lightKdf: true });
  const { randomness } = systemRuntime;
  const parts = { randomness, deriver: createKeyDeriver(), cost: { n: 2, p: 1 } };
  const file = await encryptKeyFile(
    { address, id: newUuid(randomness), keyring },
    new Passphrase("pw"),
    parts,
  );
  await node.wallets.importKeyFile(file, new Passphrase("pw"), new Passphrase("pw"));
  await call("anvil_setBalance", from, "0x8ac7230489e80000");
  await call("kairn_setAccountKey", from, onChain);
}, 30_000);
afterAll(() => node.stop());

it("signs with the role's keys, from a key file to the block", async () => {
  const transfer = { typeInt: 8, from, to: receiver, value: "0x1", gas };
  const sent = await receipt(call("personal_sendTransaction", transfer, "pw"));
  expect(sent).toMatchObject({ from, status: "0x1" });
  expect(sent.signatures).toHaveLength(2);

  const [sender] = await call("eth_accounts");
  const delegated = { typeInt: 9, from: sender, to: receiver, value: "0x1", gas, feePayer: from };
  const signed = (await call("kaia_signTransaction", delegated)).tx;
  const { nonce, gasPrice, signatures } = signed;
  const paid = await receipt(
    call("personal_sendTransactionAsFeePayer", { ...delegated, nonce, gasPrice, signatures }, "pw"),
  );
  expect(paid).toMatchObject({ feePayer: from, status: "0x1" });
  expect(paid.feePayerSignatures).toHaveLength(1);

  await call("personal_unlockAccount", from, "pw");
  const update = { typeInt: 0x20, from, gas, key: `0x02a1${bytesToHex(publicKey(1)).slice(2)}` };
  const updated = await receipt(call("kaia_sendTransaction", update));
  expect(updated).toMatchObject({ status: "0x1", signatures: [expect.anything()] });

  // The account has one key now, the file still two.
  const after = await receipt(call("kaia_sendTransaction", transfer));
  expect(after).toMatchObject({ from, status: "0x1", signatures: [expect.anything()] });
});
