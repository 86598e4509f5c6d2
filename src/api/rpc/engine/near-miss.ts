import { nearest } from "../../../protocol/primitives/nearest.ts";
import type { Served } from "../spec/method.ts";

/** Longer names get no suggestion; our longest has 41 characters. */
const MAX_LENGTH = 64;
/**
 * Suggests what an unknown method may have meant: a name with one typo, the same name in another namespace, or a module
 * that this transport does not serve. One pass over the names, without allocating.
 * @returns a sentence for `error.data.hint`; undefined if nothing is close
 */
export function hintForMethod(name: string, served: Served): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const near = nearest(name, served.methods.keys()) ?? sameAction(name, served);
  const parts = [missingModule(name, served), near === undefined ? "" : didYouMean(near)];
  return parts.filter((part) => part !== "").join(" ") || undefined;
}

function missingModule(name: string, { methods, modules }: Served): string {
  const module = name.slice(0, Math.max(0, name.indexOf("_")));
  if (module === "" || modules.includes(module)) return "";
  const prefix = `${module}_`;
  for (const known of methods.keys()) if (known.startsWith(prefix)) return "";
  const served = modules.length === 0 ? "none is" : `served are ${modules.join(", ")}`;
  return `The module ${module} is not served here; ${served}.`;
}

/** Suggests what an unknown subscription may have meant. */
export function hintForSubscription(
  namespace: string,
  name: string,
  { subscriptions }: Served,
): string | undefined {
  if (name.length > MAX_LENGTH) return undefined;
  const [where, what = ""] = nearest(`${namespace} ${name}`, subscriptions.keys())?.split(" ") ?? [];
  if (where === undefined) return undefined;
  return didYouMean(where === namespace ? what : `${where}_subscribe with ${what}`);
}

function didYouMean(name: string): string {
  return `Did you mean ${name}?`;
}

/** A method of the same name in another module. */
function sameAction(text: string, { methods, modules }: Served): string | undefined {
  const action = text.slice(text.indexOf("_"));
  // Clients know the chain module by its network names.
  const names = modules.toSorted((a, b) => Number(a === "chain") - Number(b === "chain"));
  return names.map((module) => module + action).find((name) => methods.has(name));
}
