import type { NetworkNode } from "../node.ts";
import type { Cast, Scene } from "../scene.ts";
import { agree, expectThat, reaches, type Stage } from "../stage.ts";
import { BFT_GENESIS, heightOf, meetAll, part, startValidators } from "../validators.ts";

const PARTED_MS = 20_000;

/** Links between validators are cut and healed. */
export const links: Scene = {
  id: "f",
  title: "links cut into three and one, then two and two, and healed",
  casts: [
    { v1: "kairn", v2: "kairn", v3: "kairn", v4: "kairn" },
    { v1: "kairn", v2: "kairn", v3: "go", v4: "go" },
  ],
  genesisFile: BFT_GENESIS,
  async play(stage: Stage, cast: Cast) {
    const nodes = await startValidators(stage, cast);
    for (const node of nodes) await reaches(node, 3);
    const [one, two, three, four] = nodes as [NetworkNode, NetworkNode, NetworkNode, NetworkNode];
    await part([one], [two, three, four]);
    const alone = await one.height();
    await reaches(two, (await two.height()) + 3);
    expectThat((await one.height()) <= alone + 1, "an isolated validator seals blocks");
    await meetAll(nodes);
    await reaches(one, await two.height());
    await part([one, two], [three, four]);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const stopped = await heightOf(nodes);
    await new Promise((resolve) => setTimeout(resolve, PARTED_MS));
    expectThat((await heightOf(nodes)) === stopped, "half of the validators sealed a block");
    const healedMs = performance.now();
    await meetAll(nodes);
    for (const node of nodes) await reaches(node, stopped + 3);
    const seconds = ((performance.now() - healedMs) / 1_000).toFixed(1);
    await agree(nodes, [stopped, stopped + 1, stopped + 2, stopped + 3]);
    return `three continued without one; two and two: no block in ${PARTED_MS / 1_000} s, the third ${seconds} s after the healing`;
  },
};
