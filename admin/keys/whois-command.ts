import type { Command } from 'commander';
import { UsageError } from '../../shared/errors.ts';
import { type CommandIo, type GlobalOptions, print } from '../console/command-io.ts';
import { examples } from '../console/command-options.ts';
import { readSecret } from '../console/questions.ts';
import { openStage } from '../stage/open-stage.ts';
import { describeKey } from './key-description.ts';
import { whoisText } from './key-texts.ts';
import { whoseToken } from './whois-key.ts';

const help = `
The API key comes from standard input, where no list of processes and no shell's history shows it:
typed, without an echo, or from a file or a pipe. It is not shown again.
${examples('keys whois --stage prod', 'keys whois --stage prod < leaked.txt')}`;

/** Adds the command `keys whois`. */
export function addWhois(keys: Command, io: CommandIo): void {
  const command = keys
    .command('whois')
    .description('tell whose an API key is that was found somewhere')
    .allowExcessArguments()
    .addHelpText('after', help)
    .action(async () => {
      const options = command.optsWithGlobals<GlobalOptions>();
      refuseArguments(command);
      const store = await openStage(io, options);
      const key = await whoseToken(await readSecret(io, 'API key:'), store);
      const description = describeKey(key, io.now());
      print(io, options, description, whoisText(description));
    });
}

function refuseArguments({ args }: Command): void {
  if (args.length === 0) return;
  throw new UsageError(
    'keys whois reads the API key from standard input only: a command line is seen by others and ' +
      'kept in histories',
    { remedy: 'run it without an argument and type the key, or give it a file: "< leaked.txt"' },
  );
}
