import type { Json } from "../../protocol/codec/json/value.ts";

/** Versions of modules by their names. */
export type ServedModules = Readonly<Record<string, string>>;

const MAX_MODULES = 100;
const NAME = /^[A-Za-z][A-Za-z0-9]{0,63}$/;

/** Whether something can be the name of a module. */
export function isModuleName(name: string): boolean {
  return NAME.test(name);
}

/** The valid module names of `rpc_modules`, at most a hundred. */
export function modulesOf(answer: Json): ServedModules {
  if (typeof answer !== "object" || answer === null || Array.isArray(answer)) return {};
  const named = Object.entries(answer).filter(([name]) => isModuleName(name));
  return Object.fromEntries(named.slice(0, MAX_MODULES).map(([name, version]) => [name, String(version)]));
}
