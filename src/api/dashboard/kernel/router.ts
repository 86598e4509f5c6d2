import { useEffect, useState } from "preact/hooks";
import { visible } from "./visible.ts";

/** Characters of a parameter: any page may link here, with any text. */
const MAX_PARAM = 200;

/** Parameters of a path by their names. */
export type Params = Readonly<Record<string, string>>;

/** The current path, such as `/blocks/12`: the part after `#`. */
export function currentPath(): string {
  const { hash } = window.location;
  return hash.startsWith("#/") ? hash.slice(1) : "/";
}

/** Navigates to a path. */
export function go(path: string): void {
  window.location.hash = path;
}

/** The current path; updates when it changes. */
export function usePath(): string {
  const [path, setPath] = useState(currentPath());
  useEffect(() => {
    const update = (): void => setPath(currentPath());
    window.addEventListener("hashchange", update);
    update(); // effects run after the paint: the path may have changed before the listener was added
    return () => window.removeEventListener("hashchange", update);
  }, []);
  return path;
}

/** Parameters of a path that matches a pattern such as `/blocks/:number`; undefined if it does not. */
export function match(pattern: string, path: string): Params | undefined {
  const [wanted, given] = [pattern.split("/"), path.split("/")];
  if (wanted.length !== given.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, part] of wanted.entries()) {
    const text = given[i] as string;
    if (part.startsWith(":")) params[part.slice(1)] = visible(decoded(text), MAX_PARAM);
    else if (part !== text) return undefined;
  }
  return params;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Removes the token of a link from the URL, so that it does not stay in the history. */
export function takeToken(): string | undefined {
  const prefix = "#token=";
  const { hash, pathname } = window.location;
  if (!hash.startsWith(prefix)) return undefined;
  window.history.replaceState(null, "", `${pathname}#/`);
  return hash.slice(prefix.length);
}
