import { decodeAccountKey } from "../../../protocol/account/key-codec.ts";
import { addressOfPublicKey, publicKeyOf } from "../../../protocol/crypto/secp256k1.ts";
import type { Address } from "../../../protocol/primitives/bytes.ts";
import { NodeError } from "../../../protocol/primitives/errors.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { PassphraseDamping } from "../../../wallet/passphrase-damping.ts";
import { parseRawKey } from "../../../wallet/raw-key.ts";
import type { MessageName } from "../../../wallet/signed-message.ts";
import type { WalletManager } from "../../../wallet/wallet.ts";
import { RpcError, refused } from "../errors.ts";
import type { CallContext, Handlers } from "../method.ts";
import type { personal, WalletDescription } from "../spec/personal.ts";
import type { AccountUpdateArgs } from "../spec/transaction-args.ts";
import type { TransactionSender } from "./sender.ts";
import { recoverMessage } from "./signed-message.ts";

const VALUE_TRANSFER = 0x08n;
const ACCOUNT_UPDATE = 0x20n;
const DEFAULT_UNLOCK_SECONDS = 300n;
/** Go's longest duration, in seconds. */
const MAX_UNLOCK_SECONDS = 9_223_372_036n;

/** What `personal_*` needs. */
export interface PersonalDeps {
  readonly wallets: WalletManager;
  readonly sender: TransactionSender;
  readonly messageName: MessageName;
  /** Whose name the texts about wallet keys carry. */
  readonly networkName: "Klaytn" | "Kaia";
  readonly guard: KeyGuard;
}

/** What stands between callers and keys. */
export interface KeyGuard {
  /** Slows down guessing over a port; this process and its IPC socket may try as they like. */
  readonly damping: Pick<PassphraseDamping, "attempt">;
  /** @throws RpcError while keys must not stay in memory, as strangers could use them */
  checkUnlock(): void;
}

/** `personal_*`. Keys are decrypted for one call, except by `personal_unlockAccount`. */
export function personalHandlers(deps: PersonalDeps): Handlers<typeof personal> {
  const { wallets, sender, messageName, networkName, guard } = deps;
  const attempt = <T>(account: Address, { access }: CallContext, task: () => Promise<T>): Promise<T> =>
    access.local ? task() : guard.damping.attempt(account, task);
  return {
    personal_listAccounts: () => wallets.accounts().map(({ address }) => address),
    personal_listWallets: () => describeWallets(wallets),
    personal_newAccount: async ({ passphrase }) => (await wallets.newAccount(passphrase ?? "")).address,
    async personal_importRawKey({ key, passphrase }) {
      const { privateKey, address } = parseRawKey(key, networkName);
      return wiping(
        privateKey,
        async () => (await wallets.importKey(privateKey, passphrase, address)).address,
      );
    },
    async personal_replaceRawKey({ key, passphrase, newPassphrase }, context) {
      const { privateKey, address } = parseRawKey(key, networkName);
      const account = address ?? addressOfPublicKey(publicKeyOf(privateKey));
      const replace = () => wallets.replaceKey(privateKey, account, passphrase, newPassphrase);
      return wiping(privateKey, async () => (await attempt(account, context, replace)).address);
    },
    personal_unlockAccount({ address, passphrase, duration }, context) {
      guard.checkUnlock();
      const seconds = unlockSeconds(duration);
      return succeeds(attempt(address, context, () => wallets.unlock(address, passphrase, seconds)));
    },
    personal_lockAccount: ({ address }) => wallets.has(address) && wallets.lock(address),
    async personal_openWallet({ url, passphrase }) {
      await wallets.wallet(url).open(passphrase ?? "");
      return null;
    },
    personal_deriveAccount: async ({ url, path, pin }) =>
      (await wallets.wallet(url).derive(path, pin ?? false)).address,
    personal_sign: ({ message, address, passphrase }, context) =>
      attempt(address, context, async () =>
        wallets.signText(address, { text: message, name: messageName }, passphrase),
      ),
    personal_ecRecover: ({ message, signature }) =>
      recoverMessage({ text: message, name: messageName }, signature),
    personal_sendTransaction: ({ tx, passphrase }, context) =>
      attempt(tx.from, context, () => sender.send(tx, passphrase)),
    personal_signAndSendTransaction: ({ tx, passphrase }, context) =>
      attempt(tx.from, context, () => sender.send(tx, passphrase)),
    personal_signTransaction: ({ tx, passphrase }, context) =>
      attempt(tx.from, context, () => sender.sign(tx, passphrase)),
    personal_sendTransactionAsFeePayer: ({ tx, passphrase }, context) =>
      attempt(tx.feePayer ?? tx.from, context, () => sender.sendAsFeePayer(tx, passphrase)),
    personal_signTransactionAsFeePayer: ({ tx, passphrase }, context) =>
      attempt(tx.feePayer ?? tx.from, context, () => sender.signAsFeePayer(tx, passphrase)),
    async personal_sendValueTransfer({ tx, passphrase }, context) {
      if (!wallets.has(tx.from)) throw refused("unknown account");
      if (tx.value === undefined) throw refused("tx fields should be filled with valid values");
      return attempt(tx.from, context, () => sender.send({ ...tx, typeInt: VALUE_TRANSFER }, passphrase));
    },
    async personal_sendAccountUpdate({ tx, passphrase }, context) {
      if (!wallets.has(tx.from)) throw refused("unknown account");
      checkKey(tx);
      return attempt(tx.from, context, () => sender.send({ ...tx, typeInt: ACCOUNT_UPDATE }, passphrase));
    },
  };
}

async function describeWallets(wallets: WalletManager): Promise<WalletDescription[]> {
  return Promise.all(
    wallets.wallets().map(async (wallet) => {
      const { status, failure } = await wallet.status();
      const accounts = wallet.accounts().map(({ address, url }) => ({ address: bytesToHex(address), url }));
      return {
        url: wallet.url,
        status,
        ...(failure !== undefined && { failure }),
        ...(accounts.length > 0 && { accounts }),
      };
    }),
  );
}

/** Runs a task with a private key, which is wiped afterwards. */
async function wiping<T>(privateKey: Uint8Array, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } finally {
    privateKey.fill(0);
  }
}

function unlockSeconds(duration = DEFAULT_UNLOCK_SECONDS): number {
  if (duration > MAX_UNLOCK_SECONDS) throw refused("unlock duration too large");
  return Number(duration);
}

/** Whether an action goes well; refusals of the wallet are the answer false. */
async function succeeds(action: Promise<void>): Promise<boolean> {
  try {
    await action;
    return true;
  } catch (error) {
    if (error instanceof NodeError && !(error instanceof RpcError)) return false;
    throw error;
  }
}

/** The reference reports the decoder's own error here. */
function checkKey({ key }: AccountUpdateArgs): void {
  if (key === undefined) throw refused("account key is not specified");
  decodeAccountKey(key);
}
