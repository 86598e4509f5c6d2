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
import { bytesToHex, hexToBytes } from "../../../../protocol/primitives/hex.ts";

/** Blocks searched for events. */
const MAX_BLOCKS = 5_000n;
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
    const { number } = this.#parts.chain.head.header;
    const since = number > MAX_BLOCKS ? number - MAX_BLOCKS : 0n;
    const functions = [...known.abi.functions].slice(0, MAX_FUNCTIONS).map(functionReport);
    return {
      ...{ name: known.name, source: known.source, since: Number(since), functions },
      events: await this.#events(address, since, known),
    };
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

  async #events(address: Address, since: bigint, { names }: Known): Promise<readonly EventReport[]> {
    const { chain } = this.#parts;
    const found: EventReport[] = [];
    const newest = chain.head.header.number;
    const own = bytesToHex(address);
    const filter = {
      address: own,
      fromBlock: `0x${since.toString(16)}`,
      toBlock: `0x${newest.toString(16)}`,
    };
    const logs = (await this.#parts
      .request({ method: "eth_getLogs", params: [filter] })
      .catch(() => [])) as readonly {
      readonly blockNumber: string;
      readonly transactionHash: string;
      readonly topics: readonly string[];
      readonly data: string;
    }[];
    for (const { blockNumber, transactionHash, topics, data } of logs.slice(-MAX_EVENTS).reverse())
      found.push({
        ...{ block: Number(blockNumber), transaction: transactionHash, topics },
        data: data.slice(0, MAX_TEXT_LENGTH),
        text:
          names
            .log({ address, topics: topics.map(hexToBytes), data: hexToBytes(data) })
            ?.replace(/^\./, "")
            .slice(0, MAX_TEXT_LENGTH) ?? null,
      });
    return found;
  }
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
