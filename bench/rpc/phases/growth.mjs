// The cost of touching an account, while a chain grows to many of them.
import { requestText } from "../chain.mjs";
import { CONTRACTS, initCode, word } from "../lib/asm.mjs";
import { load } from "../lib/http.mjs";
import { perCpu } from "../meter.mjs";

const MARKS = [1_000, 10_000, 100_000, 1_000_000];
const PROBE_TRANSFERS = 300;
const PROBE_CONNECTIONS = 8;
/** Accounts are created by a contract that pays the smallest unit to each. */
const SPRAY_GAS = 14_000_000;
const ACCOUNTS_A_SPRAY = Math.floor((SPRAY_GAS - 100_000) / 34_800);
const SPRAYS_AT_ONCE = 8;
const FIRST = 1n << 150n;
const addressAt = (i) => `0x${(FIRST + BigInt(i)).toString(16).padStart(40, "0")}`;

export async function growth(bench) {
  const { options, chain, note } = bench;
  const spray = await chain.deploy(initCode(CONTRACTS.spray));
  const startedMs = performance.now();
  const seconds = () => (performance.now() - startedMs) / 1000;
  let made = 0;
  await probe(bench, made);
  for (const mark of MARKS.filter((mark) => mark <= options.accounts)) {
    while (made < mark) {
      made = await grow(chain, spray, made, mark);
      if (made < mark && seconds() > options.timeout) {
        note({
          kind: "growth",
          accounts: made,
          stopped: `no time left on the way to ${mark}`,
          seconds: seconds(),
        });
        return;
      }
    }
    if (BigInt(await chain.rpc("eth_getBalance", [addressAt(mark - 1), "latest"])) === 0n)
      throw new Error("an account is missing");
    note({ kind: "growth-fill", accounts: mark, secondsSoFar: +seconds().toFixed(1) });
    await probe(bench, made);
  }
}

/** @returns how many accounts there are now */
async function grow(chain, to, made, mark) {
  let nonce = await chain.nonceOf(chain.root.address);
  let count = made;
  let last;
  for (let i = 0; i < SPRAYS_AT_ONCE && count < mark; i++) {
    const n = Math.min(ACCOUNTS_A_SPRAY, mark - count);
    const data = `0x${word(n)}${word(FIRST + BigInt(count))}`;
    last = chain.sign({ nonce: nonce++, gas: SPRAY_GAS, to, value: BigInt(n), data });
    await chain.rpc("eth_sendRawTransaction", [last.raw]);
    count += n;
  }
  const { status } = await chain.receipt(last.hash);
  if (status !== "0x1") throw new Error("accounts could not be made");
  return count;
}

/** Balances of random accounts, and transfers to random accounts. */
async function probe({ options, chain, note, timed }, made) {
  const anyone = () => addressAt(Math.floor(Math.random() * Math.max(1, made)));
  const bodies = Array.from({ length: 512 }, () => requestText("eth_getBalance", [anyone(), "latest"]));
  const durationMs = options.secs * 1000;
  const read = await timed(() => load({ url: chain.url, conns: PROBE_CONNECTIONS, durationMs, bodies }));
  const first = await chain.nonceOf(chain.root.address);
  const transfers = Array.from({ length: PROBE_TRANSFERS }, (_, i) =>
    chain.sign({ nonce: first + i, to: anyone(), value: 1n }),
  );
  const sent = await timed(async () => {
    for (const { raw } of transfers) await chain.rpc("eth_sendRawTransaction", [raw]);
    await chain.receipt(transfers.at(-1).hash, 5);
  });
  note({
    ...{ kind: "growth", accounts: made },
    getBalancePerServerCpu: perCpu(read.n, read.serverCpu),
    ...{ p50: read.p50, p99: read.p99, rssMiB: sent.rssMiB, machineBusy: sent.machineBusy },
    transferMs: +((sent.wall * 1000) / PROBE_TRANSFERS).toFixed(2),
    transferServerCpuMs: sent.serverCpu && +((sent.serverCpu * 1000) / PROBE_TRANSFERS).toFixed(3),
  });
}
