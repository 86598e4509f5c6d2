import type { NetworkNode } from "../node.ts";
import type { Cast, Scene } from "../scene.ts";
import { agree, expectThat, reaches, type Stage } from "../stage.ts";
import { BFT_GENESIS, heightOf, meetAll, proposersOf, startValidators } from "../validators.ts";

/** Four validators agree, whichever of them fails and returns. */
export const validators: Scene = {
  id: "c",
  title: "four validators, one killed, two, and back",
  casts: [
    { v1: "kairn", v2: "kairn", v3: "kairn", v4: "kairn" },
    { v1: "kairn", v2: "go", v3: "go", v4: "go" },
    { v1: "kairn", v2: "kairn", v3: "go", v4: "go" },
    { v1: "kairn", v2: "kairn", v3: "kairn", v4: "go" },
  ],
  genesisFile: BFT_GENESIS,
  async play(stage: Stage, cast: Cast) {
    const nodes = await startValidators(stage, cast);
    const firstMs = performance.now();
    await reaches(nodes[0] as NetworkNode, 1);
    const toFirst = performance.now() - firstMs;
    const start = await heightOf(nodes);
    for (const node of nodes) await reaches(node, start + 8);
    await agree(nodes, [1, start, start + 8]);
    const victim = nodes[0] as NetworkNode;
    await victim.kill();
    const others = nodes.slice(1);
    const yieldedMs = performance.now();
    const before = await heightOf(others);
    await reaches(others[0] as NetworkNode, before + 5);
    const without = performance.now() - yieldedMs;
    const backMs = performance.now();
    const again = await stage.restart(victim);
    await meetAll([again, ...others]);
    await reaches(again, await heightOf(others));
    const back = performance.now() - backMs;
    const next = (await heightOf(others)) + 3;
    for (const node of [again, ...others]) await reaches(node, next);
    await agree([again, ...others], [before, before + 5, next]);
    const proposers = await proposersOf(again, 1, next);
    expectThat(proposers.size === 4, `only ${proposers.size} of four have proposed in ${next} blocks`);
    const seconds = (ms: number) => (ms / 1_000).toFixed(1);
    return `block 1 after ${seconds(toFirst)} s, five blocks without one in ${seconds(without)} s, it is back in ${seconds(back)} s`;
  },
};

/** Four validators take turns proposing. */
export const together: Scene = {
  id: "c1",
  title: "four validators seal blocks",
  casts: [{ v1: "kairn", v2: "kairn", v3: "kairn", v4: "kairn" }],
  isShort: true,
  genesisFile: BFT_GENESIS,
  async play(stage: Stage, cast: Cast) {
    const nodes = await startValidators(stage, cast);
    for (const node of nodes) await reaches(node, 6);
    await agree(nodes, [1, 3, 6]);
    const proposers = await proposersOf(nodes[0] as NetworkNode, 1, 6);
    expectThat(proposers.size > 1, "one validator has proposed all blocks");
    return `six blocks by ${proposers.size} of them`;
  },
};

/** Two of four are not enough, and a third is. */
export const standstill: Scene = {
  id: "c2",
  title: "two of four killed, one back",
  casts: [
    { v1: "kairn", v2: "kairn", v3: "kairn", v4: "kairn" },
    { v1: "kairn", v2: "kairn", v3: "kairn", v4: "go" },
  ],
  genesisFile: BFT_GENESIS,
  async play(stage: Stage, cast: Cast) {
    const nodes = await startValidators(stage, cast);
    for (const node of nodes) await reaches(node, 3);
    const [first, second, ...others] = nodes as [NetworkNode, NetworkNode, ...NetworkNode[]];
    await Promise.all([first.kill(), second.kill()]);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const stopped = await heightOf(others);
    await new Promise((resolve) => setTimeout(resolve, 4_000));
    expectThat((await heightOf(others)) === stopped, "two of four have sealed a block");
    const backMs = performance.now();
    const again = await stage.restart(first);
    await meetAll([again, ...others]);
    for (const node of [again, ...others]) await reaches(node, stopped + 1);
    const seconds = ((performance.now() - backMs) / 1_000).toFixed(1);
    await agree([again, ...others], [stopped, stopped + 1]);
    return `no block with two, the next one ${seconds} s after the third was started`;
  },
};
