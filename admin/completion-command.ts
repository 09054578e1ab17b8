import { join } from 'node:path';
import { Argument, type Command } from 'commander';
import { completionScript, type Shell, shells } from './completion.ts';
import { type CommandIo, printText } from './console/command-io.ts';
import { examples } from './console/command-options.ts';

const root = join(import.meta.dirname, '..');

const help = `
It is a shell script for your start-up file. It defines the function "admin", which is short for
"npm run --silent admin --" in this directory, and completes what is typed behind it.

  source <(npm run --silent admin -- completion bash)    in ~/.bashrc
  source <(npm run --silent admin -- completion zsh)     in ~/.zshrc, behind compinit
${examples('completion bash')}`;

/** `completion`. */
export function addCompletion(program: Command, io: CommandIo): void {
  program
    .command('completion')
    .description('a script that completes commands and options with the tabulator key')
    .addArgument(new Argument('<shell>', 'which shell it is for').choices(shells))
    .addHelpText('after', help)
    .action((shell: Shell) => printText(io, completionScript(program, shell, root)));
}
