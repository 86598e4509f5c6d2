import { InvalidParamsError } from "../../../../protocol/codec/json/errors.ts";
import { leftPad } from "../../../../protocol/primitives/bytes.ts";
import { hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { MAX_STORAGE_VALUES, type storageValues } from "../../spec/chain/storage-values.ts";
import type { Handlers } from "../../spec/method.ts";
import { LATEST_BLOCK } from "../../spec/values/block-ref.ts";
import type { ChainReader } from "./chain-reader.ts";

/** Storage of several accounts at once, all read from one state. */
export function storageValueHandlers(reader: ChainReader): Handlers<typeof storageValues> {
  return {
    getStorageValues({ slots, block = LATEST_BLOCK }) {
      const count = [...slots.values()].reduce((sum, each) => sum + each.length, 0);
      if (count === 0) throw new InvalidParamsError("empty request");
      if (count > MAX_STORAGE_VALUES)
        throw new InvalidParamsError(`too many slots (max ${MAX_STORAGE_VALUES})`);
      const { state } = reader.stateAt(block);
      const valuesOf = (account: Uint8Array, asked: readonly Uint8Array[]) =>
        asked.map((slot) => leftPad(state.storage(account, slot), 32));
      return new Map([...slots].map(([account, asked]) => [account, valuesOf(hexToBytes(account), asked)]));
    },
  };
}
