import type { Scene } from "../scene.ts";
import { byzantine } from "./byzantine.ts";
import { transactions } from "./every-type.ts";
import { figures } from "./figures.ts";
import { follow } from "./follow.ts";
import { liars } from "./liars.ts";
import { links } from "./links.ts";
import { mesh } from "./mesh.ts";
import { relay } from "./relay.ts";
import { sidecars } from "./sidecars.ts";
import { standstill, together, validators } from "./validators.ts";

/** All scenes, by letter. */
export const SCENES: readonly Scene[] = [
  follow,
  relay,
  transactions,
  sidecars,
  mesh,
  liars,
  figures,
  together,
  validators,
  standstill,
  links,
  byzantine,
];
