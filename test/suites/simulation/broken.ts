import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Setting } from "./setting.ts";

const MACHINE = fileURLToPath(new URL("../../../src/network/consensus/istanbul/machine", import.meta.url));

/** A bug injected into validators, to check that the simulation finds it. */
export interface Broken {
  readonly name: string;
  /** Text in `machine.ts`, and its replacement. */
  readonly edit?: readonly [string, string];
  /** Other changed settings. */
  readonly setting?: Partial<Setting>;
}

/** All bugs; each must be found. */
export const BROKEN: readonly Broken[] = [
  { name: "quorum-minus-one", setting: { missingVotes: 1 } },
  { name: "no-journal", setting: { conduct: { forgets: true } } },
  { name: "journal-after-sending", setting: { conduct: { sendsFirst: true } } },
  { name: "votes-unjudged", setting: { conduct: { judgesVotes: false } } },
  {
    name: "lock-forgotten-at-round-change",
    edit: [
      "newRound({ sequence, round }, this.#isLocked ? locked : undefined, pending)",
      "newRound({ sequence, round }, undefined, pending)",
    ],
  },
  {
    name: "lock-forgotten-at-restart",
    edit: ["isResumed ? resume.lock : undefined", "undefined"],
  },
  {
    name: "commit-without-prepares",
    edit: ["if (!isLockedOnIt && votes < this.#committee.quorum) return;", ""],
  },
  {
    name: "any-proposer",
    edit: [
      'if (this.#committee.proposer !== message.from) return "message does not come from proposer";',
      "",
    ],
  },
  {
    name: "any-voter",
    edit: ['if (!this.#committee.members.has(from)) return "message does not come from a committee";', ""],
    setting: { validators: 10, committee: 4 },
  },
  {
    name: "any-digest",
    edit: ["proposal === undefined || digest !== proposal.digest", "proposal === undefined"],
  },
  {
    name: "invalid-proposals-taken",
    edit: ['if (verdict !== "valid") {', 'if (verdict !== "valid" && verdict.invalid === "") {'],
  },
  {
    name: "locked-on-failed-block",
    edit: ["locked !== undefined && !this.#facts.isBad(locked.digest)", "locked !== undefined"],
    setting: { conduct: { executes: false } },
  },
  { name: "proposals-unexecuted", setting: { validators: 7, conduct: { executes: false } } },
  {
    name: "other-proposal-taken-when-locked",
    edit: [
      "    if (!this.#isLocked) {\n      this.#round.proposal",
      "    if (proposal.number > 0) {\n      this.#round.proposal",
    ],
  },
  {
    name: "votes-kept-across-rounds",
    edit: [
      "this.#round = newRound({ sequence, round }, this.#isLocked ? locked : undefined, pending);",
      "this.#round = { ...newRound({ sequence, round }, this.#isLocked ? locked : undefined, pending), prepares: " +
        "this.#round.prepares, commits: this.#round.commits };",
    ],
  },
  {
    name: "no-timer-in-later-rounds",
    edit: ['this.#startTimer();\n    this.#send({ kind: "roundChange"', 'this.#send({ kind: "roundChange"'],
  },
  {
    name: "round-never-begun",
    edit: [
      "if (votes === quorum && (this.#isAwaitingRoundChange || isLater)) this.#startRound(round);\n    else if",
      "if",
    ],
  },
  {
    name: "no-backlog",
    edit: ["if (refused === FUTURE) this.#backlog.add(received, this.#round);", ""],
  },
  {
    name: "locked-block-not-proposed-again",
    edit: ["const block = this.#isLocked ? proposal : pending.block;", "const block = pending.block;"],
  },
  {
    name: "old-proposals-affirmed",
    edit: ["if (!isRight || !this.#facts.isOnChain(proposal)) return OLD;", "if (!isRight) return OLD;"],
  },
  {
    name: "prepares-count-as-commits",
    edit: ['(kind === "prepare" ? prepares : commits).add(from);', "commits.add(from);"],
  },
];

/**
 * The settings of a world whose validators have a bug.
 * @throws Error if the changed text is not in the machine, or occurs twice
 */
export async function settingOf({ name, edit, setting = {} }: Broken): Promise<Partial<Setting>> {
  if (edit === undefined) return setting;
  const folder = mkdtempSync(join(tmpdir(), "broken-machine-"));
  try {
    cpSync(MACHINE, folder, { recursive: true });
    writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
    const path = join(folder, "machine.ts");
    const parts = readFileSync(path, "utf8").split(edit[0]);
    if (parts.length !== 2)
      throw new Error(`${name}: ${parts.length - 1} places in machine.ts have ${edit[0]}`);
    writeFileSync(path, parts.join(edit[1]));
    const { IstanbulMachine } = await import(pathToFileURL(path).href);
    return { ...setting, conduct: { ...setting.conduct, machine: IstanbulMachine } };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
