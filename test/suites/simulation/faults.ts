import type { World } from "./world.ts";

/** When faults begin, and when all of them end, in milliseconds: a minute later. */
const FAULTS_FROM_MS = 5000;
/** When all faults end. */
export const FAULTS_UNTIL_MS = 65_000;
/** How long one state of the links lasts. */
const SPAN_MS = [1500, 6000] as const;
/** How long a validator stays down. */
const DOWN_MS = [100, 10_000] as const;

type Fault = (world: World) => string;

/** What happens to links and validators; the more often something stands here, the more often it comes. */
const FAULTS: readonly Fault[] = [
  () => "none",
  part,
  part,
  isolate,
  deafen,
  lose,
  lose,
  slow,
  double,
  crashSome,
  crashSome,
  crashAll,
];

/** Lets faults come and go for a minute. */
export function plan(world: World): void {
  const { queue, random } = world;
  const change = (): void => {
    if (queue.now >= FAULTS_UNTIL_MS) return;
    world.links.heal();
    const names = [random.pick(FAULTS)(world)];
    if (random.chance(0.4)) names.push(random.pick(FAULTS)(world));
    world.history.fault(queue.now, names.filter((name) => name !== "none").join(", "));
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
  const most = Math.max(1, Math.floor(world.validators.length / 3));
  const count = 1 + world.random.below(most);
  for (let i = 0; i < count; i++) crash(world, world.random.below(world.validators.length));
  return "crashes";
}

/** As when the power fails everywhere. */
function crashAll(world: World): string {
  for (const { id } of world.validators) crash(world, id);
  return "all down";
}

function crash(world: World, id: number): void {
  const validator = world.validators[id];
  if (validator === undefined || !validator.isUp) return;
  validator.crash();
  const { epoch } = validator;
  world.queue.after(between(world, DOWN_MS), () => {
    if (validator.epoch === epoch) validator.boot();
  });
}

function cutWhere(world: World, isCut: (from: number, to: number) => boolean): void {
  const ids = world.validators.map(({ id }) => id);
  for (const from of ids) for (const to of ids) if (from !== to && isCut(from, to)) world.links.cut(from, to);
}

function between({ random }: World, [least, most]: readonly [number, number]): number {
  return least + random.next() * (most - least);
}
