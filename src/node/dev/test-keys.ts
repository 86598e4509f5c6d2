import { withAddress } from "../../protocol/crypto/secp256k1.ts";
import { hexToBytes } from "../../protocol/primitives/hex.ts";
import type { DevChain } from "../node-options.ts";
import { devOptions, TEST_MNEMONIC } from "../options/dev/dev.ts";

/** The private keys of a development chain, 32 bytes each. */
export interface DevKeys {
  readonly accounts: readonly Uint8Array[];
  /** Key of the only validator. */
  readonly validator: Uint8Array;
}

/**
 * The first accounts of the test mnemonic, at the default path, and their addresses: as public as the mnemonic. A default chain
 * starts a tenth faster with them, as nothing needs the signature library, which fills its tables when it is loaded.
 */
const ACCOUNTS = [
  "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80",
  "59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
  "5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
  "7c852118294e51e653712a81e05800f419141751be58f605c371e15141b007a6",
  "47e179ec197488593b187f80a00eb0da91f1b9d0b13f8733639f19c30a34926a",
  "8b3a350cf5c34c9194ca85829a2df0ec3153be0318b5e2d3348e872092edffba",
  "92db14e403b83dfe3df233f83dfa3a0d7096f21ca9b0d6d6b8d88b2b4ec1564e",
  "4bbbf85ce3377467afe5d46f804f221813b2bb87f24d81f60f1fcdbf7cbf4356",
  "dbda1821b80551c9d65939329250298aa3472ba22feea921c0cf5d620ea67b97",
  "2a871d0798f97d79848a013d4936a73bf4cc922c825d33c1cf7073dff6d409c6",
];
const ADDRESSES = [
  "f39fd6e51aad88f6f4ce6ab8827279cfffb92266",
  "70997970c51812dc3a010c7d01b50e0d17dc79c8",
  "3c44cdddb6a900fa2b585dd299e03d12fa4293bc",
  "90f79bf6eb2c4f870365e785982e1f101e93b906",
  "15d34aaf54267db7d7c367839aaf71a00a2c6a65",
  "9965507d1a55bcc2695c58ba16fb37d819b0a4dc",
  "976ea74026e726554db657fa54763abd0c3a0aa9",
  "14dc79964da2c08b23698b3d3cc7ca32193d9955",
  "23618e81e3f5cdf7f54c3d65f7fbc0abf5b21e8f",
  "a0ee7a142d267c1f36714e4a8f75612f20a79720",
];
const VALIDATOR = "446f07efde49b401e9517ad884a7e7c70c810cbc63d511765b84a838bfe71272";
const VALIDATOR_ADDRESS = "990a9e72e31cbbff16419e82d13e5d18ef148b15";

/** The keys of a chain, with their addresses, if it has the test mnemonic, the default path and at most ten accounts. */
export function testKeysOf({ mnemonic, derivationPath, accounts }: DevChain): DevKeys | undefined {
  if (mnemonic !== TEST_MNEMONIC || derivationPath !== devOptions.derivationPath.default) return undefined;
  if (accounts > ACCOUNTS.length) return undefined;
  return {
    accounts: ACCOUNTS.slice(0, accounts).map((key, i) => known(key, ADDRESSES[i] as string)),
    validator: known(VALIDATOR, VALIDATOR_ADDRESS),
  };
}

function known(key: string, address: string): Uint8Array {
  return withAddress(hexToBytes(`0x${key}`), hexToBytes(`0x${address}`));
}
