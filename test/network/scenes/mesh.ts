import type { Scene } from "../scene.ts";
import { agree, eventually, expectThat, reaches } from "../stage.ts";

/** Nodes that know only a bootnode connect to one another. */
export const mesh: Scene = {
  id: "e",
  title: "nodes that know only a bootnode find each other, and stay connected without it",
  casts: [
    { bootnode: "kairn", cn: "kairn", first: "kairn", second: "kairn" },
    { bootnode: "go", cn: "kairn", first: "kairn", second: "go" },
    { bootnode: "kairn", cn: "go", first: "go", second: "kairn" },
  ],
  isShort: true,
  async play(stage, cast) {
    const bootnode = await stage.bootnode(cast["bootnode"] ?? "kairn");
    const bootnodes = [bootnode.url];
    const began = performance.now();
    const parts = ["cn", "first", "second"] as const;
    const [cn, first, second] = await Promise.all(
      parts.map((name) =>
        stage.start({
          ...{ kind: cast[name] ?? "kairn", role: name === "cn" ? "cn" : "en", name, bootnodes },
          // Go's endpoints refuse to look for consensus nodes.
          ...(name !== "cn" && cast[name] !== "go" && { discovers: "cn,en" }),
        }),
      ),
    );
    expectThat(cn !== undefined && first !== undefined && second !== undefined, "three nodes");
    for (const node of [first, second]) {
      const wanted = node.kind === "go" ? 1 : 2;
      await eventually(
        `${node.name} has ${wanted} peers`,
        () => node.call("net_peerCount"),
        (count) => Number(count) >= wanted,
      );
      await reaches(node, 2);
    }
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    await bootnode.stop();
    const next = (await cn.height()) + 2;
    for (const node of [first, second]) await reaches(node, next);
    await agree([cn, first, second], [1, next]);
    return `connected ${seconds} s after launch`;
  },
};
