/** Any JSON value of a recording or a response. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** One recorded file. */
export interface Recording {
  readonly reference: string;
  readonly namespace: string;
  /** `klay` or `kaia`; names the block number method of `waitBlocks`. */
  readonly chainNamespace: string;
  readonly profile: string;
  readonly prelude: readonly Step[];
  readonly cases: readonly Case[];
}

/** Something to do before a case; an error response fails the run unless it is allowed. */
export interface Step {
  readonly request?: Json;
  readonly allowError?: boolean;
  /** JSON pointers of values to keep, by name. */
  readonly capture?: Readonly<Record<string, string>>;
  /** Repeats the request until this pointer exists. */
  readonly until?: string;
  readonly sleepMs?: number;
  readonly waitBlocks?: number;
}

/** An extra check of a response. */
export interface Rule {
  readonly pointer: string;
  readonly rule: "contains" | "regex" | "ge" | "hasKeys";
  readonly value: Json;
}

export interface RpcCase {
  readonly name: string;
  readonly transport?: undefined;
  readonly setup?: readonly Step[];
  readonly request: Json;
  /** The exact text to send, if JSON libraries would change it. */
  readonly rawRequest?: string;
  readonly response: { [key: string]: Json };
  /** Restricts the comparison to these pointers. */
  readonly compare?: readonly string[];
  readonly match?: readonly Rule[];
  /** Pointers where only the type must match. */
  readonly volatile: readonly string[];
  /** What the specification demands instead of the recorded response. */
  readonly seed?: { [key: string]: Json };
}

export interface HttpRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | null;
  readonly bodyBase64?: string;
  readonly bodyRepeat?: Repeat;
  readonly httpVersion?: string;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly json?: Json;
  readonly text?: string;
}

export interface HttpCase {
  readonly name: string;
  readonly transport: "http";
  readonly http: HttpRequest;
  readonly response: HttpResponse | { readonly responses: readonly HttpResponse[] };
}

/** A text consisting of a repeated unit. */
export interface Repeat {
  readonly prefix: string;
  readonly unit: string;
  readonly count: number;
  readonly suffix: string;
}

/** Messages expected on a stream. */
export interface Reception {
  /** 0 = nothing may arrive within `idleMs`. */
  readonly count: number;
  readonly idleMs: number;
  /** Absent if they are ignored. */
  readonly messages?: readonly Json[];
  readonly volatile: readonly string[];
  readonly capture?: Readonly<Record<string, string>>;
  /** Sorts by id. */
  readonly anyOrder?: boolean;
  /** All messages as one array, notifications first. */
  readonly together?: boolean;
  /** Skips messages with another id. */
  readonly matchId?: Json;
  readonly closed?: boolean;
  readonly closeCode?: number;
  readonly ignore?: boolean;
}

export interface StreamStep {
  readonly send?: string;
  readonly sendSubst?: string;
  readonly sendBinary?: string;
  readonly sendBytes?: string;
  readonly sendRepeat?: Repeat;
  readonly pauseMs?: number;
  readonly recv?: Reception;
}

export interface StreamCase {
  readonly name: string;
  readonly transport: "ws" | "ipc";
  readonly steps: readonly StreamStep[];
}

export type Case = RpcCase | HttpCase | StreamCase;

/** The expanded text of a repetition. */
export function repeated({ prefix, unit, count, suffix }: Repeat): string {
  return prefix + unit.repeat(count) + suffix;
}
