import type { Registry } from "./engine/registry.ts";
import { type AdminDeps, adminHandlers } from "./handlers/node/admin.ts";
import { admin } from "./spec/node/admin.ts";

/** Adds the namespace admin. */
export function addAdmin(registry: Registry, deps: AdminDeps): Registry {
  return registry.mount("admin", admin, adminHandlers(deps));
}
