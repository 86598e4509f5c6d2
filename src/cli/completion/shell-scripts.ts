import type { DescribedCommand, DescribedFlag } from "./described-commands.ts";

/** Supported shells. */
export const SHELLS = ["bash", "zsh", "fish"] as const;
/** A supported shell. */
export type Shell = (typeof SHELLS)[number];

/** A script that completes commands, flags and values in a shell. */
export function completionScript(shell: Shell, commands: readonly DescribedCommand[]): string {
  if (shell === "bash") return bashScript(commands);
  return shell === "zsh" ? zshScript(commands) : fishScript(commands);
}

function bashScript(commands: readonly DescribedCommand[]): string {
  const values = commands.flatMap(({ name, flags }) => flags.flatMap((flag) => bashValue(name, flag)));
  const flags = commands.map(
    (command) => `    ${command.name}) flags=${quoted(command.flags.map(longName).join(" "))} ;;`,
  );
  return `# Completion of kairn for bash: source <(kairn completion bash)
_kairn() {
  local cur=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD - 1]} word=\${COMP_WORDS[1]} flags=
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W ${quoted(namesOf(commands))} -- "$cur")
    return
  fi
  case "$word $before" in
${values.join("\n")}
    "help "*) mapfile -t COMPREPLY < <(compgen -W ${quoted(namesOf(commands))} -- "$cur"); return ;;
  esac
  case "$word" in
${flags.join("\n")}
  esac
  if [[ $cur == -* ]]; then mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$cur")
  else mapfile -t COMPREPLY < <(compgen -f -- "$cur"); fi
}
complete -o filenames -F _kairn kairn
`;
}

function bashValue(command: string, { names, value }: DescribedFlag): string[] {
  if (value.kind === "nothing" || value.kind === "file") return [];
  const when = names.map((name) => `"${command} --${name}"`).join("|");
  const words = value.kind === "words" ? value.words.join(" ") : "";
  return [`    ${when}) mapfile -t COMPREPLY < <(compgen -W ${quoted(words)} -- "$cur"); return ;;`];
}

function zshScript(commands: readonly DescribedCommand[]): string {
  const words = commands.map(({ name, summary }) => `    ${quoted(`${name}:${summary}`)}`);
  const cases = commands.map(({ name, flags }) => {
    const specs = flags.map((flag) => `        ${quoted(zshSpec(flag))}`);
    return `      ${name})\n        _arguments ${specs.join(" \\\n").trimStart()} '*:file:_files' ;;`;
  });
  return `#compdef kairn
# Completion of kairn for zsh: kairn completion zsh > "\${fpath[1]}/_kairn"
_kairn() {
  local -a commands
  commands=(
${words.join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
  else
    case $words[2] in
      help) _describe command commands ;;
${cases.join("\n")}
    esac
  fi
}
compdef _kairn kairn
`;
}

function zshSpec(flag: DescribedFlag): string {
  const doc = flag.doc.replaceAll("[", "(").replaceAll("]", ")").replaceAll(":", "\\:");
  const { value } = flag;
  if (value.kind === "nothing") return `${longName(flag)}[${doc}]`;
  if (value.kind === "file") return `${longName(flag)}[${doc}]:path:_files`;
  return `${longName(flag)}[${doc}]:value:${value.kind === "words" ? `(${value.words.join(" ")})` : " "}`;
}

function fishScript(commands: readonly DescribedCommand[]): string {
  const words = commands.map(
    ({ name, summary }) =>
      `complete -c kairn -f -n __fish_use_subcommand -a ${name} -d ${fishQuoted(summary)}`,
  );
  const flags = commands.flatMap(({ name, flags }) =>
    flags.map((flag) => {
      const when = `complete -c kairn -n '__fish_seen_subcommand_from ${name}' -l ${flag.names[0]}`;
      return `${when}${fishValue(flag)} -d ${fishQuoted(flag.doc)}`;
    }),
  );
  return `# Completion of kairn for fish: kairn completion fish > ~/.config/fish/completions/kairn.fish
${[...words, ...flags].join("\n")}
`;
}

function fishValue({ value }: DescribedFlag): string {
  if (value.kind === "nothing") return "";
  if (value.kind === "file") return " -r -F";
  return value.kind === "words" ? ` -x -a ${fishQuoted(value.words.join(" "))}` : " -x";
}

function namesOf(commands: readonly DescribedCommand[]): string {
  return [...commands.map(({ name }) => name), "help"].join(" ");
}

function longName({ names }: DescribedFlag): string {
  return `--${names[0]}`;
}

/** Quotes a text literally for bash and zsh. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function fishQuoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
