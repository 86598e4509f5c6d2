import { expect, it } from "vitest";
import { addressOfPublicKey, publicKeyOf } from "../../protocol/crypto/secp256k1.ts";
import { DEV_CHAIN, prepareDevChain } from "./dev-chain.ts";

/** The same chain with keys that are derived: no table has so many. */
const derived = await prepareDevChain({ ...DEV_CHAIN, accounts: 11 });

it("has the keys that derive from the test mnemonic, with their addresses", async () => {
  for (const accounts of [0, 3, 10]) {
    const setup = await prepareDevChain({ ...DEV_CHAIN, accounts });
    expect(setup.accounts).toEqual(derived.accounts.slice(0, accounts));
    expect(setup.validatorKey).toEqual(derived.validatorKey);
    expect(setup.genesis["extraData"]).toEqual(derived.genesis["extraData"]);
  }
  for (const { address, privateKey } of derived.accounts)
    expect(address).toEqual(addressOfPublicKey(publicKeyOf(privateKey)));
});

it("derives other keys for another path or mnemonic", async () => {
  const mnemonic =
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";
  for (const other of [{ derivationPath: "m/44'/8217'/0'/0/" }, { mnemonic }]) {
    const setup = await prepareDevChain({ ...DEV_CHAIN, ...other });
    expect(setup.accounts).toHaveLength(10);
    expect(setup.accounts[0]).not.toEqual(derived.accounts[0]);
  }
});
