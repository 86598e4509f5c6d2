import type { Scene } from "../scene.ts";
import { agree, expectThat, LONG_CHAIN, reaches } from "../stage.ts";

/** An endpoint syncs only through another endpoint. */
export const relay: Scene = {
  id: "b",
  title: "an endpoint syncs and follows only through one of ours",
  casts: [
    { cn: "kairn", relay: "kairn", last: "kairn" },
    { cn: "kairn", relay: "kairn", last: "go" },
    { cn: "go", relay: "kairn", last: "go" },
  ],
  async play(stage, { cn: cnKind = "kairn", last: lastKind = "kairn" }) {
    const cn = await stage.start({ kind: cnKind, role: "cn", name: "cn", chain: LONG_CHAIN });
    const middle = await stage.start({ kind: "kairn", role: "en", name: "relay", peers: [cn.url] });
    const height = await cn.height();
    await reaches(middle, height);
    const began = performance.now();
    const last = await stage.start({ kind: lastKind, role: "en", name: "last", peers: [middle.url] });
    await reaches(last, height);
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    const next = (await cn.height()) + 3;
    await reaches(last, next);
    await agree([cn, middle, last], [1, 107, 2_599, height, next]);
    expectThat((await last.call("net_peerCount")) === "0x1", "it has other peers");
    return `${height} blocks ${seconds} s after launch, then ${next - height} more`;
  },
};
