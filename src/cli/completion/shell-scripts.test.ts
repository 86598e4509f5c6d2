import { expect, it } from "vitest";
import type { DescribedCommand } from "./described-commands.ts";
import { completionScript } from "./shell-scripts.ts";

const flag = (name: string, value: DescribedCommand["flags"][number]["value"], doc = "Does.") => ({
  ...{ names: [name, `${name}2`], doc, placeholder: "X", value },
});
const commands: readonly DescribedCommand[] = [
  {
    ...{ name: "run", usage: "", summary: "Runs a node's chain." },
    flags: [
      flag("on", { kind: "nothing" }, "Is [on]: yes."),
      flag("dir", { kind: "file" }),
      flag("mode", { kind: "words", words: ["a", "b"] }),
      flag("text", { kind: "text" }, "Path \\ it's."),
    ],
  },
];

it("a bash script completes each flag's values under all its names", () => {
  const script = completionScript("bash", commands);
  expect(script).toContain("compgen -W 'run help' -- ");
  expect(script).toContain(
    `"run --mode"|"run --mode2") mapfile -t COMPREPLY < <(compgen -W 'a b' -- "$cur")`,
  );
  expect(script).toContain(`"run --text"|"run --text2") mapfile -t COMPREPLY < <(compgen -W '' -- "$cur")`);
  expect(script).not.toMatch(/"run --(on|dir)"/);
  expect(script).toContain("    run) flags='--on --dir --mode --text' ;;");
});

it("a zsh script has the kind of value of each flag, with special characters escaped", () => {
  expect(completionScript("zsh", commands)).toContain(
    [
      "    'run:Runs a node'\\''s chain.'",
      "  )",
      "  if (( CURRENT == 2 )); then",
      "    _describe command commands",
      "  else",
      "    case $words[2] in",
      "      help) _describe command commands ;;",
      "      run)",
      "        _arguments '--on[Is (on)\\: yes.]' \\",
      "        '--dir[Does.]:path:_files' \\",
      "        '--mode[Does.]:value:(a b)' \\",
      "        '--text[Path \\ it'\\''s.]:value: ' '*:file:_files' ;;",
    ].join("\n"),
  );
});

it("a fish script has a line for each flag", () => {
  const after = "complete -c kairn -n '__fish_seen_subcommand_from run' -l";
  expect(completionScript("fish", commands).split("\n").slice(1)).toEqual([
    "complete -c kairn -f -n __fish_use_subcommand -a run -d 'Runs a node\\'s chain.'",
    `${after} on -d 'Is [on]: yes.'`,
    `${after} dir -r -F -d 'Does.'`,
    `${after} mode -x -a 'a b' -d 'Does.'`,
    `${after} text -x -d 'Path \\\\ it\\'s.'`,
    "",
  ]);
});
