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
}

/** Limits for all clients of a node together, where not the default. */
export interface BudgetOptions {
  readonly connections?: number;
  /** Bytes. */
  readonly unsent?: number;
  readonly subscriptions?: number;
  /** Time limits for a client, where not the default. */
  readonly times?: Partial<ClientTimes>;
}

/** The limits where no others are given. */
export const DEFAULT_BUDGET = {
  connections: 10_000,
  unsent: 512 * MIB,
  subscriptions: 10_000,
} as const satisfies BudgetOptions;

/** A fresh budget. */
export function createBudget(options: BudgetOptions = {}): RpcBudget {
  const { connections, unsent, subscriptions } = { ...DEFAULT_BUDGET, ...options };
  const times = { ...DEFAULT_TIMES, ...options.times };
  return {
    connections: new Allowance(connections),
    bodies: new Allowance(256 * MIB),
    unsent: new UnsentBytes(unsent, times.unread),
    times,
    slice: new TimeSlice(),
    refusals: new RefusalCounts(),
    calls: new Allowance(10_000),
    subscriptions: new Allowance(subscriptions),
    filterBytes: new Allowance(64 * MIB),
    filters: new Allowance(10_000),
    collected: new Allowance(256 * MIB),
  };
}
