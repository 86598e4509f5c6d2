import { keccak256 } from "../../protocol/crypto/keccak.ts";
import { bytesToHex } from "../../protocol/primitives/hex.ts";
import { LruMap } from "../../protocol/primitives/lru.ts";
import type { AbiItem } from "./abi.ts";
import { compareCode, isBeginning } from "./code-pattern.ts";
import type { ReadArtifact, ReadContract } from "./read-contracts.ts";
import { SourceFile, type SourceSet } from "./sources.ts";

/** A contract with the sources that its code comes from. */
export interface ArtifactContract extends ReadContract {
  readonly sources: SourceSet;
}

/** A contract of which only the interface matters. */
export type NamedAbi = Pick<ArtifactContract, "name" | "abi">;

/** Maximum contracts; further ones are ignored. */
const MAX_CONTRACTS = 5000;
/** Maximum code hashes whose contract is cached. */
const MAX_REMEMBERED = 4096;

/** All contracts of the artifacts, found by code, selector or topic. */
export class Contracts {
  readonly #bySize = new Map<number, ArtifactContract[]>();
  readonly #creations: ArtifactContract[] = [];
  readonly #functions = new Map<string, AbiItem>();
  readonly #errors = new Map<string, AbiItem>();
  readonly #events = new Map<string, AbiItem[]>();
  readonly #byCode = new LruMap<string, { readonly contract: ArtifactContract | undefined }>(MAX_REMEMBERED);
  readonly #sources: SourceTexts;
  #count = 0;

  /** @param readSource - reads a source that no artifact holds, by its name */
  constructor(artifacts: readonly ReadArtifact[], readSource: (name: string) => Uint8Array | undefined) {
    this.#sources = new SourceTexts(artifacts, readSource);
    for (const artifact of artifacts)
      for (const contract of artifact.contracts)
        if (this.#count < MAX_CONTRACTS)
          this.#add({ ...contract, sources: this.#sources.of(artifact, contract) });
  }

  get count(): number {
    return this.#count;
  }

  #add(contract: ArtifactContract): void {
    this.#count++;
    const { runtime, creation, abi } = contract;
    if (runtime !== undefined) {
      const size = runtime.bytes.length;
      const same = this.#bySize.get(size) ?? [];
      // Those with a source map come first: some tools write the same contract twice, once without.
      if (runtime.sourceMap === "") same.push(contract);
      else same.unshift(contract);
      this.#bySize.set(size, same);
    }
    if (creation !== undefined) this.#creations.push(contract);
    for (const [selector, item] of abi.functions)
      if (!this.#functions.has(selector)) this.#functions.set(selector, item);
    for (const [selector, item] of abi.errors)
      if (!this.#errors.has(selector)) this.#errors.set(selector, item);
    for (const [topic, item] of abi.events)
      this.#events.set(topic, [...(this.#events.get(topic) ?? []), item].slice(0, 4));
  }

  /** The contract with this runtime code. */
  withCode(code: Uint8Array): ArtifactContract | undefined {
    if (code.length === 0 || !this.#bySize.has(code.length)) return undefined;
    return this.withCodeHash(keccak256(code), () => code);
  }

  /** Like `withCode`; the code is read only if its hash is not cached. */
  withCodeHash(hash: Uint8Array, read: () => Uint8Array): ArtifactContract | undefined {
    return this.#remembered(hash, () => {
      const code = read();
      let near: ArtifactContract | undefined;
      for (const contract of this.#bySize.get(code.length) ?? []) {
        const agreement = contract.runtime ? compareCode(contract.runtime, code) : "none";
        if (agreement === "whole") return contract;
        if (agreement === "without metadata") near ??= contract;
      }
      return near;
    });
  }

  /** The contract that an init code creates: of several matches, the longest. */
  withInitCode(initCode: Uint8Array): ArtifactContract | undefined {
    if (initCode.length === 0 || this.#creations.length === 0) return undefined;
    return this.#remembered(keccak256(initCode), () => {
      const all = this.#creations.filter(
        ({ creation }) => creation !== undefined && isBeginning(creation, initCode),
      );
      return all.sort((a, b) => weight(b) - weight(a))[0];
    });
  }

  #remembered(hash: Uint8Array, find: () => ArtifactContract | undefined): ArtifactContract | undefined {
    const key = bytesToHex(hash);
    let known = this.#byCode.get(key);
    if (known === undefined) {
      known = { contract: find() };
      this.#byCode.set(key, known);
    }
    return known.contract;
  }

  /** A function of any contract, by its selector in hex: a proxy is called with functions of another contract. */
  function(selector: string): AbiItem | undefined {
    return this.#functions.get(selector);
  }

  /** An error of any contract: it may originate from a contract called by this one. */
  error(selector: string): AbiItem | undefined {
    return this.#errors.get(selector);
  }

  /** Events of any contract with a first topic; they may differ in what is indexed. */
  events(topic: string): readonly AbiItem[] {
    return this.#events.get(topic) ?? [];
  }
}

function weight({ creation }: ArtifactContract): number {
  return 2 * (creation?.bytes.length ?? 0) + (creation?.sourceMap === "" ? 0 : 1);
}

/** Sources by number or name, from the artifacts or files. */
class SourceTexts {
  readonly #artifacts: readonly ReadArtifact[];
  readonly #readSource: (name: string) => Uint8Array | undefined;
  readonly #read = new LruMap<string, { readonly source: SourceFile | undefined }>(512);

  constructor(artifacts: readonly ReadArtifact[], readSource: (name: string) => Uint8Array | undefined) {
    this.#artifacts = artifacts;
    this.#readSource = readSource;
  }

  of(artifact: ReadArtifact, contract: ReadContract): SourceSet {
    return {
      source: (number) => {
        const name = this.#nameOf(number, artifact, contract);
        return name === undefined ? undefined : this.#named(name, artifact);
      },
    };
  }

  /** If the file has no such number, one that gives the contract's own source the same number may. */
  #nameOf(number: number, { sourceNames }: ReadArtifact, contract: ReadContract): string | undefined {
    const own = sourceNames.get(number);
    if (own !== undefined) return own;
    const { sourceNumber, file } = contract;
    if (sourceNumber === undefined || file === "") return undefined;
    if (number === sourceNumber) return file;
    const others = this.#artifacts.find((artifact) => artifact.sourceNames.get(sourceNumber) === file);
    return others?.sourceNames.get(number);
  }

  #named(name: string, artifact: ReadArtifact): SourceFile | undefined {
    const own = artifact.contents.get(name);
    const key = own === undefined ? name : `${this.#artifacts.indexOf(artifact)}:${name}`;
    let known = this.#read.get(key);
    if (known === undefined) {
      known = { source: this.#open(name, own) };
      this.#read.set(key, known);
    }
    return known.source;
  }

  #open(name: string, own: string | undefined): SourceFile | undefined {
    const content = own ?? this.#artifacts.find(({ contents }) => contents.has(name))?.contents.get(name);
    const bytes = content === undefined ? this.#readSource(name) : new TextEncoder().encode(content);
    return bytes && new SourceFile(name, bytes);
  }
}
