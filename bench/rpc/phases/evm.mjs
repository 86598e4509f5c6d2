// Contracts that loop, called with as many rounds as cost the intended gas; each returns its gas and its result.
import { PAIR_INIT, SYNC, TRADE, TRADER_INIT } from "../../evm/swap.mjs";
import { SELECTORS, WORK_RUNTIME } from "../../evm/work.mjs";
import { CONTRACTS, callingLoop, initCode, word } from "../lib/asm.mjs";
import { TOKEN_INIT } from "../lib/token.mjs";

/** How long a loop is called, in milliseconds, and at most how often. */
const LOOP_MS = 2000;
const MAX_CALLS = 100;
/** Gas of the first calls, which show the cost of a round. */
const FIRST_GAS = 60e6;
const FIRST_ROUNDS = 2000;
/** Storage touches 1,024 slots first: enough rounds to amortise that. */
const FIRST_STORAGE_ROUNDS = 4096;
/** Contracts of other phases, which are no loops. */
const OTHERS = ["spray", "logs"];

/** One loop for each kind of opcode. */
export async function loops(bench) {
  for (const [name, code] of Object.entries(CONTRACTS)) {
    if (OTHERS.includes(name)) continue;
    const address = await bench.chain.deploy(initCode(code));
    await measureLoop(bench, name, address, name === "storage" ? FIRST_STORAGE_ROUNDS : FIRST_ROUNDS);
  }
}

/** Solidity behind CALL: tokens moved, swaps in a pair of tokens, a bubble sort and a ray marcher of 60 items. */
export async function contracts(bench) {
  const { chain } = bench;
  const transfer = callingLoop(
    await chain.token(),
    "a9059cbb",
    "DUP2 0x3ff AND 0x10000 ADD 4 MSTORE 1 36 MSTORE",
    68,
  );
  const erc20 = await chain.deploy(initCode(transfer));
  await chain.giveTokens(erc20);
  await measureLoop(bench, "erc20", erc20, 100);
  const trader = await deployTrader(chain);
  const swaps = await chain.deploy(initCode(callingLoop(trader, TRADE, "1000 4 MSTORE", 36)));
  await measureLoop(bench, "swap", swaps, 20);
  const work = await chain.deploy(initCode(WORK_RUNTIME), 6_000_000);
  for (const [name, selector] of Object.entries(SELECTORS)) {
    const address = await chain.deploy(initCode(callingLoop(work, selector, "60 4 MSTORE", 36)));
    await measureLoop(bench, name, address, 2);
  }
}

/** @returns address of a contract that swaps the first token of a pair, which it owns, for the second */
async function deployTrader(chain) {
  const tokens = [await chain.token(), await chain.deploy(TOKEN_INIT)];
  const constructed = (init, ...addresses) => init + addresses.map((each) => word(BigInt(each))).join("");
  const pair = await chain.deploy(constructed(PAIR_INIT, ...tokens));
  for (const token of tokens) await chain.giveTokens(pair, token);
  await chain.send({ to: pair, gas: 300_000, data: `0x${SYNC}` });
  const trader = await chain.deploy(constructed(TRADER_INIT, pair));
  await chain.giveTokens(trader);
  return trader;
}

async function measureLoop({ options, chain, note, timed }, name, address, first) {
  let rounds = first;
  let last;
  try {
    for (let i = 0; i < 3; i++) last = await call(chain, address, rounds, FIRST_GAS);
    // grow to the wanted gas, but no further than max-secs allows
    const mostMs = options["max-secs"] * 1000;
    for (let i = 0; i < 6 && last.gas < options.gas * 0.9 && last.ms < mostMs / 2; i++) {
      const growth = Math.min(options.gas / last.gas, 8, Math.max(1.2, (mostMs * 0.8) / last.ms));
      rounds = Math.floor(rounds * growth);
      last = await call(chain, address, rounds, options.gas * 1.2);
    }
    const calls = [];
    const { serverCpu, machineBusy } = await timed(async () => {
      // CPU time is counted in hundredths of a second: short loops are called more often
      const until = performance.now() + LOOP_MS;
      while (calls.length < 3 || (performance.now() < until && calls.length < MAX_CALLS))
        calls.push(await call(chain, address, rounds, options.gas * 1.2));
    });
    calls.sort((a, b) => a.ms - b.ms);
    const { ms, gas, result } = calls[calls.length >> 1];
    note({
      ...{ kind: "evm", name, rounds, gas, result, ms: +ms.toFixed(1) },
      mgasPerS: +(gas / ms / 1000).toFixed(2),
      mgasPerServerCpu: serverCpu ? +((calls.length * gas) / serverCpu / 1e6).toFixed(2) : undefined,
      bestMgasPerS: +(gas / calls[0].ms / 1000).toFixed(2),
      ...{ serverCpu, machineBusy },
    });
  } catch (error) {
    note({
      kind: "evm",
      name,
      rounds,
      error: error.message.slice(0, 160),
      lastGas: last?.gas,
      lastMs: last?.ms,
    });
  }
}

async function call(chain, to, rounds, gas) {
  const startedMs = performance.now();
  const request = {
    from: chain.root.address,
    to,
    gas: `0x${Math.floor(gas).toString(16)}`,
    data: `0x${word(rounds)}`,
  };
  const output = await chain.rpc("eth_call", [{ ...request, gasPrice: "0x0" }, "latest"]);
  const ms = performance.now() - startedMs;
  return { ms, gas: Number(BigInt(output.slice(0, 66))), result: `0x${output.slice(66, 130)}` };
}
