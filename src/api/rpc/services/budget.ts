import {
  Allowance,
  type ClientTimes,
  type ConnectionBudget,
  DEFAULT_TIMES,
  RefusalCounts,
  UnsentBytes,
} from "../../../platform/http/budget.ts";
import { TimeSlice } from "../../../platform/runtime/turns/time-slice.ts";

const MIB = 1024 * 1024;

/** Budgets shared by all clients of a node, over every listener and transport. */
export interface RpcBudget extends ConnectionBudget {
  readonly refusals: RefusalCounts;
  /** Calls in progress, except those of the owner over IPC. */
  readonly calls: Allowance;
  readonly subscriptions: Allowance;
  /** Estimated bytes of the arguments of subscriptions and polled filters. */
  readonly filterBytes: Allowance;
  /** Polled filters. */
  readonly filters: Allowance;
  /** Estimated bytes that polled filters have collected. */
  readonly collected: Allowance;
  /** Open WebSocket connections. */
  readonly webSockets: Allowance;
}

/** What clients share, apart from connections: numbers, or bytes where the name says so. */
export interface SharedAmounts {
  /** Bytes waiting for clients to read them. */
  readonly unsent: number;
  /** Bytes of requests that are incomplete. */
  readonly bodies: number;
  readonly calls: number;
  readonly subscriptions: number;
  readonly filters: number;
  /** Bytes of the arguments of filters and subscriptions. */
  readonly filterBytes: number;
  /** Bytes collected for polled filters. */
  readonly collected: number;
  readonly webSockets: number;
}

/** Limits for all clients of a node together, where not the default. */
export interface BudgetOptions extends Partial<SharedAmounts> {
  readonly connections?: number;
  /** Time limits for a client, where not the default. */
  readonly times?: Partial<ClientTimes>;
}

/** The limits where no others are given; WebSockets are as many as on the reference node v2.2.1. */
export const DEFAULT_AMOUNTS: SharedAmounts = {
  unsent: 512 * MIB,
  bodies: 256 * MIB,
  calls: 10_000,
  subscriptions: 10_000,
  filters: 10_000,
  filterBytes: 64 * MIB,
  collected: 256 * MIB,
  webSockets: 3_000,
};

/** A fresh budget. */
export function createBudget({ connections = 10_000, ...options }: BudgetOptions = {}): RpcBudget {
  const { unsent, ...amounts } = { ...DEFAULT_AMOUNTS, ...options };
  const times = { ...DEFAULT_TIMES, ...options.times };
  return {
    connections: new Allowance(connections),
    unsent: new UnsentBytes(unsent, times.unread),
    times,
    slice: new TimeSlice(),
    refusals: new RefusalCounts(),
    bodies: new Allowance(amounts.bodies),
    calls: new Allowance(amounts.calls),
    subscriptions: new Allowance(amounts.subscriptions),
    filters: new Allowance(amounts.filters),
    filterBytes: new Allowance(amounts.filterBytes),
    collected: new Allowance(amounts.collected),
    webSockets: new Allowance(amounts.webSockets),
  };
}
