import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import { testKeys } from "./fake-keys.ts";
import { FakeLedger } from "./fake-ledger.ts";
import { plugged } from "./plugged.ts";
import { transaction } from "./transactions.ts";

/** Path of the first account of Ethereum's tools. */
export const OWN = "m/44'/60'/0'/0/0";
export const URL_OF_LEDGER = "ledger://1-1";
export const TX = transaction("LegacyTransaction");

/** Path below the base path of Ethereum's tools, or of Kaia's. */
export const at = (index: number, coin = 60): number[] => [
  0x8000002c,
  0x80000000 + coin,
  0x80000000,
  0,
  index,
];
/** Address at that path, in hex. */
export const addressAt = (index: number, coin?: number): string =>
  bytesToHex(testKeys.address(at(index, coin)));

/** A Ledger with one account pinned. */
export async function withLedger(device = new FakeLedger()) {
  const all = await plugged({ "1-1": device });
  const ledger = all.wallet(URL_OF_LEDGER);
  await ledger.open("");
  const { address } = await ledger.derive(OWN, true);
  return { ...all, device, ledger, address };
}
