import { describe, expect, it } from "vitest";
import { runPaced, runSync } from "../../../../platform/runtime/turns/pace.ts";
import { encodedText } from "../registry.ts";
import { listText, NOTHING, objectsText, objectText } from "./list-text.ts";

const items = [{ a: "1<2" }, NOTHING, "b", null];
const shown = items.filter((item) => item !== NOTHING);

describe("the text of a list", () => {
  it("equals the text of the whole list, alone and as a member", () => {
    expect(String(encodedText(runSync(listText(items))))).toBe('[{"a":"1\\u003c2"},"b",null]');
    const object = { first: 1, list: [], "la>st": ["x"] };
    const text = String(encodedText(runSync(objectText({ object, name: "list", items }))));
    expect(JSON.parse(text)).toEqual({ ...object, list: shown });
    expect(Object.keys(JSON.parse(text))).toEqual(Object.keys(object));
    expect(String(encodedText(runSync(listText([]))))).toBe("[]");
  });

  it("works for an object of such objects", () => {
    const member = (list: readonly string[]) => ({ object: { n: 1, list: null }, name: "list", items: list });
    const text = runSync(
      objectsText([
        ["a", member(["x"])],
        ["b", member([])],
      ] as const),
    );
    expect(String(encodedText(text))).toBe('{"a":{"n":1,"list":["x"]},"b":{"n":1,"list":[]}}');
    expect(String(encodedText(runSync(objectsText([]))))).toBe("{}");
  });

  it("is rendered item by item, yielding in between", async () => {
    const order: string[] = [];
    const pace = {
      isDue: () => true,
      yield: async () => {
        order.push("others");
      },
    };
    function* rendered() {
      for (const name of ["a", "b"]) {
        order.push(name);
        yield name;
      }
    }
    await runPaced(pace, objectText({ object: { list: [] }, name: "list", items: rendered() }));
    expect(order).toEqual(["a", "others", "b", "others"]);
  });

  it("skips steps without items in long lists", () => {
    const many = Array.from({ length: 100_000 }, (_, i) => (i % 2 === 0 ? i : NOTHING));
    const text = String(encodedText(runSync(listText(many))));
    expect(JSON.parse(text)).toHaveLength(50_000);
  });
});
