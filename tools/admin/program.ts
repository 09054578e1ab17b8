import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError } from 'commander';
import { serviceTitle } from '../../lambdas/contract/service-name.ts';
import { stageChoices } from '../../lib/settings/stages.ts';
import { type CommandIo, print } from './console/command-io.ts';
import { addGroup, examplesText } from './console/verb.ts';
import { reportFailure } from './failure-report.ts';
import { keys } from './keys/keys.ts';
import { orders } from './orders/orders.ts';
import { owners } from './owners/owners.ts';
import type { Target } from './stage/target.ts';

/** All commands. */
export const groups = [owners, keys, orders] as const;

/** Runs one command of the operator, and prints a failure in one line with its remedy. Returns the exit code. */
export async function runAdmin(commandLine: string[], io: CommandIo): Promise<number> {
  const isJson = commandLine.includes('--json');
  const program = createProgram(io, isJson);
  try {
    await program.parseAsync(commandLine, { from: 'user' });
    return 0;
  } catch (error) {
    if (error instanceof CommanderError && error.exitCode === 0) return 0;
    const target = program.opts<Target>();
    const { exitCode, ...failure } = reportFailure(error, target);
    const isHelp = error instanceof CommanderError && error.code === 'commander.help';
    const text = [failure.message, failure.remedy].filter(Boolean).join('; ');
    if (isJson) print(io.stderr, JSON.stringify({ error: failure }));
    else if (!isHelp) print(io.stderr, `error: ${text}`);
    return exitCode;
  }
}

function createProgram(io: CommandIo, isJson: boolean): Command {
  const manifest = readFileSync(join(import.meta.dirname, '../../package.json'), 'utf8');
  const program = new Command('./admin')
    .description(`Manage the owners, API keys and orders of ${serviceTitle}.`)
    .option('--stage <stage>', `a deployed stage: ${stageChoices}`)
    .option('--local <url>', 'a running local service, such as http://127.0.0.1:3000')
    .option('--json', 'print the result, or the failure, as one line of JSON')
    .version(JSON.parse(manifest).version, '--version', 'print the version')
    .addHelpText('after', programHelp)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => print(io.stdout, text.trimEnd()),
      writeErr: (text) => isJson || print(io.stderr, text.trimEnd()),
      outputError: () => {},
    })
    .hook('preAction', () => takeTargetOfEnvironment(program, io));
  for (const group of groups) addGroup(program, io, group);
  return program;
}

function takeTargetOfEnvironment(program: Command, { environment }: CommandIo): void {
  const { stage, local } = program.opts<Target>();
  if (stage !== undefined || local !== undefined) return;
  const { ORDERS_STAGE, ORDERS_LOCAL } = environment;
  program.setOptionValue('stage', ORDERS_STAGE || undefined);
  program.setOptionValue('local', ORDERS_LOCAL || undefined);
}

const programHelp = `
Every command needs exactly one of the options --stage and --local. Instead of
the option, you can set ORDERS_STAGE or ORDERS_LOCAL in the environment. The
command uses the AWS credentials of the environment (AWS_PROFILE), and the
account and the Region in lib/settings/stages.ts. Where an option takes a
duration, such as 15m or 90d, you can also give a date-time or a date. A date is
the end of that day in UTC. In --since, it is the beginning of that day.
"./admin <command> --help" explains a command.

Exit codes:
  0  done
  1  refused: a value, or the state of a record, does not allow the command
  2  usage: a command or an option is unknown or missing
  3  service: AWS, the local service or the network failed
  4  different: something is not as it should be, and the command names it
  5  interrupted
${examplesText([
  'owners create "Acme Ltd" --stage staging --plan free',
  'keys issue --stage staging --owner "Acme Ltd"',
  'keys list --local http://127.0.0.1:3000',
  'orders import orders.jsonl --stage staging',
])}`;
