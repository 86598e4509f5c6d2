// `npm run test:cluster`: the change log over a real PostgreSQL. Without one it is skipped with a message.
import { parseDatabaseUrl } from "../../src/network/cluster/postgres/database-url.ts";
import { PostgresChangeLog } from "../../src/network/cluster/postgres/postgres-change-log.ts";
import { CHANGE_LOG_RULES } from "./change-log.ts";
import { SCENES, SHORT } from "./scenes/all.ts";
import { chaos } from "./scenes/chaos.ts";
import { findPostgres, HOW_TO_INSTALL, Postgres } from "./servers/postgres.ts";

// `-- --only TEXT` runs the rules and scenes whose name contains it, `-- --short` the rules and a few scenes, `-- --long BLOCKS` kills
// nodes and database at random for that many blocks, `-- --minutes N` limits its time
const option = (name: string) => process.argv[process.argv.indexOf(`--${name}`) + 1];
const only = process.argv.includes("--only") ? String(option("only")) : "";
const isShort = process.argv.includes("--short");
const longBlocks = process.argv.includes("--long") ? Number(option("long")) : undefined;
const minutes = process.argv.includes("--minutes") ? Number(option("minutes")) : 24 * 60;

const programs = findPostgres();
if (programs === undefined) {
  console.log(`test:cluster is skipped: ${HOW_TO_INSTALL}`);
  process.exit(0);
}
let failures = 0;
const postgres = await Postgres.start(programs);
try {
  if (longBlocks !== undefined)
    await check("chaos", () => chaos(programs, { blocks: longBlocks, timeMs: 60_000 * minutes }));
  else
    for (const [i, [name, rule]] of Object.entries(CHANGE_LOG_RULES).entries()) {
      if (!name.includes(only)) continue;
      const address = parseDatabaseUrl(await postgres.createDatabase(`rule_${i}`));
      const [log, other] = [new PostgresChangeLog({ address }), new PostgresChangeLog({ address })];
      await check(name, () => rule(log, other));
      await Promise.all([log.close(), other.close()]);
    }
  if (longBlocks === undefined)
    for (const [name, scene] of Object.entries(SCENES))
      if (name.includes(only) && (!isShort || SHORT.some((word) => name.includes(word))))
        await check(name, () => scene(postgres));
} finally {
  await postgres.remove();
}
console.log(failures === 0 ? "cluster: all hold" : `cluster: ${failures} do not hold`);
process.exit(failures === 0 ? 0 : 1);

async function check(name: string, action: () => Promise<unknown>): Promise<void> {
  const begun = Date.now();
  try {
    const told = await action();
    console.log(`ok    ${name} (${Date.now() - begun} ms)${told ? `: ${told}` : ""}`);
  } catch (error) {
    failures++;
    console.error(`FAIL  ${name}`, error);
  }
}
