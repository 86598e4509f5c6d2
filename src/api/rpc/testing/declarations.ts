import { newPassphrase, string } from "../../../protocol/codec/json/scalars.ts";
import { required } from "../../../protocol/codec/json/schema.ts";
import { method, subscription } from "../spec/method.ts";

/** A method that returns its argument. */
export const echo = method({
  summary: "Returns its argument.",
  params: { text: required(string, "Text.") },
  result: string,
  scope: "state",
});

/** A method with a secret among its parameters. */
export const secret = method({
  summary: "Takes a secret.",
  params: { passphrase: required(newPassphrase, "Secret.") },
  result: string,
  scope: "keys",
});

/** A group of one subscription, to mount by `addSubscriptions`. */
export const ticks = { ticks: subscription({ summary: "Ticks.", params: {}, event: string }) };
