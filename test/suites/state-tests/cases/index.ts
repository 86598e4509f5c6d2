import type { Theme } from "./case.ts";
import { CANCUN_THEMES } from "./forks/cancun.ts";
import { DELEGATIONS } from "./forks/delegations.ts";
import { FEES } from "./forks/fees.ts";
import { OSAKA_THEMES } from "./forks/osaka.ts";
import { PRAGUE_THEMES } from "./forks/prague.ts";
import { SHANGHAI } from "./forks/shanghai.ts";
import { CALL_CHAINS } from "./frames/call-chains.ts";
import { CALLS } from "./frames/calls.ts";
import { CODE } from "./frames/code.ts";
import { CONTEXT } from "./frames/context.ts";
import { CONTRACTS } from "./frames/contracts.ts";
import { CREATIONS } from "./frames/creations.ts";
import { ENDINGS } from "./frames/endings.ts";
import { OLD_RULES } from "./frames/old-rules.ts";
import { REVERTS } from "./frames/reverts.ts";
import { STATIC_CALLS } from "./frames/static-calls.ts";
import { ARITHMETIC } from "./machine/arithmetic.ts";
import { BN254 } from "./machine/bn254.ts";
import { FLOW } from "./machine/flow.ts";
import { MEMORY } from "./machine/memory.ts";
import { PRECOMPILES } from "./machine/precompiles.ts";
import { PRICES } from "./machine/prices.ts";
import { STACK } from "./machine/stack.ts";
import { STORAGE } from "./machine/storage.ts";
import { RANDOM } from "./random.ts";

/** All cases by directory. */
export const THEMES: readonly Theme[] = [
  ...ARITHMETIC,
  ...BN254,
  ...FLOW,
  ...MEMORY,
  ...PRECOMPILES,
  ...PRICES,
  ...STACK,
  ...STORAGE,
  ...CALL_CHAINS,
  ...CALLS,
  ...CODE,
  ...CONTEXT,
  ...CONTRACTS,
  ...CREATIONS,
  ...ENDINGS,
  ...OLD_RULES,
  ...REVERTS,
  ...STATIC_CALLS,
  ...CANCUN_THEMES,
  ...DELEGATIONS,
  ...FEES,
  ...OSAKA_THEMES,
  ...PRAGUE_THEMES,
  ...SHANGHAI,
  ...RANDOM,
];
