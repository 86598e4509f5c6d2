// Checks the project's lock files: every package has a hash, none names a host; run-time dependencies stay within limits.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./lib.mjs";

export const LOCK_FILES = [
  "package-lock.json",
  "test/e2e/package-lock.json",
  ".ci/package/package-lock.json",
  "examples/package-lock.json",
  "examples/hardhat/package-lock.json",
  "examples/hardhat/node-22/package-lock.json",
  "examples/foundry/package-lock.json",
];
const LICENCES = new Set(["MIT", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "ISC", "MPL-2.0"]);
const MAX = { direct: 25, total: 80 };
const read = (file) => readFileSync(join(root, file), "utf8");

/** Problems of the lock files, one per line. */
export function lockProblems() {
  return [...LOCK_FILES.flatMap(hashProblems), ...runtimeProblems()];
}

/**
 * The packages that a user of the program installs, on any platform: `{ name, version, licence, integrity, … }`. Packages under
 * another's name are entries for which the registry gives no hash, and are installed nowhere (docs/dependencies.md).
 */
export function runtimePackages() {
  return packagesOf("package-lock.json").filter(({ dev, path, name }) => !dev && path.endsWith(name));
}

function packagesOf(file) {
  return Object.entries(JSON.parse(read(file)).packages)
    .filter(([path]) => path.includes("node_modules/"))
    .map(([path, entry]) => ({ path, name: entry.name ?? path.split("node_modules/").at(-1), ...entry }));
}

function hashProblems(file) {
  const problems = /"resolved": "(?!file:)[a-z+]+:/.test(read(file)) ? [`${file} names a host`] : [];
  for (const { name, version, integrity, link, resolved } of packagesOf(file)) {
    const isOurs = version === undefined || link || resolved?.startsWith("file:");
    if (!isOurs && !/^sha(512|384)-/.test(integrity ?? ""))
      problems.push(`${file}: ${name}@${version} has no integrity`);
  }
  return problems;
}

function runtimeProblems() {
  const { dependencies, optionalDependencies } = JSON.parse(read("package.json"));
  const direct = Object.keys({ ...dependencies, ...optionalDependencies });
  const packages = runtimePackages();
  const problems = [];
  if (direct.length > MAX.direct)
    problems.push(`${direct.length} direct dependencies, more than ${MAX.direct}`);
  if (packages.length > MAX.total)
    problems.push(`${packages.length} run-time packages, more than ${MAX.total}`);
  const ranged = direct.filter(
    (name) => !/^\d+\.\d+\.\d+$/.test({ ...dependencies, ...optionalDependencies }[name]),
  );
  for (const name of ranged) problems.push(`${name} is not pinned to a version`);
  const table = documented();
  for (const { name, license = "" } of packages) {
    const said = table.find(({ pattern }) => pattern.test(name));
    if (
      !license
        .replace(/[()]/g, "")
        .split(" OR ")
        .some((one) => LICENCES.has(one))
    )
      problems.push(`${name}: ${license || "no licence"} is not allowed`);
    if (said === undefined) problems.push(`docs/dependencies.md does not name ${name}`);
    else if (said.licence !== license)
      problems.push(`docs/dependencies.md: ${name} is ${license}, not ${said.licence}`);
  }
  for (const { text, pattern } of table)
    if (!packages.some(({ name }) => pattern.test(name)))
      problems.push(`docs/dependencies.md: ${text} is not installed`);
  return problems;
}

/** The rows of the table: names, with `*` for the platforms of a binary, and the licence in the last column. */
function documented() {
  const file = "docs/dependencies.md";
  if (!existsSync(join(root, file))) return [];
  return [...read(file).matchAll(/^\| (`[^|]+) \|.*\| ([^|]+) \|$/gm)].flatMap(([, names, licence]) =>
    [...names.matchAll(/`([^`]+)`/g)].map(([, text]) => ({
      text,
      licence: licence.trim(),
      pattern: new RegExp(`^${text.replace(/[.]/g, "\\.").replace("*", "[a-z0-9-]+")}$`),
    })),
  );
}
