/** Indexes of secret parameters, by full method name. */
export class SecretPlaces {
  readonly #places: ReadonlyMap<string, readonly number[]>;
  /** Any request with a secret contains one of these, in UTF-8: `personal_`. Each ends with an underscore, its only one. */
  readonly marks: readonly Uint8Array[];

  constructor(places: ReadonlyMap<string, readonly number[]>) {
    this.#places = places;
    const namespaces = new Set([...places.keys()].map((name) => name.slice(0, name.indexOf("_") + 1)));
    this.marks = [...namespaces].map((namespace) => new TextEncoder().encode(namespace));
  }

  of(method: string): readonly number[] {
    return this.#places.get(method) ?? [];
  }
}
