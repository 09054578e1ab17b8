import { type Argument, type Command, Help, Option } from 'commander';
import { UsageError } from '../../shared/errors.ts';
import { connect, type StageConnection } from '../stage/stage-connection.ts';
import { type Target, withTarget } from '../stage/target.ts';
import { type CommandIo, print, printResult, type Result } from './command-io.ts';
import { operatorName } from './operator-name.ts';
import { confirm } from './questions.ts';

interface GlobalOptions extends Target {
  json?: boolean;
  as?: string;
}

/** The parameters of a running verb. */
export interface Call<Options = object> {
  readonly stage: StageConnection;
  readonly options: Options & GlobalOptions;
  readonly io: CommandIo;
  confirm(question: string): Promise<void>;
}

/** An operator's command in a group, such as `revoke` in `keys`. */
export interface Verb<Options = object> {
  /** The name and the arguments, such as `revoke <keyId>`. */
  readonly usage: string;
  /** Arguments with choices. */
  readonly arguments?: readonly Argument[];
  readonly description: string;
  readonly options?: readonly Option[];
  readonly help?: string;
  /** Says when a verb with `--yes` asks for confirmation. @default 'The command asks for confirmation' */
  readonly asks?: string;
  /** Examples that can be pasted into a shell. */
  readonly examples: readonly string[];
  run(call: Call<Options>, ...words: string[]): Promise<Result>;
}

/** A key id for examples. */
export const keyIdOfExamples = 'key_OZdPcLLZJvux4LZgjIZhboDXYTUkQcS0';

/** Commands about one kind of record, such as `keys`. */
export interface Group {
  readonly name: string;
  readonly description: string;
  readonly verbs: readonly Verb[];
  /** By a verb, or by another remedy: the words that operators try instead. */
  readonly otherWords: Readonly<Record<string, string>>;
}

/** Adds a group with its verbs to the program. */
export function addGroup(program: Command, io: CommandIo, group: Group): void {
  const names = group.verbs.map(({ usage }) => usage.split(' ')[0]);
  const command = program
    .command(group.name)
    .description(group.description)
    .summary(names.join(', '));
  for (const verb of group.verbs) addVerb(command, io, verb);
  addOtherWords(command, group);
}

function addVerb(group: Command, io: CommandIo, verb: Verb): void {
  const command = group.command(verb.usage).description(verb.description);
  for (const argument of verb.arguments ?? []) command.addArgument(argument);
  for (const option of verb.options ?? []) command.addOption(option);
  command.addHelpText('after', helpOf(verb)).action(async () => {
    const options = command.optsWithGlobals<GlobalOptions & { yes?: boolean }>();
    const stage = await connect(options, {
      now: io.now,
      operator: (arn) => operatorName(options.as, io.environment, arn),
      interruption: io.interruption,
    });
    const { place } = stage;
    const call: Call = {
      stage,
      options,
      io,
      confirm: (question) => confirm(io, options, withTarget(`${place}: ${question}`, options)),
    };
    const result = await verb.run(call, ...command.args);
    await printResult(io, options, result);
    if (result.failure) throw result.failure;
    if (!options.json && io.stderr.isTTY) print(io.stderr, place);
  });
}

/** Refuses words that operators try instead of a verb, and names what they mean. */
function addOtherWords(command: Command, { name, verbs, otherWords }: Group): void {
  for (const [meant, words] of Object.entries(otherWords)) {
    const isVerb = verbs.some(({ usage }) => usage.split(' ')[0] === meant);
    for (const word of words.split(' ')) {
      command
        .command(word, { hidden: true })
        .allowUnknownOption()
        .allowExcessArguments()
        .helpOption(false)
        .action(() => {
          const suggestion = isVerb ? ` (Did you mean ${name} ${meant}?)` : '';
          const remedy = isVerb ? 'see --help' : meant;
          throw new UsageError(`unknown command '${word}'${suggestion}`, { remedy });
        });
    }
  }
}

function helpOf<Options>(verb: Verb<Options>): string {
  const { options = [], help = '', asks = 'The command asks for confirmation' } = verb;
  const confirmation = `${asks}, unless --yes is given. Without a terminal, the command cannot ask, so give --yes.`;
  const paragraphs = [
    'Every command has the options --stage, --local and --json: see "./admin --help".',
    options.includes(yesOption) ? confirmation : '',
    help,
  ];
  const wrapped = paragraphs.filter(Boolean).map((each) => new Help().boxWrap(each, 80));
  return `\n${wrapped.join('\n')}\n${examplesText(verb.examples)}`;
}

/** The option of verbs that ask for confirmation. */
export const yesOption = new Option('--yes', 'do not ask for confirmation');

/** The option of verbs that store the operator's name. */
export const asOption = new Option(
  '--as <name>',
  'the name that is stored with the change (default: your AWS user or role)',
);

/** Formats the examples at the end of a help text, in 80 columns. */
export function examplesText(commands: readonly string[]): string {
  const lines = commands.map((command) => {
    const line = `  ./admin ${command}`;
    return line.length > 80 ? line.replace(/ (?=--[^ ]+ [^ ]+$)/, ' \\\n    ') : line;
  });
  return `\nExamples:\n${lines.join('\n')}`;
}
