import { expect, it } from "vitest";
import { JsonText } from "../../spec/values/json-text.ts";
import { HeadTexts } from "./head-texts.ts";

/** Texts of a chain whose head may be moved; what `ask` returns shows how often texts have been built. */
function kept() {
  const chain = { head: {} as never };
  const texts = new HeadTexts(chain);
  let made = 0;
  const ask = (key: string, make = () => new JsonText(`${++made}`)) => texts.kept(key, make);
  return { chain, ask };
}

it("builds a text once per head", async () => {
  const { ask } = kept();
  expect([await ask("a"), await ask("a"), await ask("b")].map(({ text }) => text)).toEqual(["1", "1", "2"]);
});

it("drops all texts when the head moves, even back", async () => {
  const { chain, ask } = kept();
  await ask("a");
  const first = chain.head;
  chain.head = {} as never;
  expect((await ask("a")).text).toBe("2");
  chain.head = first;
  expect((await ask("a")).text).toBe("3");
});

it("caches nothing built while the head moved, or asynchronously", async () => {
  const { chain, ask } = kept();
  await ask("a", () => {
    chain.head = {} as never;
    return new JsonText("of the head before");
  });
  expect((await ask("a")).text).toBe("1");
  await ask("b", () => Promise.resolve(new JsonText("later")) as never);
  expect((await ask("b")).text).toBe("2");
});

it.each([
  ["text", "a", "0".repeat(64 * 1024 + 1)],
  ["key", "a".repeat(1025), "0"],
])("does not cache a long %s", async (_, key, text) => {
  const { ask } = kept();
  await ask(key, () => new JsonText(text));
  expect((await ask(key)).text).toBe("1");
});
