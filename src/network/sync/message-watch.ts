import type { MessageName } from "../protocol/chain-messages.ts";

/** Is told of each message of the chain protocol, with the bytes of its payload before compression. */
export interface MessageWatch {
  received(name: MessageName, bytes: number): void;
  sent(name: MessageName, bytes: number): void;
}
