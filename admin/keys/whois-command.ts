import type { Command } from 'commander';
import { OperatorError } from '../../shared/errors.ts';
import { type CommandIo, type GlobalOptions, print } from '../console/command-io.ts';
import { examples } from '../console/command-options.ts';
import { readSecret } from '../console/questions.ts';
import { connect } from '../stage/stage-connection.ts';
import { describeKey } from './key-description.ts';
import { whoisText } from './key-texts.ts';
import { whoseToken } from './whois-key.ts';

const help = `
The token comes from standard input, where no list of processes and no shell's history shows it:
typed, without an echo, or from a file or a pipe. It is not shown again.
${examples('keys whois --stage prod', 'keys whois --stage prod < leaked.txt')}`;

/** `keys whois`. */
export function addWhois(keys: Command, io: CommandIo): void {
  const command = keys
    .command('whois')
    .description('tell whose a token is that was found somewhere')
    .allowExcessArguments()
    .addHelpText('after', help)
    .action(async () => {
      const options = command.optsWithGlobals<GlobalOptions>();
      refuseArguments(command);
      const store = await connect(options, io.now);
      const key = await whoseToken(await readSecret(io, 'Token:'), store);
      const description = describeKey(key, io.now());
      print(io, options, description, whoisText(description));
    });
}

function refuseArguments({ args }: Command): void {
  if (args.length === 0) return;
  throw new OperatorError(
    'keys whois reads the token from standard input only: a command line is seen by others and kept ' +
      'in histories',
  );
}
