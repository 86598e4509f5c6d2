// The software bill of materials in dist/: the run-time packages by version, licence and hash (CycloneDX 1.5). It is derived from
// the lock file alone, without network or time of day, so that two builds are identical.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "./lib.mjs";
import { runtimePackages } from "./lock-files.mjs";

/** The bill of materials, as JSON. */
export function sbom() {
  const { name, version, description, license } = JSON.parse(
    readFileSync(join(root, "package.json"), "utf8"),
  );
  const bill = {
    bomFormat: "CycloneDX",
    specVersion: "1.5",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": refOf({ name, version }),
        name,
        version,
        description,
        licenses: licensesOf(license),
      },
    },
    components: runtimePackages()
      .map(component)
      .sort((a, b) => (a["bom-ref"] < b["bom-ref"] ? -1 : 1)),
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

function component(entry) {
  const { name, version, license, integrity, optional } = entry;
  const hashes = /^sha512-(.+)$/.exec(integrity ?? "");
  return {
    type: "library",
    "bom-ref": refOf(entry),
    name,
    version,
    scope: optional ? "optional" : "required",
    ...(hashes && {
      hashes: [{ alg: "SHA-512", content: Buffer.from(hashes[1], "base64").toString("hex") }],
    }),
    licenses: licensesOf(license),
    purl: refOf(entry),
  };
}

function licensesOf(license) {
  return license.includes(" OR ") ? [{ expression: license }] : [{ license: { id: license } }];
}

function refOf({ name, version }) {
  return `pkg:npm/${name.replace("@", "%40")}@${version}`;
}
