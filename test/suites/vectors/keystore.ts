import { bytesToHex } from "../../../src/protocol/primitives/hex.ts";
import { createKeyDeriver } from "../../../src/wallet/keystore/key-derivation.ts";
import { decryptKeyFile } from "../../../src/wallet/keystore/private-keys.ts";
import { Passphrase } from "../../../src/wallet/passphrase.ts";
import { casesOf, same } from "./vector-case.ts";

const deriver = createKeyDeriver();

/** keystore/keyfiles.json and keystore/v4-known.json: key files that can be opened. */
export const keyFiles = casesOf(async ({ json, password, address, privateKeys }) => {
  const keys = await decryptKeyFile(JSON.stringify(json), new Passphrase(password), deriver);
  same(bytesToHex(keys.address), address, "address");
  same(
    keys.keyring.map((role) => role.map((key) => bytesToHex(key))),
    privateKeys,
    "privateKeys",
  );
});

/** keystore/invalid.json: key files that cannot be opened, and the errors. */
export const invalidKeyFiles = casesOf(async ({ json, password, error }) => {
  const answer = await decryptKeyFile(json, new Passphrase(password), deriver).then(
    () => "<nil>",
    (reason: Error) => reason.message,
  );
  same(answer, error, "error");
});

interface OldCase {
  readonly json: object;
  readonly password: string;
  readonly priv: string;
}

/** keystore/files/v1_test_vector.json and v3_test_vector.json: cases by name. A key of other than 32 bytes is refused. */
export const oldKeyFiles = (file: Readonly<Record<string, OldCase>>) =>
  Object.entries(file).map(([name, { json, password, priv }]) => ({
    name,
    async run() {
      const answer = await decryptKeyFile(JSON.stringify(json), new Passphrase(password), deriver).then(
        (keys) => bytesToHex(keys.keyring[0]?.[0] as Uint8Array),
        (reason: Error) => reason.message,
      );
      same(answer, priv.length === 64 ? `0x${priv}` : "invalid length, need 256 bits", "key");
    },
  }));
