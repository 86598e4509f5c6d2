import { type ContractAbi, readAbi } from "./abi.ts";
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

/**
 * Reads what Hardhat, Foundry and solc write: artifacts of one contract, build infos, input and output of solc's standard JSON.
 * Anything else tells nothing.
 * @param stem - the file's name without its ending, which is the contract's where the file does not name it
 */
export function readArtifact(json: unknown, stem: string): ReadArtifact {
  const whole = membersOf(json);
  const input = membersOf(whole["input"]);
  const output = membersOf("output" in whole ? whole["output"] : whole);
  const single = Array.isArray(whole["abi"]) ? [singleContract(whole, stem)] : [];
  return {
    contracts: [...single, ...outputContracts(output)],
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

function outputContracts({ contracts }: Members): ReadContract[] {
  const found: ReadContract[] = [];
  for (const [file, members] of Object.entries(membersOf(contracts))) {
    for (const [name, told] of Object.entries(membersOf(members))) {
      if (found.length === MOST) return found;
      const { abi, evm } = membersOf(told);
      const { bytecode, deployedBytecode } = membersOf(evm);
      if (!Array.isArray(abi)) continue;
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
    if (typeof content === "string" && name.length <= MOST_LETTERS) contents.set(name, content);
  }
  return contents;
}

function nameOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= MOST_LETTERS ? value : undefined;
}

function membersOf(value: unknown): Members {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};
}
