import { type ContractAbi, MAX_ENTRIES, readAbi } from "./abi.ts";
import { type CodePattern, readCode } from "./code-pattern.ts";

/** A contract as described by a compiler's output or a tool's artifact. */
export interface ReadContract {
  readonly name: string;
  /** Its source, such as `contracts/Token.sol`; empty if unknown. */
  readonly file: string;
  /** Number of that source in source maps, unless the file numbers its sources. */
  readonly sourceNumber: number | undefined;
  readonly abi: ContractAbi;
  readonly creation: CodePattern | undefined;
  readonly runtime: CodePattern | undefined;
}

/** Everything read from one file. */
export interface ReadArtifact {
  readonly contracts: readonly ReadContract[];
  /** Names of sources by their numbers in source maps. */
  readonly sourceNames: ReadonlyMap<number, string>;
  /** Texts of sources by their names. */
  readonly contents: ReadonlyMap<string, string>;
}

type Members = { readonly [name: string]: unknown };

/** Maximum contracts and sources of one file. */
const MAX = 5000;
const MAX_LENGTH = 300;
/** Maximum characters of a source. */
const MAX_SOURCE = 4 << 20;

/** How many functions, events and errors may still be read: each costs a hash and some hundred bytes. */
export interface ItemsLeft {
  items: number;
}

/**
 * Reads the output of Hardhat, Foundry and solc: artifacts of one contract, build infos, input and output of solc's standard JSON.
 * Anything else yields nothing. Yields after each contract.
 * @param stem - the file's name without extension, used if the file does not name its contract
 * @param left - shared by all files; further contracts are skipped
 */
export function* readArtifact(
  json: unknown,
  stem: string,
  left: ItemsLeft,
): Generator<void, ReadArtifact, undefined> {
  const whole = membersOf(json);
  const input = membersOf(whole["input"]);
  const output = membersOf("output" in whole ? whole["output"] : whole);
  const single = fits(whole["abi"], left) ? [singleContract(whole, stem)] : [];
  yield;
  return {
    contracts: [...single, ...(yield* outputContracts(output, left))],
    sourceNames: sourceNames(output, whole),
    contents: contentsOf(membersOf("input" in whole ? input["sources"] : whole["sources"])),
  };
}

/** An artifact of Hardhat or Foundry. */
function singleContract(whole: Members, stem: string): ReadContract {
  const { bytecode, deployedBytecode, contractName, sourceName, id } = whole;
  return {
    name: nameOf(contractName) ?? stem.slice(0, MAX_LENGTH),
    file: nameOf(sourceName) ?? compilationTarget(whole) ?? "",
    sourceNumber: typeof id === "number" ? id : undefined,
    abi: readAbi(whole["abi"]),
    creation: patternOf(bytecode),
    runtime: patternOf(deployedBytecode),
  };
}

/** From the metadata, `{ "src/Token.sol": "Token" }`. */
function compilationTarget({ metadata, ast }: Members): string | undefined {
  const target = membersOf(membersOf(membersOf(metadata)["settings"])["compilationTarget"]);
  return nameOf(Object.keys(target)[0]) ?? nameOf(membersOf(ast)["absolutePath"]);
}

function fits(abi: unknown, left: ItemsLeft): abi is unknown[] {
  if (!Array.isArray(abi)) return false;
  const items = Math.min(abi.length, MAX_ENTRIES);
  if (items > left.items) return false;
  left.items -= items;
  return true;
}

function* outputContracts(
  { contracts }: Members,
  left: ItemsLeft,
): Generator<void, ReadContract[], undefined> {
  const found: ReadContract[] = [];
  for (const [file, members] of Object.entries(membersOf(contracts))) {
    for (const [name, told] of Object.entries(membersOf(members))) {
      if (found.length === MAX) return found;
      const { abi, evm } = membersOf(told);
      const { bytecode, deployedBytecode } = membersOf(evm);
      if (!fits(abi, left)) continue;
      yield;
      found.push({
        name: name.slice(0, MAX_LENGTH),
        file: file.slice(0, MAX_LENGTH),
        sourceNumber: undefined,
        abi: readAbi(abi),
        creation: patternOf(bytecode),
        runtime: patternOf(deployedBytecode),
      });
    }
  }
  return found;
}

/** The code is a string, or an object with its source map. */
function patternOf(code: unknown): CodePattern | undefined {
  if (typeof code === "string") return readCode(code, "", undefined);
  const { object, sourceMap, immutableReferences } = membersOf(code);
  return readCode(object, sourceMap, immutableReferences);
}

function sourceNames(output: Members, whole: Members): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const [name, source] of Object.entries(membersOf(output["sources"])).slice(0, MAX)) {
    const { id } = membersOf(source);
    if (typeof id === "number" && name.length <= MAX_LENGTH) names.set(id, name);
  }
  for (const [id, name] of Object.entries(membersOf(whole["source_id_to_path"])).slice(0, MAX)) {
    const path = nameOf(name);
    if (path !== undefined) names.set(Number(id), path);
  }
  return names;
}

function contentsOf(sources: Members): ReadonlyMap<string, string> {
  const contents = new Map<string, string>();
  for (const [name, source] of Object.entries(sources).slice(0, MAX)) {
    const { content } = membersOf(source);
    if (typeof content !== "string" || content.length > MAX_SOURCE) continue;
    if (name.length <= MAX_LENGTH) contents.set(name, content);
  }
  return contents;
}

function nameOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= MAX_LENGTH ? value : undefined;
}

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}
