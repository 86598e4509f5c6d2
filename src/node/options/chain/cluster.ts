import * as t from "../../../platform/config/types.ts";
import { DEFAULT_CLUSTER } from "../../cluster/defaults.ts";
import { absolute, databaseUrl } from "../conversions.ts";
import { nodeOption } from "../member.ts";

/** A database that several nodes share, and this node's role: to write the chain's blocks to it, or to follow them. */
export const clusterOptions = {
  changelog: nodeOption({
    member: "cluster.url",
    opens: "cluster",
    flag: "changelog",
    env: ["CHANGELOG"],
    type: databaseUrl,
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
    doc:
      "This node's role in the change log, by default writer: the writer seals the blocks, a standby takes over when " +
      "the writer's lease ends, a follower only applies blocks, and a feeder (one of several validators) adds blocks " +
      "that the network has agreed on.",
  }),
  changelogDurability: nodeOption({
    member: "cluster.durability",
    flag: "changelog.durability",
    type: t.oneOf("local", "shared"),
    default: DEFAULT_CLUSTER.durability,
    doc: "shared announces a block once the database has it too; local once it is on the local disk.",
  }),
  changelogMaxBehind: nodeOption({
    member: "cluster.maxBehind",
    flag: "changelog.max-behind",
    type: t.integer(1, 65_536, "BLOCKS"),
    default: DEFAULT_CLUSTER.maxBehind,
    doc: "Blocks by which the database may lag before the writer stops sealing blocks.",
  }),
  changelogPasswordFile: nodeOption({
    member: "cluster.passwordFile",
    needs: "changelog",
    flag: "changelog.password-file",
    env: ["CHANGELOG_PASSWORD_FILE"],
    type: t.path,
    default: undefined,
    doc: "File with the database password in its first line, readable only by its owner; it is read again for each connection.",
    as: absolute,
  }),
  changelogRpcUrl: nodeOption({
    member: "cluster.rpcUrl",
    needs: "changelog",
    flag: "changelog.rpc-url",
    env: ["CHANGELOG_RPC_URL"],
    type: t.httpUrl,
    default: undefined,
    doc:
      "On a writer, the JSON-RPC URL at which followers reach it, by default that of --http; on a follower, the URL to " +
      "which it sends transactions instead of the writer's.",
  }),
  changelogLease: nodeOption({
    member: "cluster.leaseMs",
    flag: "changelog.lease",
    type: t.timer(500, 600_000),
    default: DEFAULT_CLUSTER.leaseMs,
    doc: "How long a writer that goes silent keeps its role; ten minutes at most.",
  }),
  changelogGenesis: nodeOption({
    member: "cluster.genesis",
    needs: "changelog",
    flag: "changelog.genesis",
    env: ["CHANGELOG_GENESIS"],
    type: t.hash,
    default: undefined,
    doc: "Hash of the genesis block expected in the change log: without it, a follower with an empty folder accepts whatever chain it finds.",
  }),
  changelogSnapshotSha256: nodeOption({
    member: "cluster.snapshotSha256",
    needs: "changelog",
    flag: "changelog.snapshot-sha256",
    type: t.hash,
    default: undefined,
    doc: "SHA-256 of the snapshot that an empty folder starts from, as the writer logs it: any other one is refused before it is opened.",
  }),
  changelogVerify: nodeOption({
    member: "cluster.verify",
    flag: "verify",
    type: t.oneOf("hash", "roots", "full"),
    default: undefined,
    doc:
      "How a follower checks a block: roots (the default) compares seals, transactions, receipts and the state root " +
      "and recovers senders itself, full also executes the transactions, hash takes the senders from the database (the " +
      "default on a development chain).",
  }),
  changelogSnapshots: nodeOption({
    member: "cluster.snapshotEvery",
    flag: "changelog.snapshot-every",
    type: t.integer(0, 100_000_000, "BLOCKS"),
    default: DEFAULT_CLUSTER.snapshotEvery,
    doc: "Blocks between the snapshots that the writer leaves for new followers; 0 = only the first.",
  }),
  changelogRetain: nodeOption({
    member: "cluster.retain",
    flag: "changelog.retain",
    type: t.integer(0, 1_000_000_000, "BLOCKS"),
    default: DEFAULT_CLUSTER.retain,
    doc: "Newest blocks to keep in the change log, in whole ranges of 65,536; 0 = all of them.",
  }),
  changelogMaxLag: nodeOption({
    member: "cluster.maxLag",
    flag: "changelog.max-lag",
    type: t.integer(0, 1_000_000, "BLOCKS"),
    default: DEFAULT_CLUSTER.maxLag,
    doc: "Blocks behind the change log at which a follower is no longer ready.",
  }),
} as const;
