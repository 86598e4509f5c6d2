// One declaration: all options of `createNode`.
import type { LogLimits, RpcLimits, TraceLimits } from "../api/rpc/services/limits.ts";
import type { RateOptions } from "../api/rpc/services/rate-limit.ts";
import type { SqlOptions } from "../api/sql/open-sql.ts";
import type { EventStreamOptions } from "../api/stream/stream-options.ts";
import type { CompileMode } from "../ledger/evm/engine/compiler/code-compiler.ts";
import type { GaslessOptions } from "../ledger/extensions/gasless/gasless.ts";
import type { TransactionPoolOptions } from "../ledger/txpool/options.ts";
import type { SealingMode } from "../network/consensus/solo/sealing-mode.ts";
import type { CertificateFiles } from "../platform/http/certificate.ts";
import type { Runtime } from "../platform/runtime/runtime.ts";
import type { Logger, LogLevels } from "../platform/telemetry/logger.ts";
import type { ConfigJson } from "../protocol/params/config-json.ts";
import type { PublicNetwork } from "../protocol/params/presets.ts";
import type { Address } from "../protocol/primitives/bytes.ts";
import type { UsbBus } from "../wallet/hardware/usb/usb-bus.ts";
import type { DerivationLimits } from "../wallet/keystore/derivation-turns.ts";
import type { DailyLimitOptions } from "./dev/fee-payer/daily-limits.ts";
import type { DappOptions } from "./dev/fee-payer/dapps.ts";
import type { ForkOptions } from "./dev/fork/open-fork.ts";
import type { SharedLimits } from "./service/endpoints/budget.ts";
import type { Compat } from "./service/endpoints/dialect.ts";
import type { MetricsListener } from "./service/endpoints/metrics-server.ts";

/** Options of a development chain; each has a default. */
export interface DevChain {
  readonly chainId: bigint;
  readonly mnemonic: string;
  /** Number of funded accounts. */
  readonly accounts: number;
  /** kei for each account */
  readonly balance: bigint;
  /** Path without the last number, as in `m/44'/60'/0'/0/`. */
  readonly derivationPath: string;
  /** kei per gas: base fee of the first block and lower bound of all blocks; 0 = gas is free. Default 25 gkei. */
  readonly baseFee?: bigint;
  /** Time at the start, in seconds since 1970; default now. */
  readonly timestamp?: bigint;
  /** Maximum bytes of contract code, and half of that of init code; default 24,576 as on every Kaia chain. */
  readonly codeSizeLimit?: number;
  /** Returns an error from a send if the transaction failed in its block, as Hardhat's network does. */
  readonly throwOnTransactionFailures?: boolean;
  /** Accepts transactions from every account whose key the node does not hold. */
  readonly autoImpersonate?: boolean;
  /** Account of the node that pays for fee-delegated transactions without a fee payer signature. */
  readonly autoFeePayer?: Address;
}

/** Contract artifacts written by Hardhat, Foundry or solc. */
export interface ArtifactOptions {
  /** Folders; they need not exist yet, and are reread when they change. */
  readonly folders: readonly string[];
  /** Whether errors of `eth_call` and similar methods carry the source location of the failure; default true. */
  readonly inErrors?: boolean;
}

/** A fee payer service like Kaia's managed one, for a development chain. */
export interface FeePayerOptions extends DailyLimitOptions {
  readonly host?: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Account that pays, whose key this node holds; by default the first funded one. */
  readonly account?: Address;
  /** The dApps that are paid for; absent = all dApps. */
  readonly dapps?: readonly DappOptions[];
}

/** A listener over TCP. */
export interface ListenerOptions {
  readonly host?: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Modules served; absent = all. */
  readonly modules?: readonly string[];
  /** Host names accepted besides addresses; those of `http` apply to WebSocket as well. */
  readonly virtualHosts?: readonly string[];
  /** Browser origins that may call. */
  readonly origins?: readonly string[];
}

/** The dashboard, a web page on a separate port. */
export interface DashboardOptions {
  /** Address to listen on; default 127.0.0.1. On one that other machines can reach, no passphrase is accepted. */
  readonly host?: string;
  /** 0 picks a free one; default that of HTTP plus 1000. */
  readonly port?: number;
  /** Accepted `Host` names, besides those of loopback. */
  readonly hosts?: readonly string[];
  /** Whether it is read-only. */
  readonly readOnly?: boolean;
  /** Whether reading needs no token. */
  readonly publicRead?: boolean;
}

/** A node's role beside its change log. */
export type ClusterRole =
  /** Seals the blocks while it holds the lease. */
  | "writer"
  /** Follows, and becomes the writer when the lease expires. */
  | "standby"
  /** Follows. */
  | "follower"
  /** Appends blocks that several validators have agreed on; any number of nodes may. */
  | "feeder";

/** A database that several nodes share. */
export interface ClusterOptions {
  /** `postgres://user@host:5432/database`. */
  readonly url: string;
  /** Default writer. */
  readonly role?: ClusterRole;
  /** What must have persisted a block before it is announced: the local disk, or the database too. Default local. */
  readonly durability?: "local" | "shared";
  /** Maximum number of blocks that the database may lag behind before the writer stops sealing. Default 512. */
  readonly maxBehind?: number;
  /** File with the password of the database. */
  readonly passwordFile?: string;
  /** A writer's JSON-RPC URL as followers reach it; on a follower, where it sends transactions. */
  readonly rpcUrl?: string;
  /** Duration of a lease in milliseconds, after which a silent writer loses its role. Default 5,000. */
  readonly leaseMs?: number;
  /** Required genesis block hash of the log's chain, `0x` and 64 hex digits. */
  readonly genesis?: string;
  /** SHA-256 of the snapshot that an empty folder begins from, `0x` and 64 hex digits. */
  readonly snapshotSha256?: string;
  /** How a follower checks a block: hashes alone, signatures and roots, or execution. Default roots, on a development chain hash. */
  readonly verify?: "hash" | "roots" | "full";
  /** Blocks from one snapshot to the next; 0 = only the first. Default 100,000. */
  readonly snapshotEvery?: number;
  /** Number of newest blocks kept in the log; 0 = all. Default 0. */
  readonly retain?: number;
  /** Lag in blocks above which a follower is not ready. Default 16. */
  readonly maxLag?: number;
}

/** How a node connects to others. */
export interface PeerOptions {
  /** TCP port for peers, 0 for any; absent = no incoming connections. */
  readonly port?: number;
  /** Address to listen on; default all. */
  readonly host?: string;
  /** The node type announced to peers; by default a consensus node if it seals, else an endpoint node. */
  readonly nodeType?: "cn" | "pn" | "en";
  /** `kni://` URLs of nodes to stay connected to, besides those of `static-nodes.json`. */
  readonly nodes?: readonly string[];
  /** Maximum number of peers; default 10. */
  readonly maxConnections?: number;
  /** Maximum concurrent handshakes; 0 = 50. */
  readonly maxPending?: number;
  /** CIDR networks that peers are restricted to; empty = unrestricted. */
  readonly netRestrict?: readonly string[];
  /**
   * `kni://` URLs of bootnodes; absent = those of the public network, if any. Without bootnodes there is no discovery.
   */
  readonly bootnodes?: readonly string[];
  /** Disables discovery; no UDP port is opened. */
  readonly noDiscover?: boolean;
  /** Node types to discover; absent = those that a node of this type connects to. */
  readonly discoverTypes?: readonly ("cn" | "pn" | "en")[];
  /** External IP address of the node; absent = as seen by others. */
  readonly externalHost?: string;
}

/**
 * All options of a node; without any it is a development chain in memory that listens on no port.
 *
 * @example
 * const options: NodeOptions = {
 *   dev: { accounts: 2, chainId: 31337n },
 *   sealing: { kind: "interval", intervalMs: 1000 },
 *   http: { port: 0, modules: ["eth", "kaia"] },
 * };
 * const node = await createNode(options);
 */
export interface NodeOptions {
  /** Folder of chain, keystore and IPC socket; absent = everything in memory. */
  readonly dataDir?: string;
  readonly keystoreDir?: string;
  /** Cheap key derivation for new key files. */
  readonly lightKdf?: boolean;
  /** An external signer: URL of clef or Web3Signer, or the path of clef's socket. */
  readonly signer?: string;
  /** Lets accounts be unlocked while other machines reach the node. */
  readonly allowInsecureUnlock?: boolean;
  /** Maximum unlock duration of `personal_unlockAccount` in seconds; absent = unlimited. */
  readonly unlockMaxSeconds?: number;
  /**
   * Allows listeners that expose keys, and modules that change the node or its chain, to other machines.
   */
  readonly allowExposed?: boolean;
  /** Sends passwords of databases and brokers in clear text, or as MD5, to servers that no certificate vouches for. */
  readonly allowCleartextPasswords?: boolean;
  /** Genesis in the Kaia JSON form; absent = the chain of the data folder, or, without a folder, the development chain. */
  readonly genesis?: ConfigJson;
  /** A public network. */
  readonly network?: PublicNetwork;
  /** A development chain; `true` takes every default. */
  readonly dev?: boolean | Partial<DevChain>;
  /**
   * A development chain forked from another: it continues from a block of that chain, with its accounts, keys and
   * contracts.
   */
  readonly fork?: ForkOptions;
  /**
   * Whether `anvil_reset` and the like, called over HTTP or WebSocket, may fork from nodes on private networks; default
   * false. Callers in the process and over IPC always may, and the node given in `fork` is always allowed.
   */
  readonly allowPrivateForks?: boolean;
  /** State files of a development chain, in the format of `anvil_dumpState`. */
  readonly state?: {
    /** Loaded at the start. */
    /** Loaded if it exists, and written like `dump`. */
    readonly file?: string;
    readonly load?: string;
    /** Written at the end. */
    readonly dump?: string;
    /** Also written at this interval in milliseconds, if something has changed. */
    readonly intervalMs?: number;
  };
  /** Compiler artifacts, on a development chain: contract names and source locations. */
  readonly artifacts?: ArtifactOptions;
  readonly networkId?: bigint;
  /** Other nodes of the network; not on a development chain. */
  readonly peers?: PeerOptions;
  /** A change log that other nodes follow, or that this node follows. */
  readonly cluster?: ClusterOptions;
  /** Absent = archive on a development chain, else the mode of the data folder, full in a new one. */
  readonly history?: "full" | "archive";
  /** Absent = on demand on a development chain, else every second. Ignored by one of several validators. */
  readonly sealing?: SealingMode;
  /** 32 bytes; absent = file `nodekey` of the data folder, created if missing. */
  readonly nodeKey?: Uint8Array;
  /** BLS key of a validator, 32 bytes; absent = file `bls-nodekey` of the data folder, else derived from `nodeKey`. */
  readonly blsNodeKey?: Uint8Array;
  readonly rewardbase?: Address;
  readonly pool?: Partial<TransactionPoolOptions>;
  readonly http?: ListenerOptions;
  readonly ws?: ListenerOptions;
  /** Path of the socket; `true` = klay.ipc in the data folder. */
  readonly ipc?: boolean | string;
  /** Ledger and Trezor: `true` looks for them on this machine's USB; a bus replaces it. */
  readonly usb?: boolean | UsbBus;
  /** A fee payer service beside a development chain. */
  readonly feePayer?: FeePayerOptions;
  /** Gas abstraction on a node that seals blocks, if the registry has a swap router; `false` disables it. @see KIP-247 */
  readonly gasless?: false | GaslessOptions;
  readonly unsafeDebugDisabled?: boolean;
  /** Serves methods that affect the host (files, listeners, profiles) over HTTP and WebSocket, too. */
  readonly unsafeHost?: boolean;
  /**
   * Folder for files written on behalf of callers; absent = `dumps` in the data folder, else one for temporary files.
   */
  readonly dumpDir?: string;
  /** Gas cap of a call or estimate; 0 = no cap. Default 50,000,000. */
  readonly gasCap?: bigint;
  /** Time limit of a call, or of all calls of a batch together, in milliseconds. Default 5,000. */
  readonly evmTimeoutMs?: number;
  /** Milliseconds after which a call moves to a thread; 0 = immediately. Default 3. */
  readonly callSliceMs?: number;
  /** Milliseconds after which a transaction of a block moves to a thread; 0 = immediately. Default 3. */
  readonly blockSliceMs?: number;
  /** Which contracts are compiled to WebAssembly. Default `auto`: those that run often. */
  readonly evmCompile?: CompileMode;
  /** Maximum concurrent calls and traces in threads; by default the number of cores minus one, from 2 to 8. */
  readonly maxCalls?: number;
  /** Processes that read and write the sockets of HTTP and WebSocket clients. Default 0: the main thread does. */
  readonly ioProcesses?: number;
  /** A secret of 32 bytes: callers over HTTP and WebSocket must present a JSON Web Token (HS256) signed with it. */
  readonly jwtSecret?: Uint8Array;
  /** Enables TLS for HTTP and WebSocket; changed files are picked up with the next connection. */
  readonly tls?: CertificateFiles;
  /** Limits per caller; each has a default. */
  readonly rpcLimits?: Partial<RpcLimits>;
  /** Limits of a log search; each has a default. */
  readonly logLimits?: Partial<LogLimits>;
  /** Limits of a request for traces; each has a default. */
  readonly traceLimits?: Partial<TraceLimits>;
  /** Key derivations for passphrases; each has a default. */
  readonly keyDerivation?: Partial<DerivationLimits>;
  /** Limits of all callers together; each has a default. */
  readonly sharedLimits?: SharedLimits;
  /** Rate limit per client over HTTP and WebSocket; absent = unlimited. */
  readonly rpcRate?: RateOptions;
  /** Adds the number of the call, as in the log, to the data of RPC errors, unless that is not an object. */
  readonly requestIds?: boolean;
  /** The RPC dialect: that of a release of the reference node; absent = Kaia v2.2.1, except for the message prefix. */
  readonly compat?: Compat;
  /** Name in the prefix of `personal_sign` and `chain_sign` messages. */
  readonly signedMessageName?: "Klaytn" | "Ethereum";
  readonly unit?: "kei" | "peb";
  /** The dashboard; `true` takes every default. */
  readonly dashboard?: boolean | DashboardOptions;
  /** Writes the blocks to tables of a database, for queries. */
  readonly sql?: SqlOptions;
  /** Where wide ranges of logs are searched. Default `local`: in the node's own index. */
  readonly logsFrom?: "local" | "sql";
  /** Publishes blocks with their receipts, and the calls within transactions, to a broker. */
  readonly eventStream?: EventStreamOptions;
  /** Serves metrics to Prometheus. */
  readonly metrics?: MetricsListener;
  readonly logger?: Logger;
  /** Changes log levels at run time, for `debug_verbosity`. */
  readonly logLevels?: LogLevels;
  /** Maximum concurrent traces of whole blocks when unsafe debugging is disabled. */
  readonly heavyDebugLimit?: number;
  readonly runtime?: Runtime;
}
