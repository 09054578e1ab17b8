import { type Command, CommanderError } from 'commander';
import { OperatorError } from './errors.ts';

/** Parses the options of a program without subcommands; undefined after `--help`. @throws OperatorError */
export function parseCommandLine<Options extends object>(
  command: Command,
  words: readonly string[],
): Options | undefined {
  command.exitOverride().configureOutput({ writeErr: () => {} });
  try {
    return command.parse(words, { from: 'user' }).opts<Options>();
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') return undefined;
    const remedy = `${command.name()} --help lists the options`;
    throw new OperatorError(problemOf(error, command), { cause: error, remedy });
  }
}

function problemOf({ code, message }: CommanderError, { args }: Command): string {
  const [, option = '', suggestion = ''] = /'(.+?)'(?:\n(.+))?/.exec(message) ?? [];
  if (code === 'commander.excessArguments') return `${JSON.stringify(args[0])}: no such option`;
  if (code === 'commander.unknownOption') {
    return `${JSON.stringify(option)}: no such option ${suggestion}`.trimEnd();
  }
  if (code === 'commander.optionMissingArgument') {
    return `${option.replace(/ .*/, '')}: its value is missing`;
  }
  return message.replace(/^error: |\.$/g, '');
}
