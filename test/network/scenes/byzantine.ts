import { LIES, type Lie, startLiar } from "../liar-validator.ts";
import type { NetworkNode } from "../node.ts";
import type { Cast, Scene } from "../scene.ts";
import { agree, eventually, expectThat, reaches, type Stage } from "../stage.ts";
import { BFT_GENESIS, BFT_KEYS, heightOf, startValidators } from "../validators.ts";

/** Maximum delay in seconds by each kind of lie: a round times out after 10, an invalid proposal ends it at once. */
const MAX_SECONDS: Readonly<Record<Lie, number>> = {
  silence: 20,
  "two proposals": 20,
  "state root": 9,
  "transactions root": 9,
  seal: 9,
  reveal: 9,
  time: 20,
  "false votes": 9,
};

/** One of four validators lies in every way; the others continue. */
export const byzantine: Scene = {
  id: "i",
  title: "one of four validators lies",
  casts: [
    { v1: "kairn", v2: "kairn", v3: "kairn" },
    { v1: "go", v2: "go", v3: "go" },
    { v1: "kairn", v2: "kairn", v3: "go" },
    { v1: "kairn", v2: "go", v3: "go" },
  ],
  genesisFile: BFT_GENESIS,
  async play(stage: Stage, cast: Cast) {
    const nodes = await startValidators(stage, cast);
    const liar = await startLiar(
      BFT_KEYS[3] as string,
      nodes.map(({ url }) => url),
    );
    const told: string[] = [];
    const gaps = watchGaps(nodes);
    try {
      await eventually(
        "a first block",
        () => heightOf(nodes),
        (height) => height >= 1,
      );
      for (const lie of LIES) {
        liar.lie(lie);
        gaps.take();
        await eventually(
          `a turn with ${lie}`,
          async () => liar.turns,
          (turns) => turns >= 1,
        );
        liar.lie(undefined);
        const to = await heightOf(nodes);
        await eventually(
          "the next block",
          () => heightOf(nodes),
          (height) => height > to,
        );
        const gap = gaps.take();
        told.push(`${lie} ${gap} s`);
        const max = Object.values(cast).includes("go") ? 20 : MAX_SECONDS[lie];
        expectThat(gap <= max, `${lie} delayed the others by ${gap} s`);
      }
      const height = await heightOf(nodes);
      for (const node of nodes) await reaches(node, height);
      await agree(nodes, [1, Math.floor(height / 2), height]);
    } finally {
      gaps.stop();
      await liar.stop();
    }
    return `longest time between two blocks: ${told.join(", ")}`;
  },
};

/** Measures the time between blocks, by this machine's clock. */
function watchGaps(nodes: readonly NetworkNode[]) {
  let height = 0;
  let sinceMs = performance.now();
  let longestMs = 0;
  const look = async (): Promise<void> => {
    const now = await heightOf(nodes);
    longestMs = Math.max(longestMs, performance.now() - sinceMs);
    if (now > height) [height, sinceMs] = [now, performance.now()];
  };
  const timer = setInterval(() => void look().catch(() => {}), 200);
  return {
    /** Longest gap since the last call, in seconds. */
    take(): number {
      const seconds = Math.round(longestMs / 100) / 10;
      longestMs = 0;
      return seconds;
    },
    stop: () => clearInterval(timer),
  };
}
