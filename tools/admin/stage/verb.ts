import { type Argument, type Command, Option } from 'commander';
import {
  type CommandIo,
  type GlobalOptions,
  printResult,
  type Result,
} from '../console/command-io.ts';
import { type ConfirmationOptions, confirm, type Question } from '../console/questions.ts';
import { connect, type StageConnection } from './stage-connection.ts';

/** What a verb is run with. */
export interface Call<Options> {
  readonly stage: StageConnection;
  readonly options: Options & GlobalOptions;
  readonly io: CommandIo;
  /** The time of the call in milliseconds since the epoch. */
  readonly nowMs: number;
  /** Asks for confirmation as `confirm` of the console does. */
  confirm(question: Question, isAlways?: boolean): Promise<void>;
}

/** A command of the operator below a group, such as `revoke` below `keys`. */
interface Verb<Options> {
  /** The name with its arguments, such as `revoke <keyId>`. */
  readonly usage: string;
  /** Further arguments, which have a description or choices. */
  readonly arguments?: readonly Argument[];
  readonly description: string;
  readonly options?: readonly Option[];
  readonly help?: string;
  /** Command lines for the help. @default - the usage */
  readonly examples?: readonly string[];
  /** Does the work. Returns nothing when it has printed its result itself. */
  run(call: Call<Options>, ...words: string[]): Promise<Result | undefined>;
}

/** Adds a verb to its group. */
export function addVerb<Options extends object>(
  group: Command,
  io: CommandIo,
  verb: Verb<Options>,
): void {
  const { usage, description, options = [], help = '', run } = verb;
  const { examples = [`${group.name()} ${usage} --stage prod`] } = verb;
  const command = group.command(usage).description(description);
  for (const argument of verb.arguments ?? []) command.addArgument(argument);
  for (const option of options) command.addOption(option);
  const asks = options.includes(yesOption) ? confirmationHelp : '';
  command.addHelpText('after', asks + help + examplesText(examples)).action(async () => {
    const given = command.optsWithGlobals<Options & GlobalOptions & ConfirmationOptions>();
    const stage = await connect(given, io.now);
    const place = given.local === undefined ? '' : ` at ${stage.label}`;
    if (io.actedOn) io.actedOn.stage = `stage ${stage.stage}${place}`;
    const call: Call<Options> = {
      stage,
      options: given,
      io,
      nowMs: io.now(),
      confirm: (question, isAlways) => confirm(io, given, question, isAlways),
    };
    const result = await run(call, ...command.args);
    if (result) await printResult(io, given, result);
  });
}

/** The option of verbs that ask before they do something. */
export const yesOption = new Option('--yes', 'do not ask');

const confirmationHelp = `
On a terminal it asks before it does so, unless --yes is given.`;

/** Formats the examples below a help. */
export function examplesText(commands: readonly string[]): string {
  const lines = commands.map((command) => `  npm run admin -- ${command}`);
  return `\nExamples:\n${lines.join('\n')}`;
}
