import type { Scene } from "../scene.ts";
import { agree, expectThat, LONG_CHAIN, reaches } from "../stage.ts";

/** An endpoint downloads thousands of blocks from a consensus node, and follows it. */
export const follow: Scene = {
  id: "a",
  title: "an endpoint syncs 2,600 blocks from a consensus node and follows",
  casts: [
    { cn: "kairn", en: "kairn" },
    { cn: "go", en: "kairn" },
  ],
  async play(stage, { cn: cnKind = "kairn", en: enKind = "kairn" }) {
    const cn = await stage.start({ kind: cnKind, role: "cn", name: "cn", chain: LONG_CHAIN });
    const height = await cn.height();
    expectThat(height >= 2_600, `the consensus node starts at ${height}`);
    const began = performance.now();
    const en = await stage.start({ kind: enKind, role: "en", name: "en", peers: [cn.url] });
    await reaches(en, height);
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    const next = (await cn.height()) + 3;
    await reaches(en, next);
    await agree([cn, en], [1, 107, 1_000, 2_599, height, next - 1, next]);
    expectThat((await en.call("kaia_syncing")) === false, "it still reports syncing");
    return `${height} blocks ${seconds} s after launch, then ${next - height} more`;
  },
};
