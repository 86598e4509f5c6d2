/** Called with the bytes that sessions transfer, encrypted and compressed. */
export interface Traffic {
  received(bytes: number): void;
  sent(bytes: number): void;
}
