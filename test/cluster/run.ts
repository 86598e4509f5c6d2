// `npm run test:cluster`: the change log over a real PostgreSQL. Without one it is skipped with a word.
import { parseDatabaseUrl } from "../../src/network/cluster/postgres/database-url.ts";
import { PostgresChangeLog } from "../../src/network/cluster/postgres/postgres-change-log.ts";
import { CHANGE_LOG_RULES } from "./change-log.ts";
import { findPostgres, HOW_TO_INSTALL, Postgres } from "./postgres.ts";

const programs = findPostgres();
if (programs === undefined) {
  console.log(`test:cluster is skipped: ${HOW_TO_INSTALL}`);
  process.exit(0);
}
let failures = 0;
const postgres = await Postgres.start(programs);
try {
  for (const [i, [name, rule]] of Object.entries(CHANGE_LOG_RULES).entries()) {
    const address = parseDatabaseUrl(await postgres.createDatabase(`rule_${i}`));
    const [log, other] = [new PostgresChangeLog({ address }), new PostgresChangeLog({ address })];
    await check(name, () => rule(log, other));
    await Promise.all([log.close(), other.close()]);
  }
} finally {
  await postgres.remove();
}
console.log(failures === 0 ? "cluster: all hold" : `cluster: ${failures} do not hold`);
process.exit(failures === 0 ? 0 : 1);

async function check(name: string, action: () => Promise<void>): Promise<void> {
  const begun = Date.now();
  try {
    await action();
    console.log(`ok    ${name} (${Date.now() - begun} ms)`);
  } catch (error) {
    failures++;
    console.error(`FAIL  ${name}`, error);
  }
}
