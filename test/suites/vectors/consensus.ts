import { sortAddresses } from "../../../src/ledger/extensions/valset/address-order.ts";
import { Selection } from "../../../src/ledger/extensions/valset/committee.ts";
import { uniformProposers } from "../../../src/ledger/extensions/valset/proposer-list.ts";
import { faultsOf, quorumOf } from "../../../src/ledger/extensions/valset/qualified.ts";
import { IstanbulMachine } from "../../../src/network/consensus/istanbul/machine/machine.ts";
import type {
  Effect,
  MachineFacts,
  MachineMessage,
  Member,
  ProposalId,
  ProposalVerdict,
} from "../../../src/network/consensus/istanbul/machine/types.ts";
import type { Address } from "../../../src/protocol/primitives/bytes.ts";
import { bytesToHex as hex, hexToBytes } from "../../../src/protocol/primitives/hex.ts";
import { casesOf, same, type VectorCase } from "./vector-case.ts";

// biome-ignore lint/suspicious/noExplicitAny: published JSON, described in the files themselves
type Published = any;

/** Blocks for which a list of proposers is used in network/committee.json. */
const PROPOSER_INTERVAL = 3600n;

/** network/quorum.json: quorums, tolerated faults, and the order of addresses. */
export function quorums({ addresses, cases, ordered }: Published): VectorCase[] {
  const known: Address[] = addresses.map(hexToBytes);
  const order: VectorCase = {
    name: "order of addresses",
    run() {
      const texts = known.map(hex);
      same(
        sortAddresses(known).map((address) => texts.indexOf(hex(address))),
        ordered,
        "ordered",
      );
    },
  };
  const counts = cases.map(({ name, members, committeeSize, quorum, f }: Published) => ({
    name,
    run() {
      const size = Math.min(members, committeeSize);
      same(quorumOf(size), quorum, "quorum");
      same(faultsOf(size), f, "f");
    },
  }));
  return [order, ...counts];
}

/** network/committee.json: who proposes and who votes, by policy, size and fork. */
export function committeesByRound({ addresses, cases }: Published): VectorCase[] {
  const known: Address[] = addresses.map(hexToBytes);
  const places = new Map(known.map((address, place) => [hex(address), place]));
  const placeOf = (address: Address) => places.get(hex(address));
  return cases.map((vector: Published) => ({
    name: vector.name,
    run() {
      const qualified = sortAddresses(known.slice(0, vector.members));
      const listed = () => uniformProposers(qualified, hexToBytes(vector.listBlockHash));
      const selection = new Selection({
        ...{ number: BigInt(vector.number), policy: vector.policy, committeeSize: vector.committeeSize },
        ...{ randao: vector.randao, qualified, parentHash: hexToBytes(vector.parentHash) },
        parentMixHash: vector.parentMixHash === "0x" ? undefined : hexToBytes(vector.parentMixHash),
        parentProposer: known[vector.parentProposer] as Address,
        proposerList: () => ({
          list: listed(),
          madeAt: BigInt(vector.listNumber),
          interval: PROPOSER_INTERVAL,
        }),
      });
      if (vector.proposerList !== undefined) same(listed().map(placeOf), vector.proposerList, "proposerList");
      for (const { round, proposer, committee } of vector.rounds) {
        same(placeOf(selection.proposer(round)), proposer, `proposer of round ${round}`);
        same(selection.committee(round).map(placeOf), committee, `committee of round ${round}`);
      }
      const size = Math.min(vector.members, vector.committeeSize);
      same([quorumOf(size), faultsOf(size)], [vector.quorum, vector.f], "quorum and f");
    },
  }));
}

/** network/istanbul-traces.json: what a validator of the reference node did, step by step. */
export const istanbulTraces = casesOf((trace: Published) => {
  const replay = new TraceReplay(trace);
  trace.steps.forEach((step: Published, i: number) => {
    const have = replay.step(step.in);
    const { refused, sent = [], relayed = [], committed = [], after } = step;
    const want = { refused, sent: sent.map(published), relayed: relayed.map(published), committed, after };
    same(have, want, `${trace.name}, step ${i}`);
  });
});

/** Number of the block from which every trace starts. */
const HEAD = 4;

/** A machine in the environment of one trace. */
class TraceReplay {
  readonly #machine: IstanbulMachine<Published>;
  readonly #verdicts = new Map<string, string>();
  readonly #chain = new Set(["head"]);
  #early: MachineMessage[] = [];

  constructor(trace: Published) {
    this.#machine = new IstanbulMachine(memberOf(trace.self), HEAD, this.#facts(trace));
  }

  /** Executes a step. @returns its effects, in the file's terms */
  step(event: Published): Published {
    const { refused, effects } = this.#do(event);
    this.#early.push(...effects.flatMap((effect) => (effect.do === "wait" ? [effect.message] : [])));
    return {
      refused,
      sent: effects.flatMap((effect) =>
        effect.do === "send" ? [{ ...messageOf(effect.message), ...sealOf(effect.message) }] : [],
      ),
      relayed: effects.flatMap((effect) => (effect.do === "relay" ? [messageOf(effect.message)] : [])),
      committed: effects.flatMap(decided),
      after: this.#view(),
    };
  }

  #do(event: Published): { refused?: string | undefined; effects: Effect<Published>[] } {
    if (event.do === "start") return { effects: this.#machine.start() };
    if (event.do === "request") return this.#machine.request(proposalOf(event.proposal));
    if (event.do === "message") return this.#machine.receive(readMessage(event), event);
    if (event.do === "timeout") return { effects: this.#machine.timeout() };
    if (event.do === "head") {
      this.#chain.add(event.proposal);
      return { effects: this.#machine.newHead(proposalOf(event.proposal).number) };
    }
    this.#verdicts.set(event.proposal, event.verdict);
    const again = event.timePasses ? this.#early.splice(0) : [];
    return { effects: again.flatMap((message) => this.#machine.receive(message, event).effects) };
  }

  #facts({ validators, committeeSize }: Published): MachineFacts {
    const size = Math.min(validators, committeeSize);
    const committee = (sequence: number, round: number) => {
      const members = Array.from({ length: size }, (_, i) => memberOf((sequence + round + i) % validators));
      const [proposer] = members;
      return {
        proposer: proposer as Member,
        members: new Set(members),
        ...{ quorum: quorumOf(size), faults: faultsOf(size) },
      };
    };
    return {
      committee,
      verdict: ({ digest }) => verdictOf(this.#verdicts.get(digest)),
      isBad: (digest) => this.#verdicts.get(digest) === "bad",
      isOnChain: ({ digest }) => this.#chain.has(digest),
      mayVote: () => true,
    };
  }

  #view(): Published {
    const view = this.#machine.view;
    return {
      ...{ sequence: view.sequence, round: view.round, state: view.phase },
      ...{ waitingForRoundChange: view.isAwaitingRoundChange, isLocked: view.isLocked },
      ...{ proposer: placeOf(view.committee.proposer), locked: view.locked?.digest ?? null },
      ...{ prepares: [...view.prepares].sort().map(placeOf), commits: [...view.commits].sort().map(placeOf) },
      ...(view.proposal && { proposal: view.proposal.digest }),
      ...(view.pending && { pending: view.pending.digest }),
    };
  }
}

/** Members by index. */
function memberOf(place: number): Member {
  return String(place).padStart(3, "0");
}

function placeOf(member: Member): number {
  return Number(member);
}

/** `6:2` is a block of sequence 6. */
function proposalOf(name: string): ProposalId {
  return { digest: name, number: name === "head" ? HEAD : Number.parseInt(name, 10) };
}

function verdictOf(verdict: string | undefined): ProposalVerdict {
  if (verdict === "future") return "future";
  if (verdict === "bad") return { invalid: "blacklisted hash" };
  return verdict === "invalid" ? { invalid: "invalid proposal" } : "valid";
}

function readMessage({ kind, from, sequence, round, proposal, digest }: Published): MachineMessage {
  const common = { from: memberOf(from), sequence, round };
  if (kind === "preprepare") return { kind, ...common, proposal: proposalOf(proposal) };
  if (kind === "round change") return { kind: "roundChange", ...common };
  return { kind, ...common, digest };
}

/** A message in the file's terms. */
function messageOf(message: MachineMessage): Published {
  const { from, sequence, round } = message;
  const common = { from: placeOf(from), sequence, round };
  if (message.kind === "preprepare")
    return { kind: "preprepare", ...common, proposal: message.proposal.digest };
  if (message.kind === "roundChange") return { kind: "round change", ...common, digest: null };
  return {
    kind: message.kind,
    ...common,
    digest: message.digest,
    ...(message.kind === "commit" && { seal: "right" }),
  };
}

/** The seal of a `commit` of our own; those of others are checked before the machine receives them. */
function sealOf(message: MachineMessage): { readonly seal?: string } {
  if (message.kind !== "commit") return {};
  if (message.sealed === undefined) return { seal: "none" };
  return { seal: message.sealed === message.digest ? "right" : "other" };
}

/** A message of the file, without redundant fields. */
function published({ roundInVanity: _, prevHash: __, ...message }: Published): Published {
  const isVote = message.kind !== "preprepare";
  return {
    ...message,
    ...(isVote && { digest: message.digest ?? null }),
    ...(message.kind === "commit" && { seal: message.seal ?? "right" }),
  };
}

function decided(effect: Effect<Published>): Published[] {
  if (effect.do !== "decide") return [];
  return [{ proposal: effect.proposal.digest, round: effect.round, sealsOf: effect.sealsOf.map(placeOf) }];
}
