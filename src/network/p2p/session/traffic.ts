/** Counts the bytes on the wire, encrypted and compressed. */
export interface Traffic {
  received(bytes: number): void;
  sent(bytes: number): void;
}
