import type { LogLimits, RpcLimits } from "../api/rpc/services/limits.ts";
import type { RateOptions } from "../api/rpc/services/rate-limit.ts";
import type { GaslessOptions } from "../ledger/extensions/gasless/gasless.ts";
import type { TransactionPoolOptions } from "../ledger/txpool/options.ts";
import type { CertificateFiles } from "../platform/http/certificate.ts";
import type { Runtime } from "../platform/runtime/runtime.ts";
import type { Logger, LogLevels } from "../platform/telemetry/logger.ts";
import type { JsonObject } from "../protocol/params/config-json.ts";
import type { Network } from "../protocol/params/presets.ts";
import type { Address } from "../protocol/primitives/bytes.ts";
import type { UsbBus } from "../wallet/hardware/usb/usb-bus.ts";
import type { SharedLimits } from "./budget.ts";
import type { DailyLimitOptions } from "./dev/fee-payer/daily-limits.ts";
import type { DappOptions } from "./dev/fee-payer/dapps.ts";
import type { ForkOptions } from "./dev/fork/open-fork.ts";
import type { Compat } from "./endpoints/dialect.ts";
import type { MetricsListener } from "./endpoints/metrics-server.ts";

/** Settings of a development chain; each has a default. */
export interface DevChain {
  readonly chainId: bigint;
  readonly mnemonic: string;
  /** Number of funded accounts. */
  readonly accounts: number;
  /** kei for each account */
  readonly balance: bigint;
  /** Path without the last number, as in `m/44'/60'/0'/0/`. */
  readonly derivationPath: string;
  /** kei per gas of the first block, and the least of all blocks; 0 = gas is free. Default 25 gkei. */
  readonly baseFee?: bigint;
  /** Time of the clock at the start, in seconds since 1970; default now. */
  readonly timestamp?: bigint;
  /** Answers a send by an error where the transaction is in a block and failed there, as Hardhat's network does. */
  readonly throwOnTransactionFailures?: boolean;
  /** Takes transactions of every account whose key the node does not hold. */
  readonly autoImpersonate?: boolean;
  /** Account of the node that pays for fee-delegated transactions which come without a fee payer's signature. */
  readonly autoFeePayer?: Address;
}

/** When blocks are sealed. */
export type Mining =
  /** As soon as a transaction can be executed. */
  | { readonly mode: "instant" }
  /** Every `intervalMs`, also when nothing waits; with `instant` besides as soon as a transaction can be executed. */
  | { readonly mode: "interval"; readonly intervalMs: number; readonly instant?: boolean }
  /** Only when told to. */
  | { readonly mode: "off" };

/** A fee payer service like Kaia's managed one, for a development chain. */
export interface FeePayerOptions extends DailyLimitOptions {
  readonly host?: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Account that pays, whose key this node holds; by default the first funded one. */
  readonly account?: Address;
  /** Who is paid for; absent = everybody. */
  readonly dapps?: readonly DappOptions[];
}

/** A listener over TCP. */
export interface ListenerOptions {
  readonly host?: string;
  /** 0 picks a free one. */
  readonly port: number;
  /** Modules served; absent = all. */
  readonly modules?: readonly string[];
  /** Host names accepted besides addresses (HTTP). */
  readonly virtualHosts?: readonly string[];
  /** Origins that browsers may call from. */
  readonly origins?: readonly string[];
}

/** How a node meets others. */
export interface PeerOptions {
  /** TCP port on which peers connect, 0 for any; absent = nobody connects. */
  readonly port?: number;
  /** Address to listen on; default all. */
  readonly host?: string;
  /** What the node tells peers to be; default a consensus node where it seals, else an endpoint. */
  readonly nodeType?: "cn" | "pn" | "en";
  /** `kni://` URLs of nodes to keep connected to, beside those of `static-nodes.json`. */
  readonly nodes?: readonly string[];
  /** Peers in all; default 10. */
  readonly maxConnections?: number;
  /** Connections in the handshake at once; 0 = 50. */
  readonly maxPending?: number;
  /** Networks in CIDR form outside which nobody is dialled or taken; empty = everywhere. */
  readonly netRestrict?: readonly string[];
  /** `kni://` URLs of nodes that know others; absent = those of the public network, if any. Without one nobody is looked for. */
  readonly bootnodes?: readonly string[];
  /** Looks for nobody and opens no UDP port. */
  readonly noDiscover?: boolean;
  /** Types that are looked for; absent = those that a node of its type connects to. */
  readonly discoverTypes?: readonly ("cn" | "pn" | "en")[];
  /** IP address by which others reach the node; absent = they see it. */
  readonly externalHost?: string;
}

/** Everything that can be said about a node; without any option it is a development chain in memory, with no port. */
export interface NodeOptions {
  /** Folder of chain, key store and IPC socket; absent = everything in memory. */
  readonly dataDir?: string;
  readonly keystoreDir?: string;
  /** Cheap key derivation for new key files. */
  readonly lightKdf?: boolean;
  /** A signer that keeps keys out of the node: URL of clef or Web3Signer, or the path of clef's socket. */
  readonly signer?: string;
  /** Lets accounts be unlocked while other machines reach the node. */
  readonly allowInsecureUnlock?: boolean;
  /** Longest time in seconds that `personal_unlockAccount` unlocks for; absent = as long as the caller wants. */
  readonly unlockMaxSeconds?: number;
  /** Lets other machines reach what is not harmless: keys, and modules that change the node or its chain. */
  readonly allowExposed?: boolean;
  /** Genesis in the Kaia JSON form; absent = the chain of the data folder, or, without a folder, the development chain. */
  readonly genesis?: JsonObject;
  /** The chain of a public network. */
  readonly network?: Network;
  /** A development chain; `true` takes every default. */
  readonly dev?: boolean | Partial<DevChain>;
  /** A development chain on top of another one: it goes on from a block of that, with its accounts, keys and contracts. */
  readonly fork?: ForkOptions;
  /**
   * Whether `anvil_reset` and its like, called over HTTP or WebSocket, may fork from nodes of private networks; default false.
   * Callers in the process and over IPC always may, and what `fork` names may be named again.
   */
  readonly allowPrivateForks?: boolean;
  /** Files of the state of a development chain, as `anvil_dumpState` packs it. */
  readonly state?: {
    /** Taken over at the start. */
    readonly load?: string;
    /** Written at the end. */
    readonly dump?: string;
    /** Also written every so many milliseconds, when something has changed. */
    readonly intervalMs?: number;
  };
  readonly networkId?: bigint;
  /** Other nodes of the network; not on a development chain. */
  readonly peers?: PeerOptions;
  /** Absent = archive on a development chain, else as the data folder has it, full in a new one. */
  readonly history?: "full" | "archive";
  readonly mining?: Mining;
  /** 32 bytes; absent = file `nodekey` of the data folder, made when missing. */
  readonly nodeKey?: Uint8Array;
  readonly rewardbase?: Address;
  readonly pool?: Partial<TransactionPoolOptions>;
  readonly senderTxHashIndexing?: boolean;
  readonly http?: ListenerOptions;
  readonly ws?: ListenerOptions;
  /** Path of the socket; `true` = klay.ipc in the data folder. */
  readonly ipc?: boolean | string;
  /** Ledger and Trezor: `true` looks for them on this machine's USB; a bus takes its place. */
  readonly usb?: boolean | UsbBus;
  /** A fee payer service beside a development chain. */
  readonly feePayer?: FeePayerOptions;
  /** Gas abstraction on a node that makes blocks, where the registry names a swap router; `false` turns it off. @see KIP-247 */
  readonly gasless?: false | GaslessOptions;
  readonly unsafeDebugDisabled?: boolean;
  /** Serves methods that reach the machine (files, listeners, profiles) over HTTP and WebSocket, too. */
  readonly unsafeHost?: boolean;
  /** Folder of files that callers have written; absent = `dumps` in the data folder, else one for temporary files. */
  readonly dumpDir?: string;
  /** Highest gas of a call or estimate; 0 = no cap. Default 50,000,000. */
  readonly gasCap?: bigint;
  /** Longest run of a call, or of the calls of a batch together. Default 5,000. */
  readonly evmTimeoutMs?: number;
  /** Calls that take longer go on in a thread; 0: all do. Default 3. */
  readonly callSliceMs?: number;
  /** Transactions of blocks that take longer go on in a thread of their own; 0: all do. Default 3. */
  readonly blockSliceMs?: number;
  /** Most calls and traces in threads at the same time; by default one less than there are cores, 2 to 8. */
  readonly maxCalls?: number;
  /** 32 bytes that callers over HTTP and WebSocket have to know: they show a JSON Web Token, HS256. */
  readonly jwtSecret?: Uint8Array;
  /** Encrypts HTTP and WebSocket; files that change are taken over with the next connection. */
  readonly tls?: CertificateFiles;
  /** How much one caller may ask for at once; each has a default. */
  readonly rpcLimits?: Partial<RpcLimits>;
  /** How much a search for logs may come to; each has a default. */
  readonly logLimits?: Partial<LogLimits>;
  /** How much all callers together may take; each has a default. */
  readonly sharedLimits?: SharedLimits;
  /** How often one client may call over HTTP and WebSocket; absent = as often as it can. */
  readonly rpcRate?: RateOptions;
  /** Speaks over RPC as this release of the reference node; absent = as Kaia v2.2.1, but for the message prefix. */
  readonly compat?: Compat;
  /** Name in the prefix of `personal_sign` and `chain_sign` messages. */
  readonly signedMessageName?: "Klaytn" | "Ethereum";
  readonly unit?: "kei" | "peb";
  /** Serves metrics to Prometheus. */
  readonly metrics?: MetricsListener;
  readonly logger?: Logger;
  /** Turns the logger up and down at run time, for `debug_verbosity`. */
  readonly logLevels?: LogLevels;
  /** Most traces of whole blocks at the same time where unsafe debugging is disabled. */
  readonly heavyDebugLimit?: number;
  readonly runtime?: Runtime;
}
