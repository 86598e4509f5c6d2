import type { Cancel, Timers } from "../../platform/runtime/runtime.ts";
import { type Logger, silentLogger } from "../../platform/telemetry/logger.ts";
import type { EcdsaSignature } from "../../protocol/crypto/secp256k1.ts";
import type { Address } from "../../protocol/primitives/bytes.ts";
import { TypeCode } from "../../protocol/transaction/types.ts";
import { WalletError } from "../errors.ts";
import type { Passphrase } from "../passphrase.ts";
import {
  type MessageSignature,
  messageHash,
  messageSignature,
  type SignableMessage,
} from "../signed-message.ts";
import type { TransactionRequest } from "../transaction-request.ts";
import type { Wallet, WalletAccount, WalletBackend } from "../wallet.ts";
import { signatureOfBytes, signatureOfRaw } from "./checked-signature.ts";
import { createSignerConnection } from "./signer-connection.ts";
import { detectDialect, type SignerDialect, type SignerTimeouts } from "./signer-dialect.ts";
import { createSignerRpc, type SignerRpc } from "./signer-rpc.ts";

/** Endpoint and time limits of an external signer. */
export interface RemoteSignerOptions {
  /** `http://…`, `https://…` or the path of a unix socket. */
  readonly endpoint: string;
  readonly timers: Timers;
  readonly logger?: Logger;
  /** Milliseconds; by default 5000 for a response and 120000 where the user may have to approve. */
  readonly timeouts?: SignerTimeouts;
}

const DEFAULT_TIMEOUTS: SignerTimeouts = { answer: 5000, approval: 120_000 };
/** Retry interval for an unreachable signer. */
const RETRY_MS = 10_000;
/** Ethereum transaction types that every signer supports: legacy, access list, dynamic fee. */
const KNOWN_TYPES = new Set<number>([TypeCode.legacy, TypeCode.accessList, TypeCode.dynamicFee]);

/**
 * An external signer, which keeps keys out of the node: clef, Web3Signer, or a compatible one. Its URL is `extapi://` and
 * the endpoint. Nothing is sent yet.
 * @throws WalletError `SIGNER_UNREACHABLE` when the endpoint is invalid
 */
export function createRemoteSigner(options: RemoteSignerOptions): RemoteSigner {
  const rpc = createSignerRpc(createSignerConnection(options.endpoint, options.timers));
  return new RemoteSigner(rpc, options);
}

/** The wallet of an external signer, and its backend, which has only this wallet. */
export class RemoteSigner implements Wallet, WalletBackend {
  readonly url: string;
  readonly #rpc: SignerRpc;
  readonly #timers: Timers;
  readonly #logger: Logger;
  readonly #timeouts: SignerTimeouts;
  #dialect: SignerDialect | undefined;
  #accounts: readonly WalletAccount[] = [];
  #retry: Cancel = () => {};
  #isClosed = false;

  constructor(
    rpc: SignerRpc,
    { timers, logger = silentLogger, timeouts = DEFAULT_TIMEOUTS }: Omit<RemoteSignerOptions, "endpoint">,
  ) {
    this.url = `extapi://${rpc.location}`;
    this.#rpc = rpc;
    this.#timers = timers;
    this.#logger = logger;
    this.#timeouts = timeouts;
  }

  wallets(): readonly Wallet[] {
    return [this];
  }

  accounts(): readonly WalletAccount[] {
    return this.#accounts;
  }

  async status(): Promise<{ readonly status: string; readonly failure?: string }> {
    try {
      return { status: await (await this.#signer()).status() };
    } catch (error) {
      const failure = (error as Error).message;
      return { status: `Failed: ${failure}`, failure };
    }
  }

  /** Requests the accounts, retrying every ten seconds until it succeeds. Resolves after the first attempt in any case. */
  async connect(): Promise<void> {
    try {
      await this.open();
      this.#logger.info("external signer", { url: this.url, accounts: this.#accounts.length });
    } catch (error) {
      this.#logger.warn("external signer", { url: this.url, error: (error as Error).message });
      if (!this.#isClosed) this.#retry = this.#timers.schedule(RETRY_MS, () => void this.connect());
    }
  }

  /** Requests the accounts again. @throws WalletError */
  async open(): Promise<void> {
    const found = await (await this.#signer()).accounts();
    this.#accounts = found.map((address) => ({ address, url: this.url }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#retry();
  }

  async derive(): Promise<never> {
    throw unsupported("operation not supported on external signers");
  }

  async signHash(): Promise<never> {
    throw unsupported("not supported: an external signer signs no bare hash");
  }

  async signText(
    address: Address,
    message: SignableMessage,
    passphrase?: Passphrase,
  ): Promise<MessageSignature> {
    refusePassphrase(passphrase);
    if (message.name !== "Ethereum")
      throw unsupported(`not supported: an external signer signs no ${message.name} messages`);
    const signature = await (await this.#signer()).signText(address, message.text);
    return messageSignature(signatureOfBytes(signature, messageHash(message), address));
  }

  async signTransaction(
    address: Address,
    request: TransactionRequest,
    passphrase?: Passphrase,
  ): Promise<readonly EcdsaSignature[]> {
    refusePassphrase(passphrase);
    const { tx, role, chainId } = request;
    if (role === "feePayer") throw unsupported("not supported: an external signer cannot sign as fee payer");
    if (!KNOWN_TYPES.has(tx.type.code))
      throw unsupported(`not supported: an external signer cannot sign ${tx.type.name}`);
    const raw = await (await this.#signer()).signTransaction(address, tx, chainId);
    return [signatureOfRaw(raw, request, address)];
  }

  async #signer(): Promise<SignerDialect> {
    this.#dialect ??= await detectDialect(this.#rpc, this.#timeouts);
    return this.#dialect;
  }
}

/** An empty passphrase counts as none: `personal_*` methods cannot leave it out. */
function refusePassphrase(passphrase: Passphrase | undefined): void {
  if (passphrase !== undefined && !passphrase.isEmpty)
    throw unsupported("password-operations not supported on external signers");
}

function unsupported(text: string): WalletError {
  return new WalletError("CANNOT_SIGN", text);
}
