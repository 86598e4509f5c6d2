/** First byte of a text message in one frame. @see RFC 6455, 5.2 */
const TEXT = 0x81;
/** Longest message whose length fits into the second byte, and into two more, which 126 announces. */
const [SHORT, MEDIUM] = [125, 0xffff];
const TWO_MORE = 126;

/**
 * A server's text message as one frame, each character a byte: the library writes header and text separately, which takes twice as
 * long for a small response.
 * @returns undefined for a text that is long, or not ASCII
 */
export function asciiFrame(text: string): string | undefined {
  const { length } = text;
  if (length > MEDIUM || Buffer.byteLength(text) !== length) return undefined;
  return length <= SHORT
    ? String.fromCharCode(TEXT, length) + text
    : String.fromCharCode(TEXT, TWO_MORE, length >> 8, length & 0xff) + text;
}
