import { DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { describe, expect, it } from '@jest/globals';
import { stackName } from '../../../lib/settings/names.ts';
import { planNames } from '../../../lib/settings/plans.ts';
import { stageChoices } from '../../../lib/settings/stages.ts';
import { keyPrefix } from '../../../test/helpers/dynamodb/key-items.ts';
import { admin, everyCommand } from './run-admin.ts';
import { stackOfEachTest } from './stack.ts';

const { cloudFormation } = stackOfEachTest();
const keyId = `key_${'0'.repeat(32)}`;
const durations =
  'Expected a duration such as 30s or 90d, a date such as 2026-11-20, or a date-time such as 2026-11-20T09:30:00Z.';
const plansText = `Allowed choices are ${planNames.join(', ')}.`;

describe('which service is operated', () => {
  it.each([
    [[], {}],
    [['--stage', 'prod', '--local', 'http://127.0.0.1:1'], {}],
    [[], { ORDERS_STAGE: 'prod', ORDERS_LOCAL: 'http://127.0.0.1:1' }],
  ])('is named once, by an option or the environment: %j %j', async (words, environment) => {
    expect(await admin(['keys', 'list', ...words], { environment })).toEqual({
      exitCode: 2,
      stdout: '',
      stderr:
        'error: Give exactly one of --stage NAME and --local URL, or set one of ORDERS_STAGE and ORDERS_LOCAL\n',
    });
    expect(cloudFormation.calls()).toHaveLength(0);
  });

  it.each([
    [{ ORDERS_STAGE: 'prod' }, [], stackName('prod')],
    [{ ORDERS_STAGE: 'prod' }, ['--stage', 'staging'], stackName('staging')],
    [{ ORDERS_STAGE: 'prod' }, ['--local', 'http://127.0.0.1:1'], undefined],
    [{ ORDERS_LOCAL: 'http://127.0.0.1:1' }, [], undefined],
  ])(
    'is taken from the environment if the command line names none: %j %j',
    async (environment, words, StackName) => {
      await admin(['orders', 'show', 'x', ...words], { environment });

      const [call] = cloudFormation.commandCalls(DescribeStacksCommand);
      expect(call!.args[0].input).toEqual(StackName === undefined ? {} : { StackName });
    },
  );

  it.each([
    [
      ['--stage', 'nowhere'],
      `error: --stage: "nowhere" is not accepted; expected ${stageChoices}\n`,
    ],
    [
      ['--local', '3000'],
      'error: --local: "3000" is not accepted; expected the service\'s origin, such as',
    ],
    // A password is not repeated.
    [['--local', 'http://ann:secret@[::1'], 'error: --local: "http://…@[::1" is not accepted'],
  ])('refuses %j', async (words, message) => {
    const { exitCode, stderr } = await admin(['keys', 'list', ...words]);

    expect(exitCode).toBe(1);
    expect(stderr).toContain(message);
  });
});

describe('errors', () => {
  const notAccepted = [
    ['owners create x', '--plan <plan>', 'gold', plansText],
    ['owners usage', '--month <month>', '2026-13', 'Expected a month such as 2026-11.'],
    ['owners create x', '--per-day <requests>', '1e3', 'Expected a whole number from 1.'],
    [`keys rotate ${keyId}`, '--grace <duration>', '1day', durations],
  ].map(([command, option, value, expected]) => {
    const words = `${command} ${option!.split(' ')[0]} ${value}`;
    return [1, words, `option '${option}' argument '${value}' is invalid. ${expected}`] as const;
  });
  const wronglyUsed = [
    ['owners create x', "required option '--plan <plan>' not specified"],
    ['keys lst', "unknown command 'lst' (Did you mean list?)"],
    ['owner list', "unknown command 'owner' (Did you mean owners?)"],
    ['keys create --owner Acme', "unknown command 'create' (Did you mean keys issue?)"],
    ['owners remove Acme --yes', "unknown command 'remove' (Did you mean owners delete?)"],
    ['orders create 7', "unknown command 'create' (Did you mean orders import?)"],
    ['keys revoke', "missing required argument 'keyId'"],
    ['keys list all', "too many arguments for 'list'. Expected 0 arguments but got 1: all."],
  ].map(([words, message]) => [2, words!, `${message}; see --help`] as const);

  const wrongArguments = [
    ['owners set-plan x gold', `value 'gold' is invalid for argument 'plan'. ${plansText}`],
    [`keys expire ${keyId} soon`, `value 'soon' is invalid for argument 'when'. ${durations}`],
  ].map(([words, message]) => [1, words!, `command-argument ${message}`] as const);

  const elsewhere = ['list', 'export', 'delete 7 --yes'].map((words) => {
    const remedy =
      'GET /store/orders lists all orders; DynamoDB has exports, backups and mass changes (docs/operating.md, "Orders")';
    return [2, `orders ${words}`, `unknown command '${words.split(' ')[0]}'; ${remedy}`] as const;
  });

  it.each([...notAccepted, ...wrongArguments, ...wronglyUsed, ...elsewhere])(
    'are one line, with exit code %i, before anything is called: %s',
    async (exitCode, words, message) => {
      expect(await admin([...words.split(' '), '--stage', 'staging'])).toEqual({
        exitCode,
        stdout: '',
        stderr: `error: ${message}\n`,
      });
      expect(cloudFormation.calls()).toHaveLength(0);
    },
  );

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
  const commands = await everyCommand();

  const helps = await Promise.all(
    [[], ...commands.map((command) => command.split(' '))].map((words) =>
      admin([...words, '--help']),
    ),
  );

  expect(commands).toContain('owners reset-usage');
  const [overview] = helps;
  expect(overview!.stdout.split('\n').length).toBeLessThanOrEqual(41);
  for (const command of commands) expect(overview!.stdout).toContain(command.split(' ').at(-1)!);
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
