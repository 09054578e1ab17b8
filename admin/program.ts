import { Command, CommanderError } from 'commander';
import { OperatorError, reasonOf } from '../shared/errors.ts';
import { type CommandIo, printText, tell } from './console/command-io.ts';
import { examples } from './console/command-options.ts';
import { addKeysCommands } from './keys/keys-commands.ts';
import { addOrdersCommands } from './orders/orders-commands.ts';
import { addOwnersCommands } from './owners/owners-commands.ts';

/**
 * Runs one command of the operator's.
 *
 * @param commandLine the words behind the program's name
 * @returns the exit code: 0, or 1 with one line on standard error that names the remedy
 */
export async function runAdmin(commandLine: string[], io: CommandIo): Promise<number> {
  try {
    await createProgram(io).parseAsync(commandLine, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode;
    tell(io, `error: ${withoutAccounts(explain(error))}`);
    return 1;
  }
}

function createProgram(io: CommandIo): Command {
  const program = new Command('npm run admin --')
    .description('Operates a Store Orders service: its owners, their API keys, and orders.')
    .option('--stage <stage>', 'a deployed stage, staging or prod, of the account and Region set')
    .option('--local <url>', 'a running local service, such as http://127.0.0.1:3000')
    .option('--json', 'print the result as one line of JSON')
    .addHelpText('after', programHelp)
    .exitOverride()
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({
      writeOut: (text) => printText(io, text.trimEnd()),
      writeErr: (text) => tell(io, text.trimEnd()),
      outputError: (text) => tell(io, `${oneLine(text)}; --help tells more`),
    });
  addOwnersCommands(program, io);
  addKeysCommands(program, io);
  addOrdersCommands(program, io);
  return program;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim();
}

const programHelp = `
Every command needs exactly one of --stage and --local. A stage is found through its CloudFormation
stack, with the credentials and Region of the environment (AWS_PROFILE, AWS_REGION).
Durations are 30s, 15m, 24h or 90d. "<command> --help" tells more.
npm writes two lines of its own first; for a pipe or --json, "npm run --silent admin -- …" does not.
${examples(
  'owners create "Acme Ltd" --stage staging --plan free',
  'keys issue --stage staging --owner "Acme Ltd"',
  'keys list --local http://127.0.0.1:3000',
  'orders import orders.jsonl --stage staging',
)}`;

function explain(error: unknown): string {
  if (error instanceof OperatorError) return error.message;
  const { name = '' } = error as Error;
  const reason = reasonOf(error);
  if (/credential|ExpiredToken|UnrecognizedClient/i.test(`${name} ${reason}`)) {
    return `${reason}; sign in to AWS, or set AWS_PROFILE to a profile that is`;
  }
  if (/region is missing/i.test(reason)) return `${reason}; set AWS_REGION`;
  return `${reason === name ? '' : `${name}: `}${reason}`;
}

/** AWS's own messages name accounts, and errors end up in logs. */
function withoutAccounts(text: string): string {
  return text
    .replaceAll(/(arn:[\w-]*:[\w-]*:[\w-]*:)\d{12}/g, '$1…')
    .replaceAll(/\b(account\W+)\d{12}\b/gi, '$1…');
}
