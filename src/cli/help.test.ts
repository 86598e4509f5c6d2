import { describe, expect, it } from "vitest";
import { devNodeOptions, nodeOptions } from "../node/options/index.ts";
import type { OptionSet } from "../platform/config/option.ts";
import { command } from "./command.ts";
import { COMMANDS } from "./commands/index.ts";
import init from "./commands/init.ts";
import { generalOptions } from "./general-options.ts";
import { commandHelp, overview } from "./help.ts";

const flagsIn = (text: string) => [...text.matchAll(/^ {2}--([^ \n]+)/gm)].map(([, flag]) => flag);

function sectionsOf(options: OptionSet): ReadonlyMap<string, readonly (string | undefined)[]> {
  const run = () => Promise.resolve(0);
  const help = commandHelp("word", command({ usage: "", summary: "Does.", options, run }), {});
  const sections = help.split("\n\n").slice(2);
  return new Map(sections.map((text) => [text.slice(0, text.indexOf(":\n")), flagsIn(text)]));
}

describe.each([
  ["development", devNodeOptions],
  ["other", nodeOptions],
])("help of the options of a %s node", (_, options: OptionSet) => {
  const sections = sectionsOf(options);

  it("shows ten common flags first", () => {
    const [[title, flags] = []] = sections;
    expect(title).toBe("Common flags");
    expect(flags).toHaveLength(10);
    expect(flags).toEqual(expect.arrayContaining(["datadir", "rpcport", "verbosity"]));
  });

  it("shows each flag once, in a group", () => {
    const shown = [...sections.values()].flat();
    expect([...shown].sort()).toEqual(
      Object.values(options)
        .map(({ flag }) => flag)
        .sort(),
    );
    expect(sections.has("Other flags")).toBe(false);
    for (const title of ["API", "Keys and accounts", "Network", "Transaction pool", "Logs and metrics"])
      expect(sections.get(title)?.length).toBeGreaterThan(0);
  });
});

it("shows the flags of every command last, even if no other flag is outside the groups", () => {
  const run = () => Promise.resolve(0);
  const wide = command({ usage: "", summary: "Does.", options: nodeOptions, run });
  const [, last = ""] = commandHelp("word", wide, { config: generalOptions.config }).split(
    "\n\nOther flags:\n",
  );
  expect(flagsIn(last)).toEqual(["config"]);
});

it("shows few flags as one list, those of every command last", () => {
  const text = commandHelp("init", init, { everywhere: nodeOptions.rewardbase });
  expect(text).toContain("\n\nUsage: kairn init [GENESIS.json] [flags]\n\nFlags:\n");
  expect(text).not.toContain("Common flags");
  expect(flagsIn(text).at(-1)).toBe("rewardbase");
});

it("lists the commands in two columns, as close as the longest name allows", () => {
  const columns = Object.values(COMMANDS).map(({ summary }) => {
    const line = overview()
      .split("\n")
      .find((text) => text.endsWith(summary));
    return line?.indexOf(summary);
  });
  const longest = Math.max(...Object.keys(COMMANDS).map(({ length }) => length));
  expect(new Set(columns)).toEqual(new Set([2 + longest + 2]));
});

it("names every command", () => {
  for (const [name, { summary }] of Object.entries(COMMANDS))
    expect(overview()).toMatch(new RegExp(`^ {2}${name} +${summary.replaceAll(".", "\\.")}$`, "m"));
});
