import { describe, expect, it } from '@jest/globals';
import { stackName } from '../../../lib/settings/names.ts';
import { planNames } from '../../../lib/settings/plans.ts';
import { stageChoices } from '../../../lib/settings/stages.ts';
import { keyPrefix } from '../../../test/helpers/dynamodb/key-items.ts';
import { awsOfEachTest } from './aws-of-each-test.ts';
import { admin, everyCommand } from './run-admin.ts';

const aws = awsOfEachTest();
const keyId = `key_${'0'.repeat(32)}`;

describe('which service is operated', () => {
  const target = 'Give exactly one of --stage NAME and --local URL, or set one of ORDERS_STAGE';
  const both = { ORDERS_STAGE: 'prod', ORDERS_LOCAL: 'http://127.0.0.1:1' };
  it.each([
    [2, target, [], {}],
    [2, target, ['--stage', 'prod', '--local', 'http://127.0.0.1:1'], {}],
    [2, target, [], both],
    [1, `--stage: "no" is not accepted; expected ${stageChoices}`, ['--stage', 'no'], {}],
    [1, "expected the service's origin, such as http://127.0.0.1:3000", ['--local', '3000'], {}],
    // A password is not repeated.
    [1, '--local: "http://…@[::1" is not accepted', ['--local', 'http://ann:secret@[::1'], {}],
  ])('is named once, and exists: %i, %s', async (exitCode, message, words, environment) => {
    const refused = await admin(['keys', 'list', ...words], { environment });

    expect(refused).toEqual({ exitCode, stdout: '', stderr: expect.stringContaining(message) });
    expect(aws.calls).toEqual([]);
  });

  it.each([
    [{ ORDERS_STAGE: 'prod' }, [], `no stack ${stackName('prod')} in`],
    [{ ORDERS_STAGE: 'prod' }, ['--stage', 'staging'], `no stack ${stackName('staging')} in`],
    [{ ORDERS_STAGE: 'prod' }, ['--local', 'http://127.0.0.1:1/v1'], 'http://127.0.0.1:1: Cloud'],
    [{ ORDERS_LOCAL: 'http://127.0.0.1:1' }, [], 'http://127.0.0.1:1: CloudFormation'],
  ])(
    'is taken from the environment if the command line names none: %j %j',
    async (environment, words, message) => {
      aws.outputs = undefined;

      expect((await admin(['keys', 'list', ...words], { environment })).stderr).toContain(message);
    },
  );
});

describe('errors', () => {
  const elsewhere =
    '; GET /store/orders lists all orders; DynamoDB has exports, backups and mass changes (docs/operating.md, "Orders")';
  it.each([
    [1, 'owners create x --plan gold', `Allowed choices are ${planNames.join(', ')}.`],
    [1, 'owners create x --per-day 1e3', 'Expected a whole number from 1.'],
    [1, `keys rotate ${keyId} --grace 1day`, 'Expected a duration such as 30s'],
    [1, `keys expire ${keyId} soon`, "'soon' is invalid for argument 'when'. Expected a duration"],
    [1, 'owners set-plan x gold', "'gold' is invalid for argument 'plan'. Allowed choices"],
    [2, 'owners create x', "required option '--plan <plan>' not specified; see --help"],
    [2, 'keys lst', "unknown command 'lst' (Did you mean list?); see --help"],
    [2, 'owner list', "unknown command 'owner' (Did you mean owners?); see --help"],
    [2, 'owners remove Acme --yes', "'remove' (Did you mean owners delete?); see --help"],
    [2, 'keys create --owner Acme', "'create' (Did you mean keys issue?); see --help"],
    [2, 'orders create 7', "'create' (Did you mean orders import?); see --help"],
    [2, 'orders delete 7 --yes', `unknown command 'delete'${elsewhere}`],
    [2, 'keys revoke', "missing required argument 'keyId'; see --help"],
    [2, 'keys list all', "too many arguments for 'list'. Expected 0 arguments but got 1: all."],
  ])('are one line, with exit code %i, before anything is called: %s', async (...given) => {
    const [exitCode, words, message] = given;

    const failed = await admin([...words.split(' '), '--stage', 'staging']);

    expect(failed).toEqual({ exitCode, stdout: '', stderr: expect.stringContaining(message) });
    expect(failed.stderr).toMatch(/^error: .+\n$/);
    expect(aws.calls).toEqual([]);
  });

  it('are one line of JSON with --json', async () => {
    const refused = await admin(['keys', 'show', 'x', '--stage', 'prod', '--json']);
    const misspelt = await admin(['keys', 'lst', '--json']);

    expect(JSON.parse(refused.stderr)).toEqual({
      error: {
        class: 'refused',
        code: 'invalidValue',
        message: 'key id: "x" is not accepted',
        remedy: 'expected "key_" and 32 characters',
      },
    });
    expect(JSON.parse(misspelt.stderr).error).toMatchObject({ class: 'usage', code: 'usage' });
    expect([refused.stdout, misspelt.stdout]).toEqual(['', '']);
  });

  it('are the list of commands if none is given', async () => {
    const { exitCode, stderr } = await admin([]);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('Usage: ./admin ');
  });

  it('do not repeat a word that looks like a token, or moves the cursor', async () => {
    const word = `${keyPrefix}${'a'.repeat(46)}\u001b[1A`;

    for (const words of [[word], ['keys', word], ['keys', 'show', word], ['keys', 'list', word]]) {
      const { stdout, stderr } = await admin([...words, '--stage', 'prod']);

      expect(stderr).toMatch(/^error: /);
      expect(stdout + stderr).not.toContain('aaaa');
      expect(stdout + stderr).not.toContain('\u001b');
    }
  });
});

it('help shows the options and an example of every command, in 80 columns', async () => {
  const helps = await Promise.all(
    [[], ...everyCommand.map((command) => command.split(' '))].map((words) =>
      admin([...words, '--help']),
    ),
  );

  const [overview] = helps;
  expect(overview!.stdout.split('\n').length).toBeLessThanOrEqual(41);
  for (const command of everyCommand) {
    expect(overview!.stdout).toContain(command.split(' ').at(-1)!);
  }
  for (const { exitCode, stdout } of helps) {
    expect(exitCode).toBe(0);
    expect(stdout).toContain('--stage');
    const example = / {2}\.\/admin .*\n(?:(?<=\\\n) .*\n)*/.source;
    const [, examples = ''] = new RegExp(`\nExamples:\n((?:${example})+)$`).exec(stdout) ?? [];
    // Each can be pasted into a shell, which would take these characters for its own.
    expect(examples).toMatch(/^[^<>…[\]]+$/);
    expect(stdout.split('\n').filter((line) => line.length > 80)).toEqual([]);
  }
});
