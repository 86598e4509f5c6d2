/**
 * The items of a source in order, with up to `count` items read ahead, so that work started by producing an item proceeds
 * while earlier ones are consumed. If the source fails, the items read before are still delivered.
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
