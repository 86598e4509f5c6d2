import type { ComponentChildren } from "preact";
import { RawJson } from "../panel.tsx";
import { Hash, Tag } from "../text.tsx";
import { Tree, type TreeItem } from "../tree.tsx";

/** Purposes of the keys of a role-based key, by index. */
export const ROLES = ["transaction", "account update", "fee payer"] as const;

/** A key as the node shows it. */
export interface KeyJson {
  readonly keyType: number;
  readonly key: unknown;
}

/** An account key: type, threshold, keys with weights, roles. */
export function KeyTree({ value }: { readonly value: unknown }) {
  return (
    <>
      <Tree label="Account key" branches={[branchOf(value, "key", undefined)]} />
      <RawJson value={value} label="Key as JSON" />
    </>
  );
}

function branchOf(value: unknown, key: string, role: string | undefined): TreeItem {
  const { keyType, key: body } = (value ?? {}) as Partial<KeyJson>;
  const say = (text: ComponentChildren, below: readonly TreeItem[] = []): TreeItem => ({
    key,
    below,
    label: (
      <>
        {role && <strong>{role}: </strong>}
        {text}
      </>
    ),
  });
  switch (keyType) {
    case 0:
      return say("Nil: keeps its current key");
    case 1:
      return say("Legacy: the key of the address");
    case 2:
      return say(
        <>
          Public <Point point={body} />
        </>,
      );
    case 3:
      return say("Fail: nobody can sign");
    case 4:
      return say(...multisig(body));
    case 5:
      return say(
        "Role based",
        list(body).map((inner, i) => branchOf(inner, `${key}/${i}`, ROLES[i] ?? `role ${i}`)),
      );
    default:
      return say(typeof value === "string" ? `unknown: ${value}` : "unknown key");
  }
}

function multisig(body: unknown): [ComponentChildren, readonly TreeItem[]] {
  const { threshold, keys } = (body ?? {}) as { threshold?: number; keys?: unknown };
  const below = list(keys).map((entry, i) => {
    const { weight, key } = (entry ?? {}) as { weight?: number; key?: unknown };
    return {
      key: String(i),
      below: [],
      label: (
        <>
          <Point point={key} /> <Tag>weight {weight}</Tag>
        </>
      ),
    };
  });
  return [`Weighted multisig, threshold ${threshold}`, below];
}

/** A public key given by its coordinates, in compressed form. */
function Point({ point }: { readonly point: unknown }) {
  const { x, y } = (point ?? {}) as { x?: string; y?: string };
  if (typeof x !== "string" || typeof y !== "string") return <span class="muted">no point</span>;
  const isOdd = "13579bdf".includes(y.slice(-1));
  return <Hash value={`0x${isOdd ? "03" : "02"}${x.replace(/^0x/, "").padStart(64, "0")}`} />;
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
