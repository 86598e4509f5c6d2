import type { KeyGuard } from "../../../api/rpc/handlers/accounts/key-guard.ts";
import type { contracts } from "../../../api/rpc/spec/dashboard/contracts.ts";
import type { desk, signing } from "../../../api/rpc/spec/dashboard/desk.ts";
import type { FeePayerReport, UnlockedAccount } from "../../../api/rpc/spec/dashboard/desk-wire.ts";
import type { Handlers } from "../../../api/rpc/spec/method.ts";
import { keccak256 } from "../../../protocol/crypto/keccak.ts";
import { compressPublicKey, recoverPublicKey } from "../../../protocol/crypto/secp256k1.ts";
import { bigintToFixedBytes, concat } from "../../../protocol/primitives/bytes.ts";
import { bytesToHex } from "../../../protocol/primitives/hex.ts";
import type { Keystore, WalletManager } from "../../../wallet/wallet.ts";
import { ContractPage, type ContractParts } from "./reports/contract-report.ts";
import { type DraftParts, Drafts } from "./reports/drafts.ts";
import { keyReport } from "./reports/key-report.ts";

/** Dependencies of these methods. */
export interface DeskParts extends ContractParts, Omit<DraftParts, "wallets"> {
  readonly wallets: Pick<WalletManager, "signTransaction" | "signHash" | "has">;
  /** The key files, and the guard against guessing passphrases. */
  readonly keystore: Pick<Keystore, "accounts" | "changePassphrase" | "unlockedMs">;
  readonly guard: Pick<KeyGuard, "attempt">;
  readonly feePayer: () => FeePayerReport | null;
}

/** Signed to learn a public key: no transaction and no message has this hash. */
const PUBLIC_KEY_CHALLENGE = keccak256(
  new TextEncoder().encode("kairn dashboard: which public key signs for this account?"),
);

/** Methods for transactions with several signers, for keys and for contracts. */
export function deskMethods(parts: DeskParts): {
  readonly desk: Handlers<typeof desk>;
  readonly signing: Handlers<typeof signing>;
  readonly contracts: Handlers<typeof contracts>;
} {
  const drafts = new Drafts(parts);
  const reader = new ContractPage(parts);
  const { wallets, chain } = parts;
  return {
    desk: {
      examine: ({ raw }) => drafts.examine(raw),
      merge: ({ raws }) => drafts.merge(raws),
      feePayer: () => parts.feePayer(),
    },
    signing: {
      draft: ({ tx }) => drafts.make(tx),
      addSignature: ({ raw, signer, role }) => drafts.sign(raw, signer, role),
      async publicKey({ address }) {
        const { r, s, parity } = await wallets.signHash(address, PUBLIC_KEY_CHALLENGE);
        const scalars = concat(bigintToFixedBytes(r, 32), bigintToFixedBytes(s, 32));
        return compressPublicKey(recoverPublicKey(PUBLIC_KEY_CHALLENGE, scalars, parity));
      },
      unlocked: () => unlockedAccounts(parts.keystore),
      async changePassphrase({ address, passphrase, newPassphrase }, context) {
        await parts.guard.attempt(address, context, (secret) =>
          parts.keystore.changePassphrase(address, secret(passphrase), secret(newPassphrase)),
        );
        return null;
      },
      examineKey: ({ address, key }) =>
        keyReport(key, {
          address,
          current: chain.latestState().account(address)?.key,
          isHeld: (one) => wallets.has(one),
        }),
    },
    contracts: {
      contract: ({ address, abi }) => reader.report(address, abi),
      encodeCall: (call) => reader.encode(call),
      read: (call) => reader.read(call),
    },
  };
}

function unlockedAccounts(keystore: DeskParts["keystore"]): UnlockedAccount[] {
  const found = new Map<string, UnlockedAccount>();
  for (const { address } of keystore.accounts()) {
    const left = keystore.unlockedMs(address);
    const seconds = Number.isFinite(left) ? Math.ceil(left / 1000) : null;
    const id = bytesToHex(address);
    if (left > 0) found.set(id, { address: id, seconds });
  }
  return [...found.values()];
}
