import type { Chain } from "../../../../ledger/chain/chain.ts";
import type { Timers } from "../../../../platform/runtime/runtime.ts";
import { parseJson } from "../../../../protocol/codec/json/parse.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";
import { messageSignature, type PrefixName } from "../../../../wallet/signed-message.ts";
import { typedDataHash } from "../../../../wallet/typed-data/typed-data.ts";
import type { WalletManager } from "../../../../wallet/wallet.ts";
import { RpcError, refused } from "../../engine/errors.ts";
import type { ethDapp, personalDapp, walletDapp } from "../../spec/dev/dapp.ts";
import type { Handlers } from "../../spec/method.ts";
import type { WireObject } from "../../spec/values/wire-types.ts";
import { type Provider, rethrowCause } from "../../transports/provider.ts";
import type { KeyGuard } from "../accounts/key-guard.ts";

/** What the methods for dApps need. */
export interface DappDeps {
  readonly wallets: WalletManager;
  readonly guard: KeyGuard;
  /** Prefix of messages signed with a passphrase. */
  readonly messageName: PrefixName;
  readonly chain: Chain;
  readonly timers: Timers;
  /** The node's own methods. */
  readonly request: Provider["request"];
}

const DEFAULT_WAIT_MS = 20_000n;
const MAX_WAIT_MS = 60_000n;
/** @see EIP-7966 */
const NOT_MINED_YET = 4;
/** @see EIP-3326 */
const UNKNOWN_CHAIN = 4902;

/** `eth_*` as wallets answer it. */
export function ethDappHandlers(deps: DappDeps): Handlers<typeof ethDapp> {
  const { wallets, chain, timers, request } = deps;
  const signTypedData = async ({ address, data }: { address: Uint8Array; data: Json }) =>
    messageSignature(await wallets.signHash(address, typedDataHash(objectOf(data))));
  return {
    requestAccounts: () => wallets.accounts().map(({ address }) => address),
    signTypedData,
    signTypedData_v3: signTypedData,
    signTypedData_v4: signTypedData,
    async sendRawTransactionSync({ raw, timeout = DEFAULT_WAIT_MS }, { signal }) {
      const params = [bytesToHex(raw)];
      const hash = (await request({ method: "eth_sendRawTransaction", params }).catch(
        rethrowCause,
      )) as string;
      const waitMs = Number(timeout < MAX_WAIT_MS ? timeout : MAX_WAIT_MS);
      await untilMined(chain, hexToBytes(hash), { waitMs, timers, signal });
      const receipt = await request({ method: "eth_getTransactionReceipt", params: [hash] });
      if (receipt !== null) return receipt as WireObject;
      const text = `the transaction was added to the pool but not mined within ${waitMs} ms`;
      throw new RpcError(NOT_MINED_YET, text, hash);
    },
  };
}

/** `personal_sign` with and without a passphrase. */
export function personalDappHandlers({
  wallets,
  guard,
  messageName,
}: DappDeps): Handlers<typeof personalDapp> {
  return {
    sign({ message, address, passphrase }, context) {
      // Libraries verify signatures with Ethereum's prefix.
      if (passphrase === undefined) return wallets.signText(address, { text: message, name: "Ethereum" });
      return guard.attempt(address, context, async (secret) =>
        wallets.signText(address, { text: message, name: messageName }, secret(passphrase)),
      );
    },
  };
}

/** `wallet_*`: the node is a wallet with one chain, which shares its accounts with every page. */
export function walletDappHandlers({ chain, wallets }: DappDeps): Handlers<typeof walletDapp> {
  const stay = ({ chain: { chainId } }: { chain: { chainId: bigint } }): null => {
    if (chainId === chain.config.chainId) return null;
    const text = `Unrecognized chain ID "0x${chainId.toString(16)}": this node only serves chain 0x${chain.config.chainId.toString(16)}`;
    throw new RpcError(UNKNOWN_CHAIN, text);
  };
  const permitted = (): WireObject[] => {
    const value = wallets.accounts().map(({ address }) => bytesToHex(address));
    return [{ parentCapability: "eth_accounts", caveats: [{ type: "restrictReturnedAccounts", value }] }];
  };
  return {
    switchEthereumChain: stay,
    addEthereumChain: stay,
    switchKlaytnChain: stay,
    addKlaytnChain: stay,
    getPermissions: permitted,
    requestPermissions: permitted,
    revokePermissions: () => null,
    watchAsset: () => true,
  };
}

/** @throws RpcError -32000 for a text that is not JSON */
function objectOf(data: Json): Json {
  if (typeof data !== "string") return data;
  const parsed = parseJson(data);
  if ("syntaxError" in parsed) throw refused(`invalid typed data: ${parsed.syntaxError}`);
  return parsed.value;
}

/** Resolves when the transaction is in a block, on timeout, or when the caller disconnects. */
function untilMined(
  chain: Chain,
  hash: Uint8Array,
  { waitMs, timers, signal }: { waitMs: number; timers: Timers; signal: AbortSignal },
): Promise<void> {
  if (signal.aborted || chain.locate(hash) !== undefined) return Promise.resolve();
  return new Promise((resolve) => {
    const end = (): void => {
      unsubscribe();
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const unsubscribe = chain.onHead(() => {
      if (chain.locate(hash) !== undefined) end();
    });
    const cancel = timers.schedule(waitMs, end);
    signal.addEventListener("abort", end);
  });
}
