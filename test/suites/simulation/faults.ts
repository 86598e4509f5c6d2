import type { World } from "./world.ts";

/** When faults begin, and when all of them end, in milliseconds: a minute later. */
const FAULTS_FROM_MS = 5000;
/** When all faults end. */
export const FAULTS_UNTIL_MS = 65_000;
/** How long one state of the links lasts. */
const SPAN_MS = [1500, 6000] as const;

type Fault = (world: World) => string;

/** What happens to links and validators. */
const FAULTS: readonly Fault[] = [
  part,
  isolate,
  deafen,
  lose,
  muffle,
  slow,
  double,
  crashSome,
  crashAll,
  doomSome,
];

/** Lets faults come and go for a minute: of some kinds only, so that what one kind brings about others do not end. */
export function plan(world: World): void {
  const { queue, random } = world;
  const kinds = FAULTS.filter(() => random.chance(0.4));
  const calmness = random.next() * 0.5;
  const change = (): void => {
    if (queue.now >= FAULTS_UNTIL_MS) return;
    world.links.heal();
    const names: string[] = [];
    if (kinds.length > 0 && !random.chance(calmness)) names.push(random.pick(kinds)(world));
    if (kinds.length > 0 && random.chance(0.3)) names.push(random.pick(kinds)(world));
    world.history.fault(queue.now, names.join(", "));
    queue.after(between(world, SPAN_MS), change);
  };
  queue.after(FAULTS_FROM_MS, change);
}

/** Two sides that do not hear one another. */
function part(world: World): string {
  const isLeft = world.validators.map(() => world.random.chance(0.5));
  cutWhere(world, (from, to) => isLeft[from] !== isLeft[to]);
  return "parted";
}

/** One that is cut off. */
function isolate(world: World): string {
  const alone = world.random.below(world.validators.length);
  cutWhere(world, (from, to) => from === alone || to === alone);
  return "one alone";
}

/** Single directions of single links are cut. */
function deafen(world: World): string {
  const share = 0.1 + 0.4 * world.random.next();
  cutWhere(world, () => world.random.chance(share));
  return "links deaf";
}

function lose(world: World): string {
  const share = 0.1 + 0.5 * world.random.next();
  world.links.lose(share);
  return `${Math.round(100 * share)} % lost`;
}

/** Most of what is said in one phase gets lost: some have prepared a block then, or decided it, and others have not. */
function muffle(world: World): string {
  const kind = world.random.pick(["preprepare", "prepare", "commit", "commit", "roundChange"] as const);
  world.links.muffle(kind, 0.5 + 0.4 * world.random.next());
  return `${kind} lost`;
}

function slow(world: World): string {
  const longest = 200 + world.random.below(8000);
  world.links.delay(longest);
  return `up to ${(longest / 1000).toFixed(1)} s late`;
}

function double(world: World): string {
  world.links.double(0.5);
  return "doubled";
}

function crashSome(world: World): string {
  const max = Math.max(1, Math.floor(world.validators.length / 3));
  const count = 1 + world.random.below(max);
  for (let i = 0; i < count; i++) world.crash(world.random.pick(world.validators));
  return "crashes";
}

/** As when the disk stops while it writes a vote. */
function doomSome(world: World): string {
  for (const validator of world.validators) if (world.random.chance(0.5)) validator.doom();
  return "crashes while writing";
}

/** As when the power fails everywhere. */
function crashAll(world: World): string {
  for (const validator of world.validators) world.crash(validator);
  return "all down";
}

function cutWhere(world: World, isCut: (from: number, to: number) => boolean): void {
  const ids = world.validators.map(({ id }) => id);
  for (const from of ids) for (const to of ids) if (from !== to && isCut(from, to)) world.links.cut(from, to);
}

function between({ random }: World, [min, max]: readonly [number, number]): number {
  return min + random.next() * (max - min);
}
