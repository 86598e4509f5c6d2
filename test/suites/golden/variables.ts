import { at } from "./compare.ts";
import type { Json } from "./format.ts";

/** Values captured from earlier responses, by name. */
export class Variables {
  readonly #values = new Map<string, Json>();

  /** Captures values of a response. @param capture JSON pointers by name */
  keep(answer: Json, capture: Readonly<Record<string, string>> = {}): void {
    for (const [name, pointer] of Object.entries(capture)) {
      const value = at(answer, pointer);
      if (value !== undefined) this.#values.set(name, value);
    }
  }

  /** The value with `${name}` replaced in all its strings; a string that is only a placeholder becomes the captured value. */
  fill(value: Json): Json {
    if (typeof value === "string") return this.#fillString(value);
    if (Array.isArray(value)) return value.map((item) => this.fill(item));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, member]) => [String(this.fill(key)), this.fill(member)]),
    );
  }

  /** Like `fill`, for texts. */
  fillText(text: string): string {
    return String(this.fill(text));
  }

  #fillString(text: string): Json {
    const whole = /^\$\{(\w+)\}$/.exec(text);
    if (whole !== null) return this.#values.get(whole[1] as string) ?? text;
    return text.replace(/\$\{(\w+)\}/g, (placeholder, name: string) => {
      const value = this.#values.get(name);
      return value === undefined ? placeholder : String(value);
    });
  }
}
