import type { Command, Option } from 'commander';

export const shells = ['bash', 'zsh'] as const;
export type Shell = (typeof shells)[number];

/**
 * Returns a shell script that defines the function `admin` and completes its arguments. The script
 * contains all commands and options, so that a completion does not have to start Node.
 *
 * @param directory the program's directory, from which the function starts it
 */
export function completionScript(program: Command, shell: Shell, directory: string): string {
  const commands = commandsBelow(program, '');
  const options = uniqueOptions(commands.map(({ command }) => command));
  const paths = commands.map(({ path }) => path).filter(Boolean);
  const valued = options.filter(({ required }) => required);
  return `${shell === 'zsh' ? zshPreface : ''}admin() { npm --prefix ${quoted(directory)} run --silent admin -- "$@"; }
_store_orders_files() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -f -- "$1"))
  compopt -o filenames 2>/dev/null
}
_store_orders_admin() {
  local word="\${COMP_WORDS[COMP_CWORD]}" path='' skipped='' words='' each index
  COMPREPLY=()
  case "\${COMP_WORDS[COMP_CWORD-1]}" in
${valued.map(valueCase).join('\n')}
  esac
  for ((index = 1; index < COMP_CWORD; index++)); do
    each="\${COMP_WORDS[index]}"
    if [ -n "$skipped" ]; then skipped=''; continue; fi
    case "$each" in ${valued.map(({ long }) => long).join('|')}) skipped=yes; continue;; esac
    case "$path/$each" in ${paths.join('|')}) path="$path/$each";; esac
  done
  case "$path" in
${commands.map(({ command, path }) => wordsCase(command, path)).join('\n')}
  esac
  COMPREPLY+=($(compgen -W "$words" -- "$word"))
}
complete -F _store_orders_admin admin`;
}

const zshPreface = 'autoload -U +X bashcompinit && bashcompinit\n';

interface PlacedCommand {
  readonly command: Command;
  /** The path of command names, such as `/keys/list`; empty for the program itself. */
  readonly path: string;
}

function commandsBelow(command: Command, path: string): PlacedCommand[] {
  const below = command.commands.flatMap((each) => commandsBelow(each, `${path}/${each.name()}`));
  return [{ command, path }, ...below];
}

/** The options of all commands by name. Options of the same name take the same values. */
function uniqueOptions(commands: readonly Command[]): Option[] {
  const all = commands.flatMap(({ options }) => options);
  return [...new Map(all.map((option) => [option.long, option])).values()];
}

function valueCase({ long, flags, argChoices }: Option): string {
  return `    ${long}) ${compgen(flags, argChoices)}; return;;`;
}

function compgen(placeholder: string, choices: readonly string[] | undefined): string {
  if (choices) return `COMPREPLY=($(compgen -W '${choices.join(' ')}' -- "$word"))`;
  return placeholder.includes('<file>') ? filesCompletion : ':';
}

const filesCompletion = '_store_orders_files "$word"';

function wordsCase(command: Command, path: string): string {
  const { commands, registeredArguments: values } = command;
  const help = command.createHelp();
  const options = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)];
  const words = [
    ...commands.map((each) => each.name()),
    ...values.flatMap(({ argChoices = [] }) => argChoices),
    ...options.map(({ long }) => long),
  ];
  const takesFile = values.some((value) => value.name() === 'file');
  const files = takesFile ? ` ${filesCompletion};` : '';
  return `    '${path}')${files} words='${words.join(' ')}';;`;
}

/** Quotes a text as one word of a shell command. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
