import { type ContractAbi, MOST_ENTRIES, readAbi } from "./abi.ts";
import { type CodePattern, readCode } from "./code-pattern.ts";

/** A contract as described by a compiler's output or a tool's artifact. */
export interface ReadContract {
  readonly name: string;
  /** Its source, such as `contracts/Token.sol`; empty where the file does not tell. */
  readonly file: string;
  /** Number of that source in source maps, where the file tells no other. */
  readonly sourceNumber: number | undefined;
  readonly abi: ContractAbi;
  readonly creation: CodePattern | undefined;
  readonly runtime: CodePattern | undefined;
}

/** All that a file tells. */
export interface ReadArtifact {
  readonly contracts: readonly ReadContract[];
  /** Names of sources by their numbers in source maps. */
  readonly sourceNames: ReadonlyMap<number, string>;
  /** Texts of sources by their names. */
  readonly contents: ReadonlyMap<string, string>;
}

type Members = { readonly [name: string]: unknown };

/** Contracts and sources of one file. */
const MOST = 5000;
const MOST_LETTERS = 300;
/** Letters of a source. */
const MOST_SOURCE = 4 << 20;

/** Functions, events and errors that may still be read: each costs a hash and some hundred bytes. */
export interface ItemsLeft {
  items: number;
}

/**
 * Reads what Hardhat, Foundry and solc write: artifacts of one contract, build infos, input and output of solc's standard JSON.
 * Anything else tells nothing. In steps of one contract.
 * @param stem - the file's name without its ending, which is the contract's where the file does not name it
 * @param left - of all files; contracts beyond it are passed over
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
    name: nameOf(contractName) ?? stem.slice(0, MOST_LETTERS),
    file: nameOf(sourceName) ?? compilationTarget(whole) ?? "",
    sourceNumber: typeof id === "number" ? id : undefined,
    abi: readAbi(whole["abi"]),
    creation: patternOf(bytecode),
    runtime: patternOf(deployedBytecode),
  };
}

/** Where metadata tell it, `{ "src/Token.sol": "Token" }`. */
function compilationTarget({ metadata, ast }: Members): string | undefined {
  const target = membersOf(membersOf(membersOf(metadata)["settings"])["compilationTarget"]);
  return nameOf(Object.keys(target)[0]) ?? nameOf(membersOf(ast)["absolutePath"]);
}

function fits(abi: unknown, left: ItemsLeft): abi is unknown[] {
  if (!Array.isArray(abi)) return false;
  const items = Math.min(abi.length, MOST_ENTRIES);
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
      if (found.length === MOST) return found;
      const { abi, evm } = membersOf(told);
      const { bytecode, deployedBytecode } = membersOf(evm);
      if (!fits(abi, left)) continue;
      yield;
      found.push({
        name: name.slice(0, MOST_LETTERS),
        file: file.slice(0, MOST_LETTERS),
        sourceNumber: undefined,
        abi: readAbi(abi),
        creation: patternOf(bytecode),
        runtime: patternOf(deployedBytecode),
      });
    }
  }
  return found;
}

/** Of code that is a text, or an object with its source map. */
function patternOf(code: unknown): CodePattern | undefined {
  if (typeof code === "string") return readCode(code, "", undefined);
  const { object, sourceMap, immutableReferences } = membersOf(code);
  return readCode(object, sourceMap, immutableReferences);
}

function sourceNames(output: Members, whole: Members): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  for (const [name, source] of Object.entries(membersOf(output["sources"])).slice(0, MOST)) {
    const { id } = membersOf(source);
    if (typeof id === "number" && name.length <= MOST_LETTERS) names.set(id, name);
  }
  for (const [id, name] of Object.entries(membersOf(whole["source_id_to_path"])).slice(0, MOST)) {
    const path = nameOf(name);
    if (path !== undefined) names.set(Number(id), path);
  }
  return names;
}

function contentsOf(sources: Members): ReadonlyMap<string, string> {
  const contents = new Map<string, string>();
  for (const [name, source] of Object.entries(sources).slice(0, MOST)) {
    const { content } = membersOf(source);
    if (typeof content !== "string" || content.length > MOST_SOURCE) continue;
    if (name.length <= MOST_LETTERS) contents.set(name, content);
  }
  return contents;
}

function nameOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= MOST_LETTERS ? value : undefined;
}

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}
