import { Role } from "../../../src/protocol/account/key.ts";
import { decodeAccountKey, encodeAccountKey } from "../../../src/protocol/account/key-codec.ts";
import { accountKeyToJson } from "../../../src/protocol/account/key-json.ts";
import {
  accountKeyCreationGas,
  checkInstallable,
  updateAccountKey,
} from "../../../src/protocol/account/key-rules.ts";
import { signatureValidationGas } from "../../../src/protocol/account/key-signatures.ts";
import { bytesToHex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { casesOf, failureOf, same } from "./vector-case.ts";

/** account-key.json: RLP, JSON, the check for installation and the price of each key. */
export const accountKey = casesOf((vector) => {
  const key = decodeAccountKey(hexToBytes(vector.rlp));
  same(bytesToHex(encodeAccountKey(key)), vector.rlp, "rlp");
  const json = JSON.parse(JSON.stringify(vector.json).replaceAll('"keys":null', '"keys":[]'));
  same(
    JSON.parse(JSON.stringify(accountKeyToJson(key)).replaceAll('"keys":null', '"keys":[]')),
    json,
    "json",
  );
  same(
    failureOf(() => checkInstallable(key)),
    vector.installError,
    "installError",
  );
  same(
    failureOf(() => accountKeyCreationGas(key)),
    vector.creationGasError,
    "creationGasError",
  );
  if (vector.creationGasError === null) same(accountKeyCreationGas(key), vector.creationGas, "creationGas");
});

/** account-key-decode.json: which bytes are a key. The texts of RLP faults are the reference's own. */
export const accountKeyDecode = casesOf(({ rlp, json, error }) => {
  const failure = failureOf(() => decodeAccountKey(hexToBytes(rlp)));
  same(failure === null, error === null, `accepted (${failure})`);
  if (error === null) same(accountKeyToJson(decodeAccountKey(hexToBytes(rlp))), json, "json");
});

/** account-key-update.json: which key may replace which, and what results. */
export const accountKeyUpdate = casesOf((vector) => {
  const update = () =>
    updateAccountKey(decodeAccountKey(hexToBytes(vector.old)), decodeAccountKey(hexToBytes(vector.new)));
  same(failureOf(update), vector.error, "error");
  if (vector.error === null) same(bytesToHex(encodeAccountKey(update())), vector.result, "result");
});

const ROLES = [Role.transaction, Role.accountUpdate, Role.feePayer] as const;

/** sig-validation-gas.json: gas for checking signatures against a key. */
export const signatureGas = casesOf(({ key, role, signatures, istanbul, gas, error }) => {
  const price = () =>
    signatureValidationGas(decodeAccountKey(hexToBytes(key)), ROLES[role] ?? 0, signatures, { istanbul });
  same(failureOf(price), error, "error");
  if (error === null) same(price(), gas, "gas");
});
