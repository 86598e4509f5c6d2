import { describe, expect, it } from "vitest";
import { decodeItem, encodeItem, type Item } from "../../../protocol/codec/rlp/item.ts";
import { decodeHello, encodeHello, type Hello, MAX_HELLO_BYTES } from "./hello.ts";

const HELLO: Hello = {
  version: 5,
  name: "kairn/test",
  capabilities: [
    { name: "istanbul", version: 65 },
    { name: "istanbul", version: 66 },
  ],
  listenPorts: [32_323, 32_324],
  id: new Uint8Array(64).fill(7),
  isMultichannel: true,
};

describe("a hello", () => {
  it("is decoded as it was encoded, with or without several ports", () => {
    for (const hello of [HELLO, { ...HELLO, listenPorts: [], isMultichannel: false, capabilities: [] }])
      expect(decodeHello(encodeHello(hello))).toEqual(hello);
  });

  it("may have elements of later versions", () => {
    const items = decodeItem(encodeHello(HELLO)) as readonly Item[];
    expect(decodeHello(encodeItem([...items, [Uint8Array.of(1)], Uint8Array.of(2)]))).toEqual(HELLO);
  });

  it("is refused without an identity, or above its maximum size", () => {
    const refused = (hello: Hello) => expect(() => decodeHello(encodeHello(hello)));
    const fault = (message: string) => expect.objectContaining({ code: "MESSAGE", message });
    refused({ ...HELLO, id: new Uint8Array(64) }).toThrow(fault("invalid node identity"));
    // a long name adds two bytes to its size and one to the list's
    const name = "x".repeat(MAX_HELLO_BYTES - encodeHello({ ...HELLO, name: "" }).length - 3);
    expect(encodeHello({ ...HELLO, name })).toHaveLength(MAX_HELLO_BYTES);
    expect(decodeHello(encodeHello({ ...HELLO, name })).name).toBe(name);
    refused({ ...HELLO, name: `${name}x` }).toThrow(fault("message too big"));
  });
});
