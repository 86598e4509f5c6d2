import type { Scene } from "../scene.ts";
import { transactions } from "./every-type.ts";
import { figures } from "./figures.ts";
import { follow } from "./follow.ts";
import { liars } from "./liars.ts";
import { mesh } from "./mesh.ts";
import { relay } from "./relay.ts";

/** All scenes, by their letters. */
export const SCENES: readonly Scene[] = [follow, relay, transactions, mesh, liars, figures];
