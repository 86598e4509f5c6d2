/**
 * The items of a source in their order, with up to `count` further ones taken from it already, so that work which begins
 * when an item is made goes on while an earlier one is used. When the source fails, what it gave before still comes.
 */
export async function* readAhead<T>(source: AsyncIterable<T>, count: number): AsyncGenerator<T, undefined> {
  const taken: T[] = [];
  let failure: { readonly cause: unknown } | undefined;
  try {
    for await (const item of source) {
      taken.push(item);
      if (taken.length > count) yield taken.shift() as T;
    }
  } catch (cause) {
    failure = { cause };
  }
  yield* taken;
  if (failure !== undefined) throw failure.cause;
}
