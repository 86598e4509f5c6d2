/** Is told of the bytes that sessions move, encrypted and compressed. */
export interface Traffic {
  received(bytes: number): void;
  sent(bytes: number): void;
}
