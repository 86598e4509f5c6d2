import type { World } from "./world.ts";

/** When faults start, in milliseconds. */
const FAULTS_FROM_MS = 5000;
/** When all faults end. */
export const FAULTS_UNTIL_MS = 65_000;
/** How long one state of the links lasts. */
const SPAN_MS = [1500, 6000] as const;

type Fault = (world: World) => string;

/** Faults of links and validators. */
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

/** Schedules faults for a minute: of some kinds only, so that the effects of one kind are not ended by another. */
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

/** A partition into two sides. */
function part(world: World): string {
  const isLeft = world.validators.map(() => world.random.chance(0.5));
  cutWhere(world, (from, to) => isLeft[from] !== isLeft[to]);
  return "parted";
}

/** One isolated validator. */
function isolate(world: World): string {
  const alone = world.random.below(world.validators.length);
  cutWhere(world, (from, to) => from === alone || to === alone);
  return "one alone";
}

/** Cuts single directions of single links. */
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

/** Loses most messages of one phase: then some have prepared or decided a block, and others have not. */
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

/** As if the disk failed while writing a vote. */
function doomSome(world: World): string {
  for (const validator of world.validators) if (world.random.chance(0.5)) validator.doom();
  return "crashes while writing";
}

/** As if the power failed everywhere. */
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
