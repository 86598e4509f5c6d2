import type { Address } from "../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../protocol/primitives/hex.ts";
import type { Transaction } from "../../protocol/transaction/transaction.ts";
import { TypeCode } from "../../protocol/transaction/types.ts";
import { badResponse, isUnknownMethod, type SignerRpc } from "./signer-rpc.ts";

/** The API of a signer; only the format of results is checked. */
export interface SignerDialect {
  /** The status of a wallet: `ok [version=6.1.0]`. @throws WalletError when the signer is unreachable */
  status(): Promise<string>;
  /** May wait for the user. */
  accounts(): Promise<readonly Address[]>;
  /** @returns the signed transaction in Ethereum's encoding */
  signTransaction(from: Address, tx: Transaction, chainId: bigint): Promise<Uint8Array>;
  /** Signs a text with Ethereum's prefix. @returns 65 bytes: r, s, v */
  signText(address: Address, text: Uint8Array): Promise<Uint8Array>;
}

/** Time limits of a signer, in milliseconds. */
export interface SignerTimeouts {
  /** Of calls without user interaction. */
  readonly answer: number;
  /** Of calls that the user may have to approve. */
  readonly approval: number;
}

/**
 * Detects the API of a signer: clef's, else Web3Signer's for Ethereum.
 * @see https://geth.ethereum.org/docs/tools/clef/apis
 * @see https://docs.web3signer.consensys.io/reference/api/json-rpc
 */
export async function detectDialect(rpc: SignerRpc, timeouts: SignerTimeouts): Promise<SignerDialect> {
  const clef = clefDialect(rpc, timeouts);
  try {
    await clef.status();
    return clef;
  } catch (error) {
    if (!isUnknownMethod(error)) throw error;
    return web3SignerDialect(rpc, timeouts);
  }
}

function clefDialect(rpc: SignerRpc, { answer, approval }: SignerTimeouts): SignerDialect {
  return {
    async status() {
      const version = await rpc.call("account_version", [], answer);
      if (typeof version !== "string") throw badResponse("is not a version");
      return `ok [version=${version.slice(0, 20)}]`;
    },
    accounts: async () => addresses(await rpc.call("account_list", [], approval)),
    async signTransaction(from, tx, chainId) {
      const fields = { ...transactionFields(from, tx), chainId: quantity(chainId) };
      const result = await rpc.call("account_signTransaction", [fields], approval);
      return hexBytes((result as { readonly raw?: unknown } | null)?.raw);
    },
    signText: async (address, text) =>
      hexBytes(
        await rpc.call("account_signData", ["text/plain", bytesToHex(address), bytesToHex(text)], approval),
      ),
  };
}

function web3SignerDialect(rpc: SignerRpc, { answer, approval }: SignerTimeouts): SignerDialect {
  const accounts = async () => addresses(await rpc.call("eth_accounts", [], answer));
  return {
    accounts,
    async status() {
      await accounts();
      return "ok";
    },
    signTransaction: async (from, tx) =>
      hexBytes(await rpc.call("eth_signTransaction", [transactionFields(from, tx)], approval)),
    signText: async (address, text) =>
      hexBytes(await rpc.call("eth_sign", [bytesToHex(address), bytesToHex(text)], approval)),
  };
}

function transactionFields(from: Address, tx: Transaction): Record<string, unknown> {
  const price =
    tx.type.code === TypeCode.dynamicFee
      ? {
          maxFeePerGas: quantity(tx.gasPrice),
          maxPriorityFeePerGas: quantity(tx.maxPriorityFeePerGas ?? 0n),
        }
      : { gasPrice: quantity(tx.gasPrice) };
  return {
    from: bytesToHex(from),
    ...(tx.to && { to: bytesToHex(tx.to) }),
    ...{ nonce: quantity(tx.nonce), gas: quantity(tx.gas), value: quantity(tx.value ?? 0n), ...price },
    data: bytesToHex(tx.input ?? new Uint8Array()),
    ...(tx.accessList && {
      accessList: tx.accessList.map(({ address, storageKeys }) => ({
        address: bytesToHex(address),
        storageKeys: storageKeys.map((key) => bytesToHex(key)),
      })),
    }),
  };
}

function quantity(value: bigint): string {
  return `0x${value.toString(16)}`;
}

function addresses(value: unknown): Address[] {
  if (!Array.isArray(value)) throw badResponse("is not a list of accounts");
  return value.map((one) => {
    const address = hexBytes(one);
    if (address.length !== 20) throw badResponse("has an account that is not an address");
    return address;
  });
}

function hexBytes(value: unknown): Uint8Array {
  if (typeof value !== "string" || !/^0x([0-9a-fA-F]{2})*$/.test(value)) throw badResponse("is not hex");
  return hexToBytes(value);
}
