import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { addressOfPublicKey, publicKeyOf, sign } from "../../../protocol/crypto/secp256k1.ts";
import { bigintToFixedBytes, concat, equalBytes } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexToBytes } from "../../../protocol/primitives/hex.ts";
import { encodeTransaction } from "../../../protocol/transaction/encoding.ts";
import { signTransaction } from "../../../protocol/transaction/signatures/signing.ts";
import { transactionType } from "../../../protocol/transaction/type-table.ts";
import { isEnveloped, type TransactionType, TypeCode } from "../../../protocol/transaction/types.ts";
import { createTransaction } from "../../../protocol/transaction/value.ts";
import { messageHash } from "../../signed-message.ts";

/** Arguments of a transaction, as clef and Web3Signer take them. */
export type TransactionFields = Record<string, string> & { accessList?: readonly AccessEntry[] };
interface AccessEntry {
  readonly address: string;
  readonly storageKeys: readonly string[];
}

/** Behaviour of the signer; every member can be changed while it runs. */
export interface SignerBehaviour {
  api: "clef" | "web3signer";
  chainId: bigint;
  /** Its private keys. */
  keys: readonly Uint8Array[];
  /** Error text with which it refuses to sign. */
  refuses?: string | undefined;
  /** Never responds. */
  silent?: boolean;
  /** Changes the transaction before it is signed. */
  twist?: (fields: TransactionFields) => TransactionFields;
  /** Signs with this key instead of the requested one. */
  wrongKey?: Uint8Array | undefined;
  /** Changes the text of the response. */
  garble?: (answer: string) => string;
}

/** A signer over HTTP with real keys. */
export interface SignerServer extends SignerBehaviour {
  readonly url: string;
  /** Calls received. */
  readonly calls: { readonly method: string; readonly params: readonly unknown[]; readonly auth?: string }[];
  stop(): Promise<void>;
}

/** Starts a signer on loopback. @param port - 0 = any free one */
export async function startSigner(behaviour: SignerBehaviour, port = 0): Promise<SignerServer> {
  const calls: SignerServer["calls"] = [];
  const http: Server = createServer((request, response) => void serve(server, request, response));
  http.listen(port, "127.0.0.1");
  await once(http, "listening");
  const server: SignerServer = {
    ...behaviour,
    calls,
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`,
    async stop() {
      http.closeAllConnections();
      await new Promise((resolve) => http.close(resolve));
    },
  };
  return server;
}

async function serve(
  server: SignerServer,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  let text = "";
  for await (const part of request) text += String(part);
  const { id, method, params } = JSON.parse(text);
  const auth = request.headers.authorization;
  server.calls.push({ method, params, ...(auth && { auth }) });
  if (server.silent) return;
  const answer = JSON.stringify({ jsonrpc: "2.0", id, ...outcome(server, method, params) });
  response.setHeader("content-type", "application/json");
  response.end(server.garble?.(answer) ?? answer);
}

function outcome(server: SignerServer, method: string, params: unknown[]): object {
  const handlers = server.api === "clef" ? clefMethods(server) : web3SignerMethods(server);
  const handler = handlers[method];
  if (handler === undefined)
    return { error: { code: -32601, message: `the method ${method} does not exist` } };
  if (server.refuses !== undefined && /sign/.test(method))
    return { error: { code: -32000, message: server.refuses } };
  return { result: handler(...params) };
}

// biome-ignore lint/suspicious/noExplicitAny: parameters of JSON
type Methods = Record<string, (...params: any[]) => unknown>;

function clefMethods(server: SignerServer): Methods {
  return {
    account_version: () => "6.1.0",
    account_list: () => accounts(server),
    account_signTransaction: (fields: TransactionFields) => ({ raw: signedRaw(server, fields), tx: {} }),
    account_signData: (_type: string, address: string, text: string) => signedText(server, address, text),
  };
}

function web3SignerMethods(server: SignerServer): Methods {
  return {
    eth_accounts: () => accounts(server),
    eth_signTransaction: (fields: TransactionFields) => signedRaw(server, fields),
    eth_sign: (address: string, text: string) => signedText(server, address, text),
  };
}

function accounts({ keys }: SignerServer): string[] {
  return keys.map((key) => bytesToHex(addressOfPublicKey(publicKeyOf(key))));
}

function signedRaw(server: SignerServer, asked: TransactionFields): string {
  const fields = server.twist?.(asked) ?? asked;
  const signed = signTransaction(
    transactionOf(fields, server.chainId),
    [keyOf(server, asked["from"])],
    server.chainId,
  );
  const raw = encodeTransaction(signed);
  return bytesToHex(isEnveloped(signed.type) ? raw.subarray(1) : raw);
}

function signedText(server: SignerServer, address: string, text: string): string {
  const hash = messageHash({ text: hexToBytes(text), name: "Ethereum" });
  const { r, s, parity } = sign(hash, keyOf(server, address));
  return bytesToHex(concat(bigintToFixedBytes(r, 32), bigintToFixedBytes(s, 32), Uint8Array.of(27 + parity)));
}

function keyOf({ keys, wrongKey }: SignerServer, address: string | undefined): Uint8Array {
  const wanted = hexToBytes(address as string);
  const key = keys.find((one) => equalBytes(addressOfPublicKey(publicKeyOf(one)), wanted));
  return wrongKey ?? (key as Uint8Array);
}

function transactionOf(fields: TransactionFields, chainId: bigint) {
  const { to, data, nonce, gas, value, gasPrice, maxFeePerGas, maxPriorityFeePerGas, accessList } = fields;
  const code = maxFeePerGas ? TypeCode.dynamicFee : accessList ? TypeCode.accessList : TypeCode.legacy;
  return createTransaction({
    type: transactionType(code) as TransactionType,
    ...{ nonce: BigInt(nonce as string), gas: BigInt(gas as string), value: BigInt(value as string) },
    ...{ gasPrice: BigInt((maxFeePerGas ?? gasPrice) as string), to: to ? hexToBytes(to) : undefined },
    input: hexToBytes(data as string),
    ...(maxPriorityFeePerGas && { maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) }),
    ...(code > 0 && { chainId, accessList: (accessList ?? []).map(entryOf) }),
  });
}

function entryOf({ address, storageKeys }: AccessEntry) {
  return { address: hexToBytes(address), storageKeys: storageKeys.map((key) => hexToBytes(key)) };
}
