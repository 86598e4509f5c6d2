import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";

const ROOT = new URL("../../../../", import.meta.url);

/** What CockroachDB, YugabyteDB or Aurora lack, do differently, or do slowly; see decision 0026. */
const FOREIGN: Readonly<Record<string, RegExp>> = {
  "telling other sessions": /\b(LISTEN|UNLISTEN|NOTIFY|pg_notify)\b/,
  "advisory locks": /advisory/i,
  "locks of tables": /\bLOCK\s+(TABLE\s+)?\w+\s+IN\b/i,
  sequences:
    /\b(SEQUENCE|nextval|currval|SMALLSERIAL|SERIAL|BIGSERIAL|GENERATED\s+(ALWAYS|BY\s+DEFAULT)\s+AS\s+IDENTITY)\b/i,
  extensions: /\b(CREATE\s+EXTENSION|LOAD\s+')/i,
  "code in the database": /\bCREATE\s+(OR\s+REPLACE\s+)?(FUNCTION|PROCEDURE|TRIGGER|RULE)\b|\bDO\s+\$/i,
  "declared partitions and inheritance": /\bPARTITION\s+(BY|OF)\b|\bINHERITS\b/i,
  "replication and cursors": /\b(PUBLICATION|SUBSCRIPTION|REPLICATION|DECLARE\s+\w+\s+CURSOR)\b/i,
  "places of rows": /\b(ctid|xmin|oid::|regclass)\b/,
  "tables of its own": /\bpg_(stat|locks|class|catalog|settings|database|replication)\w*/,
  "large objects and copying": /\b(lo_import|lo_export|COPY\s+\w+\s+(FROM|TO))\b/,
};

/** The statements of a file: a script as a whole, of a program the texts in quotes that have words of SQL. */
function statementsOf(path: string): string {
  const text = readFileSync(new URL(path, ROOT), "utf8");
  if (path.endsWith(".sql")) return text.replace(/--.*$/gm, "");
  const code = text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");
  const quoted = code.match(/`[^`]*`|"[^"\n]*"/g) ?? [];
  return quoted
    .filter((each) => /\b(SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|WITH|FROM|WHERE|SET)\b/.test(each))
    .join("\n");
}

function programsOf(folder: string): string[] {
  return readdirSync(new URL(folder, ROOT), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .map((name) => `${folder}${name}`);
}

const SCRIPTS = readdirSync(new URL("ops/sql/", ROOT))
  .filter((name) => /^\d{4}-/.test(name))
  .map((name) => `ops/sql/${name}`);

describe("the SQL of the change log and of the tables of blocks", () => {
  it.each([...SCRIPTS, ...programsOf("src/network/cluster/"), ...programsOf("src/api/sql/")])(
    "is of the subset that all speak, in %s",
    (path) => {
      const text = statementsOf(path);
      for (const [name, pattern] of Object.entries(FOREIGN)) expect(text, name).not.toMatch(pattern);
    },
  );

  it("is really checked: the statements are found, and foreign keywords would be", () => {
    const log = statementsOf("src/network/cluster/postgres/postgres-change-log.ts");
    for (const word of ["INSERT INTO", "UPDATE lease", "SELECT"]) expect(log).toContain(word);
    expect(SCRIPTS.length).toBeGreaterThan(1);
    const samples = [
      "LISTEN blocks",
      "SELECT pg_advisory_lock(1)",
      "LOCK TABLE lease IN EXCLUSIVE MODE",
      "id BIGSERIAL",
      "CREATE EXTENSION pgcrypto",
      "CREATE FUNCTION f()",
      "PARTITION BY RANGE (height)",
      "CREATE PUBLICATION p",
      "SELECT ctid FROM lease",
      "SELECT 1 FROM pg_stat_activity",
      "COPY lease FROM STDIN",
    ];
    for (const [i, pattern] of Object.values(FOREIGN).entries()) expect(samples[i]).toMatch(pattern);
  });
});
