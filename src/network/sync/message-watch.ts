import type { MessageName } from "../protocol/chain-messages.ts";

/** Called with each message of the chain protocol and the size of its payload before compression. */
export interface MessageWatch {
  received(name: MessageName, bytes: number): void;
  sent(name: MessageName, bytes: number): void;
}
