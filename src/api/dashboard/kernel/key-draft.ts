/** A type of account key that can be built. `same` leaves a role unchanged. */
export type KeyKind = "legacy" | "public" | "fail" | "multisig" | "roles" | "same";

/** A public key with its weight, as typed. */
export interface WeightedText {
  readonly publicKey: string;
  readonly weight: string;
}

/** A key under construction. Fields its kind does not use are kept, so that a change of kind can be undone. */
export interface KeyDraft {
  readonly kind: KeyKind;
  readonly publicKey: string;
  readonly threshold: string;
  readonly keys: readonly WeightedText[];
  /** One per role. */
  readonly roles: readonly KeyDraft[];
}

/** Maximum keys of a multisig key, as in the protocol. */
export const MAX_KEYS = 10;

/** An empty draft of a kind. */
export function emptyKey(kind: KeyKind): KeyDraft {
  const shared = { publicKey: "", threshold: "2", keys: [emptyWeighted(), emptyWeighted()] };
  const roles = kind === "roles" ? (["public", "public", "same"] as const).map((one) => emptyKey(one)) : [];
  return { ...shared, kind, roles };
}

/** An empty entry for another key. */
export function emptyWeighted(): WeightedText {
  return { publicKey: "", weight: "1" };
}

/** The key in the form of `kaia_encodeAccountKey`, with public keys as typed; undefined while incomplete. */
export function keyToJson(draft: KeyDraft): unknown {
  const { kind, publicKey, threshold, keys, roles } = draft;
  switch (kind) {
    case "same":
      return { keyType: 0, key: {} };
    case "legacy":
      return { keyType: 1, key: {} };
    case "public":
      return isPublicKey(publicKey) ? { keyType: 2, key: prefixed(publicKey) } : undefined;
    case "fail":
      return { keyType: 3, key: {} };
    case "multisig": {
      const isWhole =
        isWeight(threshold) && keys.every((one) => isPublicKey(one.publicKey) && isWeight(one.weight));
      if (!isWhole || keys.length === 0) return undefined;
      const entries = keys.map((one) => ({ weight: Number(one.weight), key: prefixed(one.publicKey) }));
      return { keyType: 4, key: { threshold: Number(threshold), keys: entries } };
    }
    case "roles": {
      const inner = roles.map(keyToJson);
      return inner.includes(undefined) ? undefined : { keyType: 5, key: inner };
    }
  }
}

/** Whether a text is a public key: 33 or 65 bytes, or the 64 of its coordinates. */
export function isPublicKey(text: string): boolean {
  return /^(0x)?((02|03)[0-9a-f]{64}|(04)?[0-9a-f]{128})$/i.test(text.trim());
}

function isWeight(text: string): boolean {
  return /^\d{1,9}$/.test(text.trim()) && Number(text) > 0;
}

function prefixed(text: string): string {
  const trimmed = text.trim().toLowerCase();
  return trimmed.startsWith("0x") ? trimmed : `0x${trimmed}`;
}
