import * as t from "../../platform/config/types.ts";
import { absolute } from "./conversions.ts";
import { nodeOption } from "./member.ts";

/** A database that several nodes share: who writes the chain's blocks into it, and who follows them. */
export const clusterOptions = {
  changelog: nodeOption({
    member: "cluster.url",
    opens: "cluster",
    flag: "changelog",
    env: ["CHANGELOG"],
    type: { ...t.string, placeholder: "URL" },
    default: undefined,
    secret: true,
    doc: "Database of the change log, postgres://user@host:5432/database; other machines are reached over TLS. See docs/guide/cluster.md.",
  }),
  role: nodeOption({
    member: "cluster.role",
    needs: "changelog",
    flag: "role",
    env: ["ROLE"],
    type: t.oneOf("writer", "standby", "follower", "feeder"),
    default: undefined,
    doc: "What this node is to the change log, by default its writer: the writer makes the blocks, a standby takes over when the writer's lease ends, a follower only applies them, and a feeder (of several validators) adds blocks that the network has agreed on.",
  }),
  changelogDurability: nodeOption({
    member: "cluster.durability",
    flag: "changelog.durability",
    type: t.oneOf("local", "shared"),
    default: "local",
    doc: "shared announces a block once the database has it too; local once it is on the local disk.",
  }),
  changelogMaxBehind: nodeOption({
    member: "cluster.maxBehind",
    flag: "changelog.max-behind",
    type: t.integer(1, 65_536, "BLOCKS"),
    default: 512,
    doc: "Blocks that the database may lack before the writer makes no more.",
  }),
  changelogPasswordFile: nodeOption({
    member: "cluster.passwordFile",
    needs: "changelog",
    flag: "changelog.password-file",
    env: ["CHANGELOG_PASSWORD_FILE"],
    type: t.path,
    default: undefined,
    doc: "File with the password of the database, readable by its owner alone; read again for each connection.",
    as: absolute,
  }),
  changelogRpcUrl: nodeOption({
    member: "cluster.rpcUrl",
    needs: "changelog",
    flag: "changelog.rpc-url",
    env: ["CHANGELOG_RPC_URL"],
    type: { ...t.string, placeholder: "URL" },
    default: undefined,
    doc: "A writer's own JSON-RPC over HTTP as followers reach it, by default that of --http; on a follower, where it sends transactions instead of to the writer.",
  }),
  changelogLease: nodeOption({
    member: "cluster.leaseMs",
    flag: "changelog.lease",
    type: t.duration,
    default: 5_000,
    doc: "How long a writer that falls silent keeps its role.",
  }),
  changelogVerify: nodeOption({
    member: "cluster.verify",
    flag: "verify",
    type: t.oneOf("roots", "full"),
    default: "roots",
    doc: "How a follower checks a block: roots compares seals, receipts and the state's root, full runs its transactions too.",
  }),
  changelogSnapshots: nodeOption({
    member: "cluster.snapshotEvery",
    flag: "changelog.snapshot-every",
    type: t.integer(0, 100_000_000, "BLOCKS"),
    default: 100_000,
    doc: "Blocks from one snapshot that the writer leaves for new followers to the next; 0 = only the first.",
  }),
  changelogRetain: nodeOption({
    member: "cluster.retain",
    flag: "changelog.retain",
    type: t.integer(0, 1_000_000_000, "BLOCKS"),
    default: 0,
    doc: "Newest blocks that stay in the change log, as far as whole ranges of 65,536 go; 0 = all of them.",
  }),
  changelogMaxLag: nodeOption({
    member: "cluster.maxLag",
    flag: "changelog.max-lag",
    type: t.integer(0, 1_000_000, "BLOCKS"),
    default: 16,
    doc: "Blocks behind the change log at which a follower is no longer ready.",
  }),
} as const;
