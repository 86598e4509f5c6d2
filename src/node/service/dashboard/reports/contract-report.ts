import { type AbiItem, type ContractAbi, readAbi } from "../../../../api/artifacts/abi.ts";
import { type ArtifactContract, Contracts } from "../../../../api/artifacts/contracts.ts";
import { type Names, namesOf } from "../../../../api/artifacts/names.ts";
import { showCall } from "../../../../api/artifacts/show-value.ts";
import { refused, toErrorObject } from "../../../../api/rpc/engine/errors.ts";
import type {
  CallReport,
  ContractReport,
  EventReport,
  FunctionReport,
} from "../../../../api/rpc/spec/dashboard/contract-wire.ts";
import type { Provider } from "../../../../api/rpc/transports/provider.ts";
import type { Blockchain } from "../../../../ledger/chain/blockchain.ts";
import { encodeAbi } from "../../../../protocol/codec/abi/encode.ts";
import { toAbiValue } from "../../../../protocol/codec/abi/json-values.ts";
import { type AbiParameter, typeName } from "../../../../protocol/codec/abi/types.ts";
import type { Json } from "../../../../protocol/codec/json/value.ts";
import { type Address, concat } from "../../../../protocol/primitives/bytes.ts";
import { bytesToHex, hexQuantity, hexToBytes } from "../../../../protocol/primitives/hex.ts";

/** Blocks searched for events; fewer where those have more events than a search may find. */
const SPANS = [5_000n, 500n, 50n, 5n];
const MAX_EVENTS = 50;
/** Functions of one contract that are shown. */
const MAX_FUNCTIONS = 500;
/** Characters of one text. */
const MAX_TEXT_LENGTH = 20_000;
/** Characters of an output as hex. */
const MAX_OUTPUT = 100_000;
/** Gas of a call that only reads. */
const CALL_GAS = "0x5f5e100";
const READING: ReadonlySet<string | undefined> = new Set(["view", "pure"]);
const NO_CONTRACTS = new Contracts([], () => undefined);

/** Dependencies of contract reports. */
export interface ContractParts {
  readonly chain: Blockchain;
  readonly request: Provider["request"];
  /** The names of all artifacts, and the contract at an address. */
  readonly names: () => Names;
  readonly contractAt: (address: Address) => ArtifactContract | undefined;
  readonly refreshNames: () => Promise<void>;
}

/** A contract, one of its functions, and the ABI that names them if no artifact does. */
export interface ContractCall {
  readonly address: Address;
  readonly selector: Uint8Array;
  readonly values: readonly Json[];
  readonly from?: Address | undefined;
  readonly abi?: Json | undefined;
}

interface Known {
  readonly name: string | null;
  readonly source: ContractReport["source"];
  readonly abi: ContractAbi;
  readonly names: Names;
}

/** Contracts by the names of their ABI. */
export class ContractPage {
  readonly #parts: ContractParts;

  constructor(parts: ContractParts) {
    this.#parts = parts;
  }

  /** A contract's callable functions and its latest events. */
  async report(address: Address, abi: Json | undefined): Promise<ContractReport> {
    const known = await this.#known(address, abi);
    const functions = [...known.abi.functions].slice(0, MAX_FUNCTIONS).map(functionReport);
    return { name: known.name, source: known.source, functions, ...(await this.#events(address, known)) };
  }

  /** The input that calls a function. @throws RpcError that names the value that does not fit */
  async encode({ address, selector, values, abi }: ContractCall): Promise<Uint8Array> {
    const { item } = await this.#function(address, selector, abi);
    return inputOf(item, selector, values);
  }

  /** Calls a function without a transaction. */
  async read({ address, selector, values, from, abi }: ContractCall): Promise<CallReport> {
    const { item, known } = await this.#function(address, selector, abi);
    const data = bytesToHex(inputOf(item, selector, values));
    const to = bytesToHex(address);
    const call = { to, data, gas: CALL_GAS, ...(from && { from: bytesToHex(from) }) };
    try {
      const output = (await this.#parts.request({
        method: "kaia_call",
        params: [call, "latest"],
      })) as string;
      const text = item.outputs.length === 0 ? "()" : showCall("", item.outputs, hexToBytes(output));
      return {
        text: text?.slice(0, MAX_TEXT_LENGTH) ?? null,
        output: output.slice(0, MAX_OUTPUT),
        error: null,
      };
    } catch (error) {
      const { message, data } = toErrorObject(error);
      const output = typeof data === "string" && /^0x([0-9a-f]{2})*$/i.test(data) ? data : "0x";
      const said = known.names.error(hexToBytes(output), address);
      const reason = said === undefined ? message : `${message}: ${said}`;
      return { text: null, output: output.slice(0, MAX_OUTPUT), error: reason.slice(0, MAX_TEXT_LENGTH) };
    }
  }

  async #function(address: Address, selector: Uint8Array, abi: Json | undefined) {
    const known = await this.#known(address, abi);
    const item = known.abi.functions.get(bytesToHex(selector));
    if (item === undefined) throw refused("the ABI of this contract has no function with this selector");
    return { item, known };
  }

  async #known(address: Address, given: Json | undefined): Promise<Known> {
    const { contractAt, names, refreshNames } = this.#parts;
    if (Array.isArray(given)) {
      const abi = readAbi(given);
      const own = { name: "", abi };
      return {
        name: null,
        source: "given",
        abi,
        names: namesOf(
          () => NO_CONTRACTS,
          () => own,
        ),
      };
    }
    await refreshNames();
    const found = contractAt(address);
    if (found !== undefined) return { name: found.name, source: "artifact", abi: found.abi, names: names() };
    return { name: null, source: "none", abi: readAbi([]), names: names() };
  }

  async #events(address: Address, { names }: Known): Promise<Pick<ContractReport, "since" | "events">> {
    const { number } = this.#parts.chain.head.header;
    for (const span of SPANS) {
      const since = number > span ? number - span : 0n;
      const logs = await this.#logs(address, since, number);
      if (logs !== undefined) return { since: Number(since), events: eventsOf(logs, address, names) };
    }
    return { since: Number(number), events: null };
  }

  /** The events of a contract; undefined where there are too many. */
  #logs(address: Address, from: bigint, to: bigint): Promise<readonly WireLog[] | undefined> {
    const [fromBlock, toBlock] = [hexQuantity(from), hexQuantity(to)];
    const filter = { address: bytesToHex(address), fromBlock, toBlock };
    const asked = this.#parts.request({ method: "eth_getLogs", params: [filter] });
    return (asked as Promise<readonly WireLog[]>).catch(() => undefined);
  }
}

/** An event as `eth_getLogs` shows it. */
interface WireLog {
  readonly blockNumber: string;
  readonly transactionHash: string;
  readonly topics: readonly string[];
  readonly data: string;
}

/** The latest events, newest first. */
function eventsOf(logs: readonly WireLog[], address: Address, names: Names): EventReport[] {
  return logs
    .slice(-MAX_EVENTS)
    .reverse()
    .map(({ blockNumber, transactionHash, topics, data }) => ({
      ...{ block: Number(blockNumber), transaction: transactionHash, topics },
      data: data.slice(0, MAX_TEXT_LENGTH),
      text:
        names
          .log({ address, topics: topics.map(hexToBytes), data: hexToBytes(data) })
          ?.replace(/^\./, "")
          .slice(0, MAX_TEXT_LENGTH) ?? null,
    }));
}

function functionReport([selector, item]: readonly [string, AbiItem]): FunctionReport {
  const { name, inputs, outputs, mutability } = item;
  return {
    ...{ selector, name, inputs: inputs.map(shown), outputs: outputs.map(shown) },
    isReading: READING.has(mutability),
    isPayable: mutability === "payable",
  };
}

function shown({ name, type }: AbiParameter): FunctionReport["inputs"][number] {
  return { name, type: typeName(type) };
}

function inputOf({ inputs }: AbiItem, selector: Uint8Array, values: readonly Json[]): Uint8Array {
  if (values.length !== inputs.length)
    throw refused(`the function takes ${inputs.length} arguments, ${values.length} were given`);
  try {
    return concat(
      selector,
      encodeAbi(
        inputs,
        inputs.map((input, i) => toAbiValue(input, values[i])),
      ),
    );
  } catch (error) {
    throw refused((error as Error).message);
  }
}
