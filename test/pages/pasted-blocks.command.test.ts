import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { stackName } from '../../lib/settings/names.ts';
import { temporaryDirectoryOfEachTest } from '../helpers/temporary-directory.ts';
import { shellBlocks } from './markdown.ts';

const home = temporaryDirectoryOfEachTest();

describe('remove-failed-stack.sh', () => {
  it.each([
    ['CREATE_COMPLETE', 0, ''],
    ['UPDATE_ROLLBACK_FAILED', 0, ''],
    ['ROLLBACK_COMPLETE', 1, ''],
    ...['ROLLBACK_COMPLETE', 'ROLLBACK_FAILED', 'DELETE_FAILED'].map(
      (state): [string, number, string] => [
        state,
        0,
        'update-table delete-table update-termination-protection delete-stack',
      ],
    ),
  ])('run on a stack in the state %s with %i orders, removes: %s', (state, orders, removed) => {
    const answers = {
      '*describe-stacks*': `echo ${state}`,
      '*list-stack-resources*': 'echo Orders',
      '*list-tables*': 'echo true',
      '*scan*': `echo ${orders}`,
    };

    const calls = runFile('docs/remove-failed-stack.sh', answers, 'Stack');

    const changes = calls.filter((call) => !/^aws \w+ (describe|list|scan|wait)/.test(call));
    expect(changes.map((call) => call.split(' ')[2]).join(' ')).toBe(removed);
  });

  it('ends if a table cannot be looked up', () => {
    const answers = {
      '*describe-stacks*': 'echo ROLLBACK_COMPLETE',
      '*list-stack-resources*': 'echo Orders',
      '*list-tables*': 'false',
    };

    const calls = runFile('docs/remove-failed-stack.sh', answers, 'Stack');

    expect(calls.at(-1)).toMatch(/^aws dynamodb list-tables/);
  });
});

it('apply-table-settings.sh applies what DynamoDB does not copy, and the stream to orders only', () => {
  const calls = runFile('docs/apply-table-settings.sh', {}, 'Stack', 'ApiKeys', 'TablesOrders');

  const changes = calls.filter((call) => /^aws \w+ (update|tag)/.test(call));
  const applied = [
    expect.stringContaining('--deletion-protection-enabled'),
    expect.stringContaining('PointInTimeRecoveryEnabled=true,RecoveryPeriodInDays=35'),
    expect.stringContaining('Value=Stack'),
  ];
  expect(changes).toEqual([...applied, ...applied, expect.stringContaining('StreamEnabled=true')]);
  expect(changes.at(-1)).toContain(' TablesOrders ');
  const withStream = { '*StreamEnabled*': 'echo True' };
  const repeated = runFile('docs/apply-table-settings.sh', withStream, 'Stack', 'TablesOrders');
  expect(repeated.join()).not.toContain('StreamEnabled=true');
});

it('create-deploy-role.sh creates a role for GitHub once, and names the repository as GitHub does', () => {
  const answers = {
    '*get-role*': 'test -e ~/role',
    '*create-role*': 'touch ~/role',
    '*gh api*.login*': 'echo Stages',
    '*gh api*.name*': 'echo Namely',
    '*gh api*': 'echo 7',
  };
  const create = () => runFile('docs/create-deploy-role.sh', answers, 'STAGES/NAMELY');

  const first = create();
  const second = create();

  expect(first.filter((call) => call.includes('create-role'))).toEqual([
    expect.stringContaining('"repo:Stages@7/Namely@7:environment:prod"'),
  ]);
  expect(second.join()).not.toContain('create-role');
  expect(second.join()).toContain('put-role-policy');
  expect(first.join()).not.toMatch(/<[A-Z_]+>/);
});

it('record-writes.sh records the writes to three tables, and leaves out two functions', () => {
  const answers = {
    '*OrdersTableName*': 'echo Orders',
    '*Function*': 'echo Function',
    '*describe-stacks*': 'echo Other',
  };

  const selectors = runFile('docs/record-writes.sh', answers, 'Stack', 'trail').at(-1);

  expect(selectors).toContain('"EndsWith": ["/Other", "/Other", "/Orders"]');
  expect(selectors).toContain('"NotEndsWith": ["/Function", "/Function"]');
  const [, json = ''] = /--advanced-event-selectors (.*)/.exec(selectors!) ?? [];
  expect(() => JSON.parse(json)).not.toThrow();
});

it('restore-tables.sh restores each table as a new table, and ends at the first that is not restored', () => {
  const answers = {
    '*OrdersTableName*': 'echo Orders1',
    '*describe-stacks*': 'echo Owners1',
    '*restore-table*Owners1*': 'false',
  };
  const tables = ['Orders', 'Owners', 'ApiKeys'];

  const calls = runFile(
    'docs/restore-tables.sh',
    answers,
    'Stack',
    '2026-11-20T09:30:00Z',
    ...tables,
  );

  const restored = calls.filter((call) => call.includes('restore-table'));
  expect(restored).toEqual([
    expect.stringContaining(' --target-table-name Orders1-20261120T093000Z '),
    expect.stringContaining(' --target-table-name Owners1-20261120T093000Z '),
  ]);
});

it('put-back-orders.sh puts back only the orders that are missing, and never over another', () => {
  const scan = (...ids: number[]) =>
    `echo '${JSON.stringify({ Items: ids.map((id) => ({ id: { N: `${id}` } })) })}'`;
  const answers = { '*scan*Restored*': scan(1, 11, 12), '*scan*': scan(1) };

  const calls = runFile('docs/put-back-orders.sh', answers, 'Restored', 'Orders');

  const put =
    'aws dynamodb put-item --table-name Orders --condition-expression attribute_not_exists(id) --item';
  expect(calls.slice(-2)).toEqual([`${put} {"id":{"N":"11"}} `, `${put} {"id":{"N":"12"}} `]);
});

it('Pasted into bash, an emergency deployment is not started if it would give up restored tables', () => {
  const isDifferent = {
    '*grep*origin/main*': `echo "orders: '${stackName('prod')}-TablesOrders1'"`,
  };
  const all = shellBlocks(readFileSync('docs/runbook.md', 'utf8'));
  const blocks = ['output() {', 'gh workflow run'].map((part) =>
    all.find((block) => block.includes(part))!.replace(/STAGE=(…|staging)/, 'STAGE=prod'),
  );
  // Only an interactive shell continues after a block that fails.
  const deployments = (answers: Record<string, string>) =>
    runBash(['-i'], answers, blocks.join('\n')).filter((call) => /^gh/.test(call));

  expect(deployments(isDifferent)).toEqual([]);
  expect(deployments({})).toHaveLength(1);
});

/** Runs a script of the pages. */
function runFile(script: string, answers: Record<string, string>, ...words: string[]): string[] {
  const variables = 'export ACCOUNT=111122223333 AWS_REGION=eu-west-1 STAGE=prod STACK=Stack';
  return runBash([], answers, `${variables}\n${script} ${words.join(' ')}`);
}

/**
 * Runs commands in a shell whose programs only record their calls.
 *
 * @param answers the programs' reactions, as shell commands by patterns of their calls
 * @returns the calls
 */
function runBash(options: string[], answers: Record<string, string>, commands: string): string[] {
  const cases = Object.entries(answers).map(
    ([pattern, answer]) => `${pattern.replaceAll(' ', '\\ ')}) ${answer};;`,
  );
  const record = `record() {
    printf '%s ' "$@" | tr '\n' ' ' >> ~/calls; echo >> ~/calls
    case "$*" in\n${cases.join('\n')}\nesac\n}`;
  const programs = ['aws', 'gh', 'git', 'npm'].map((name) => `${name}() { record ${name} "$@"; }`);
  const input = [record, ...programs, 'export -f record aws gh', commands].join('\n');
  home.write('calls', '');
  const env = { HOME: home.path, PATH: process.env.PATH };
  spawnSync('bash', ['--norc', ...options], { input, env });
  return readFileSync(join(home.path, 'calls'), 'utf8').split('\n').slice(0, -1);
}
