/** Account keys, as in the state trie. Public keys are 33-byte compressed points. @see KIP on account keys, protocol docs */
export type AccountKey =
  | { readonly type: "nil" }
  | { readonly type: "legacy" }
  | { readonly type: "public"; readonly publicKey: Uint8Array }
  | { readonly type: "fail" }
  | {
      readonly type: "weightedMultisig";
      readonly threshold: bigint;
      readonly keys: readonly { readonly weight: bigint; readonly publicKey: Uint8Array }[];
    }
  | { readonly type: "roleBased"; readonly keys: readonly AccountKey[] };

/** What a signature is for; index into the keys of a role-based key. */
export const Role = { transaction: 0, accountUpdate: 1, feePayer: 2 } as const;
export type Role = (typeof Role)[keyof typeof Role];
