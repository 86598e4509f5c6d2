import { InvalidParamsError, type Schema } from "../../../../protocol/codec/json/schema.ts";

/** A list of two. @param expects - its elements, shown after "a list of two: " */
export function pair<A, B>(
  title: string,
  first: Schema<A>,
  second: Schema<B>,
  expects: string,
): Schema<[A, B]> {
  const whole = `a list of two: ${expects}`;
  return {
    title,
    json: { type: "array", items: [first.json, second.json], minItems: 2, maxItems: 2 },
    expects: whole,
    decode(json) {
      if (!Array.isArray(json) || json.length !== 2)
        throw new InvalidParamsError(`expected ${whole}`, { expects: whole });
      const [one = null, two = null] = json;
      return [first.decode(one), second.decode(two)];
    },
    encode: ([one, two]) => [first.encode(one), second.encode(two)],
  };
}
