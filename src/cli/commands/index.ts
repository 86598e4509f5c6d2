import type { CommandTable } from "../command.ts";

/** The commands of `kairn`, in the order that help lists them; each is loaded only when used. */
export const COMMANDS: CommandTable = {
  dev: { summary: "Runs a development chain with funded accounts.", load: () => import("./dev.ts") },
  node: { summary: "Runs a node on the chain of a data folder.", load: () => import("./node.ts") },
  init: { summary: "Writes a genesis block into a data folder.", load: () => import("./init.ts") },
  setup: {
    summary: "Writes the keys and the genesis of a new network of validators.",
    load: () => import("./setup.ts"),
  },
  bootnode: {
    summary: "Runs a bootnode, which introduces nodes to one another and has no chain.",
    load: () => import("./bootnode.ts"),
  },
  account: {
    summary: "Lists, creates, imports, updates and exports accounts.",
    load: () => import("./account.ts"),
  },
  import: { summary: "Executes and stores the blocks of files.", load: () => import("./import.ts") },
  export: { summary: "Writes blocks to a file.", load: () => import("./export.ts") },
  backup: {
    summary: "Copies the chain of a node, running or not, and checks the copy.",
    load: () => import("./backup.ts"),
  },
  db: {
    summary: "Shows what a database holds, checks it, and repairs its log.",
    load: () => import("./db.ts"),
  },
  trace: { summary: "Shows the calls of a transaction.", load: () => import("./trace.ts") },
  attach: { summary: "Opens a console on a running node.", load: () => import("./attach.ts") },
  console: {
    summary: "Runs a node with a console on it.",
    load: () => import("./console.ts"),
  },
  config: { summary: "Shows every setting and where it comes from.", load: () => import("./config.ts") },
  doctor: {
    summary: "Checks whether machine and data folder are fit for a node.",
    load: () => import("./doctor.ts"),
  },
  completion: {
    summary: "Prints the completion script of a shell.",
    load: () => import("./completion.ts"),
  },
  version: { summary: "Prints the version.", load: () => import("./version.ts") },
};
