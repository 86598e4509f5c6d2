import type { Effect } from "../../../protocol/transaction/types.ts";
import { accountUpdate } from "./account-update.ts";
import { deploy } from "./deploy.ts";
import type { EffectRules } from "./effect.ts";
import { ethereum } from "./ethereum.ts";
import { execute } from "./execute.ts";
import { nothing } from "./nothing.ts";
import { transfer } from "./transfer.ts";

/** Rules of each effect that a transaction can have. */
export const EFFECTS: Readonly<Record<Effect, EffectRules>> = {
  transfer,
  memo: transfer,
  accountUpdate,
  deploy,
  execute,
  cancel: nothing,
  anchor: nothing,
  ethereum,
};
