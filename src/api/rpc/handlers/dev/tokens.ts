import { bigintToFixedBytes, concat } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { refused } from "../../engine/errors.ts";
import type { anvilTokens } from "../../spec/dev/tokens.ts";
import type { Handlers } from "../../spec/method.ts";
import { type Provider, rethrowCause } from "../../transports/provider.ts";
import type { AccountControls } from "./dev-controls.ts";

/** Selectors of ERC-20. */
const BALANCE_OF = hexToBytes("0x70a08231");
const ALLOWANCE = hexToBytes("0xdd62ed3e");
/** Maximum slots that are tried. */
const MAX_SLOTS = 200;
/** Probe value: no token amount is as large, and it fits into 96 bits, as some tokens keep their amounts. */
const PROBE = 0x5ec5ca1e5ec5ca1en;

/** What writing tokens needs. */
export interface TokenDeps {
  readonly accounts: Pick<AccountControls, "setStorage">;
  readonly request: Provider["request"];
}

interface Slot {
  readonly address: string;
  readonly slot: string;
}

/** Balances and allowances of tokens. @throws RpcError -32000 for a token that does not keep them in a storage slot */
export function anvilTokenHandlers({ accounts, request }: TokenDeps): Handlers<typeof anvilTokens> {
  async function write(token: Uint8Array, question: Uint8Array, amount: bigint): Promise<null> {
    if (amount >= 2n ** 256n) throw refused("a token's amount has at most 256 bits");
    const call = { to: bytesToHex(token), data: bytesToHex(question) };
    const { address, slot } = await slotOf(call, request);
    await accounts.setStorage(hexToBytes(address), hexToBytes(slot), word(amount));
    return null;
  }
  return {
    dealERC20: ({ address, token, balance }) => write(token, concat(BALANCE_OF, padded(address)), balance),
    setERC20Allowance: ({ owner, spender, token, allowance }) =>
      write(token, concat(ALLOWANCE, padded(owner), padded(spender)), allowance),
  };
}

/** The slot whose value a call returns: of those it reads, the one whose change shows in the result. */
async function slotOf(call: { readonly to: string }, request: Provider["request"]): Promise<Slot> {
  const asked = { method: "eth_createAccessList", params: [call, "latest"] };
  const found = await request(asked).catch(rethrowCause);
  const { accessList } = found as { accessList: { address: string; storageKeys: string[] }[] };
  const read = accessList.flatMap(({ address, storageKeys }) =>
    storageKeys.map((slot) => ({ address, slot })),
  );
  for (const { address, slot } of read.slice(0, MAX_SLOTS)) {
    const overrides = { [address]: { stateDiff: { [slot]: bytesToHex(word(PROBE)) } } };
    const answer = await request({ method: "eth_call", params: [call, "latest", overrides] }).catch(
      () => "0x",
    );
    if (answer === bytesToHex(word(PROBE))) return { address, slot };
  }
  throw refused(
    `${call.to} does not keep this amount in a storage slot: it is not a token, or computes the amount`,
  );
}

function word(value: bigint): Uint8Array {
  return bigintToFixedBytes(value, 32);
}

function padded(address: Uint8Array): Uint8Array {
  return concat(new Uint8Array(12), address);
}
