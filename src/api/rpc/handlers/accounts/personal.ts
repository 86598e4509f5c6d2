import { decodeAccountKey } from "../../../../protocol/account/key-codec.ts";
import { secretString } from "../../../../protocol/codec/json/secret.ts";
import { addressOfPublicKey, publicKeyOf } from "../../../../protocol/crypto/secp256k1.ts";
import { bytesToHex } from "../../../../protocol/primitives/hex.ts";
import { TypeCode } from "../../../../protocol/transaction/types.ts";
import { parseRawKey } from "../../../../wallet/raw-key.ts";
import type { PrefixName } from "../../../../wallet/signed-message.ts";
import type { WalletManager } from "../../../../wallet/wallet.ts";
import { refused } from "../../engine/errors.ts";
import type { personal, WalletDescription } from "../../spec/accounts/personal.ts";
import type { Handlers } from "../../spec/method.ts";
import type { AccountUpdateArgs } from "../../spec/values/transaction-args.ts";
import type { TransactionSender } from "../transactions/sender.ts";
import type { KeyGuard } from "./key-guard.ts";
import { recoverMessage } from "./signed-message.ts";

const VALUE_TRANSFER = BigInt(TypeCode.valueTransfer);
const ACCOUNT_UPDATE = BigInt(TypeCode.accountUpdate);
const DEFAULT_UNLOCK_SECONDS = 300n;
/** Go's longest duration, in seconds. */
const MAX_UNLOCK_SECONDS = 9_223_372_036n;

/** What `personal_*` needs. */
export interface PersonalDeps {
  readonly wallets: WalletManager;
  readonly sender: TransactionSender;
  readonly messageName: PrefixName;
  /** Network name in the texts about wallet keys. */
  readonly networkName: "Klaytn" | "Kaia";
  readonly guard: KeyGuard;
}

/** `personal_*`. Keys are decrypted for one call, except by `personal_unlockAccount`. */
export function personalHandlers(deps: PersonalDeps): Handlers<typeof personal> {
  const { wallets, sender, messageName, networkName, guard } = deps;
  return {
    listAccounts: () => wallets.accounts().map(({ address }) => address),
    listWallets: () => describeWallets(wallets),
    newAccount: ({ passphrase }, context) =>
      guard.create(context, async (secret) => (await wallets.newAccount(secret(passphrase ?? ""))).address),
    async importRawKey({ key, passphrase }, context) {
      const { privateKey, address } = parseRawKey(key, networkName);
      return wiping(privateKey, () =>
        guard.create(
          context,
          async (secret) => (await wallets.importKey(privateKey, secret(passphrase), address)).address,
        ),
      );
    },
    async replaceRawKey({ key, passphrase, newPassphrase }, context) {
      const { privateKey, address } = parseRawKey(key, networkName);
      return wiping(privateKey, () => {
        const account = address ?? addressOfPublicKey(publicKeyOf(privateKey));
        return guard.attempt(account, context, async (secret) => {
          const [old, next] = [secret(passphrase), secret(newPassphrase)];
          return (await wallets.replaceKey(privateKey, account, old, next)).address;
        });
      });
    },
    unlockAccount: async ({ address, passphrase, duration }, context) =>
      guard.unlock(address, context, unlockSeconds(duration), (secret, seconds) =>
        wallets.unlock(address, secret(passphrase), seconds),
      ),
    lockAccount: ({ address }) => wallets.has(address) && wallets.lock(address),
    async openWallet({ url, passphrase }) {
      await wallets.wallet(url).open(secretString(passphrase ?? ""));
      return null;
    },
    deriveAccount: async ({ url, path, pin }) =>
      (await wallets.wallet(url).derive(path, pin ?? false)).address,
    sign: ({ message, address, passphrase }, context) =>
      guard.attempt(address, context, async (secret) =>
        wallets.signText(address, { text: message, name: messageName }, secret(passphrase)),
      ),
    ecRecover: ({ message, signature }) => recoverMessage({ text: message, name: messageName }, signature),
    sendTransaction: ({ tx, passphrase }, context) =>
      guard.attempt(tx.from, context, (secret) => sender.send(tx, secret(passphrase))),
    signAndSendTransaction: ({ tx, passphrase }, context) =>
      guard.attempt(tx.from, context, (secret) => sender.send(tx, secret(passphrase))),
    signTransaction: ({ tx, passphrase }, context) =>
      guard.attempt(tx.from, context, (secret) => sender.sign(tx, secret(passphrase))),
    sendTransactionAsFeePayer: ({ tx, passphrase }, context) =>
      guard.attempt(tx.feePayer ?? tx.from, context, (secret) =>
        sender.sendAsFeePayer(tx, secret(passphrase)),
      ),
    signTransactionAsFeePayer: ({ tx, passphrase }, context) =>
      guard.attempt(tx.feePayer ?? tx.from, context, (secret) =>
        sender.signAsFeePayer(tx, secret(passphrase)),
      ),
    async sendValueTransfer({ tx, passphrase }, context) {
      if (!wallets.has(tx.from)) throw refused("unknown account");
      if (tx.value === undefined) throw refused("tx fields should be filled with valid values");
      if (tx.to.length === 0) throw refused('json:"to" is required for TxTypeValueTransfer');
      return guard.attempt(tx.from, context, (secret) =>
        sender.send({ ...tx, typeInt: VALUE_TRANSFER }, secret(passphrase)),
      );
    },
    async sendAccountUpdate({ tx, passphrase }, context) {
      if (!wallets.has(tx.from)) throw refused("unknown account");
      checkKey(tx);
      return guard.attempt(tx.from, context, (secret) =>
        sender.send({ ...tx, typeInt: ACCOUNT_UPDATE }, secret(passphrase)),
      );
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

/** The reference returns the decoder's error here. */
function checkKey({ key }: AccountUpdateArgs): void {
  if (key === undefined) throw refused("account key is not specified");
  decodeAccountKey(key);
}
