import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { parseCommandLine } from '../command-line.ts';

describe('the help of a program', () => {
  it('says of a switch no default, and of a text one without quotation marks', () => {
    let help = '';
    const command = new Command('program')
      .option('--host <host>', 'address to listen on', '127.0.0.1')
      .option('--watch', 'follow changes', false)
      .configureOutput({ writeOut: (text) => (help += text) });

    const options = parseCommandLine(command, ['--help']);

    expect(options).toBeUndefined();
    expect(help).toMatch(/address to listen on \(default: 127\.0\.0\.1\)$/m);
    expect(help).toMatch(/follow changes$/m);
  });
});
