import { type Argument, type Command, Option } from 'commander';
import { OperatorError } from '../../shared/errors.ts';
import { failureText, mayHaveTakenEffect } from '../stage/service-failure.ts';
import { connect, type StageConnection } from '../stage/stage-connection.ts';
import { shellWord, type Target, withTarget } from '../stage/target.ts';
import { type CommandIo, print, printResult, type Result } from './command-io.ts';
import { asOption, operatorName } from './operator-name.ts';
import { codePrompt, confirm } from './questions.ts';
import { grouped } from './view.ts';

const toleratedClockSeconds = 30;

/** The command that shows whether a change was made, for each group of commands. */
const showCommands: Readonly<Record<string, string>> = {
  owners: 'owners show',
  keys: 'keys whois',
  orders: 'orders show',
};

interface GlobalOptions extends Target {
  json?: boolean;
  as?: string;
}

/** The parameters of a running verb. */
export interface Call<Options = object> {
  readonly stage: StageConnection;
  readonly options: Options & GlobalOptions;
  readonly io: CommandIo;
  /** The width of the terminal that shows the result; undefined for a pipe or a file. */
  readonly columns: number | undefined;
  confirm(question: string): Promise<void>;
}

/** An operator's command in a group, such as `revoke` in `keys`. */
export interface Verb<Options = object> {
  /** Such as `revoke <keyId>`. */
  readonly usage: string;
  /** Another name, which somebody may type. */
  readonly alias?: string;
  /** Arguments with choices. */
  readonly arguments?: readonly Argument[];
  readonly description: string;
  readonly options?: readonly Option[];
  readonly help?: string;
  /** Says when a verb with `--yes` asks for confirmation. @default 'The command asks for confirmation' */
  readonly asks?: string;
  /** Whether the verb handles the `interruption` itself. */
  readonly isInterruptible?: boolean;
  /** @default - the usage */
  readonly examples?: readonly string[];
  /**
   * Returns the command that shows whether a change was made, for the first argument.
   *
   * @default - the command of `showCommands`, or the list without an argument, if the verb has the option `--as`
   */
  showCommand?(word: string): string;
  /** Returns undefined if the verb has printed its result itself. */
  run(call: Call<Options>, ...words: string[]): Promise<Result | undefined>;
}

/** Adds a verb to its group. */
export function addVerb<Options extends object = object>(
  group: Command,
  io: CommandIo,
  verb: Verb<Options>,
): void {
  const { usage, description, options: ownOptions = [], help = '' } = verb;
  const { examples = [`${group.name()} ${usage} --stage prod`] } = verb;
  const command = group.command(usage).description(description);
  if (verb.alias) command.alias(verb.alias);
  for (const argument of verb.arguments ?? []) command.addArgument(argument);
  for (const option of ownOptions) command.addOption(option);
  const { asks = 'The command asks for confirmation' } = verb;
  const confirmation = `\n${asks}, unless --yes is given.\nWithout a terminal, the command cannot ask, so give --yes.`;
  const texts = [
    ownOptions.includes(yesOption) ? confirmation : '',
    help,
    examplesText(examples),
  ].filter(Boolean);
  command.addHelpText('after', texts.join('\n')).action(async () => {
    if (!verb.isInterruptible) io.endAtSignals();
    const options = command.optsWithGlobals<Options & GlobalOptions & { yes?: boolean }>();
    const operator = (arn?: string) => operatorName(options.as, io.environment, arn);
    const stage = await connect(options, io.now, operator, codePrompt(io));
    const clockSeconds = Math.round(stage.clockOffsetMs / 1_000);
    if (Math.abs(clockSeconds) > toleratedClockSeconds) {
      const side = clockSeconds < 0 ? 'ahead of' : 'behind';
      const difference = `${grouped(Math.abs(clockSeconds))} s ${side} AWS's clock`;
      print(io.stderr, `warning: this machine's clock is ${difference}, which the command uses`);
    }
    const { place } = stage;
    const call: Call<Options> = {
      stage,
      options,
      io,
      columns: io.stdout.isTTY ? io.stdout.columns : undefined,
      confirm: (question) => confirm(io, options, withTarget(`${place}: ${question}`, options)),
    };
    const result = await verb.run(call, ...command.args).catch((error: unknown) => {
      const [word] = command.args;
      const show =
        word === undefined
          ? `${group.name()} list`
          : `${showCommands[group.name()]} ${shellWord(word)}`;
      const showCommand = verb.showCommand?.(word ?? '') ?? (ownOptions.includes(asOption) && show);
      throw showCommand && mayHaveTakenEffect(error)
        ? unconfirmed(error, place, showCommand)
        : error;
    });
    const printed = result && printResult(io, options, result);
    if (result?.failure) {
      // The failure is reported even if the result cannot be printed.
      await printed?.catch(() => {});
      throw result.failure;
    }
    await printed;
    if (!options.json && io.stderr.isTTY) print(io.stderr, place);
  });
}

/** The error of a command that lost the response to a change. */
function unconfirmed(error: unknown, place: string, showCommand: string): OperatorError {
  const {
    problem = `${place}: ${failureText(error)}`,
    remedy = 'the same command can be run again',
  } = error instanceof OperatorError ? error : {};
  return new OperatorError(problem, {
    cause: error,
    remedy: `"./admin ${showCommand}" shows whether the change was made; ${remedy}`,
  });
}

/** The option of verbs that ask for confirmation. */
export const yesOption = new Option('--yes', 'do not ask for confirmation');

/** Formats the examples at the end of a help text. */
export function examplesText(commands: readonly string[]): string {
  const lines = commands.map((command) => `  ./admin ${command}`);
  return `\nExamples:\n${lines.join('\n')}`;
}
