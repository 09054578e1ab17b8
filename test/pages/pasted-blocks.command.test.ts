import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
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

it('put-back-orders.sh puts back only the orders that are missing, and never over another', () => {
  const scan = (...ids: number[]) =>
    `echo '${JSON.stringify({ Items: ids.map((id) => ({ id: { N: `${id}` } })) })}'`;
  const answers = { '*scan*Restored*': scan(1, 11, 12), '*scan*': scan(1) };

  const calls = runFile('docs/put-back-orders.sh', answers, 'Restored', 'Orders');

  const put =
    'aws dynamodb put-item --table-name Orders --condition-expression attribute_not_exists(id) --item';
  expect(calls.slice(-2)).toEqual([`${put} {"id":{"N":"11"}} `, `${put} {"id":{"N":"12"}} `]);
});

describe('Pasted into bash', () => {
  it('an emergency deployment is not started if it would give up restored tables', () => {
    const differing = {
      '*grep*origin/main*': `echo "orders: '${stackName('prod')}-TablesOrders1'"`,
    };
    const block = ['runbook', 'output() {', 'gh workflow run'];

    expect(paste(differing, block).filter((call) => /^gh/.test(call))).toEqual([]);
    expect(paste({}, block).filter((call) => /^gh/.test(call))).toHaveLength(1);
  });

  it('a subscription is confirmed by the token in the link, so that a link cannot end it', () => {
    const answers = { '*confirm-subscription*': 'echo arn', '*describe-stacks*': 'echo topic' };

    const calls = paste(answers, ['first-deploy', 'output() {', 'confirm-subscription']);

    expect(calls.slice(-2)).toEqual([
      expect.stringMatching(/ --token 2a7f --authenticate-on-unsubscribe true $/),
      expect.stringContaining(' --subscription-arn arn '),
    ]);
  });
});

/**
 * Pastes blocks of a page into a shell whose programs only record their calls. The shell is interactive, because only
 * such a shell continues after a block that fails.
 *
 * @param answers the programs' reactions, as shell commands by patterns of their calls
 * @param parts parts of the blocks, or assignments
 */
function paste(answers: Record<string, string>, [page, ...parts]: string[]): string[] {
  const all = shellBlocks(readFileSync(`docs/${page}.md`, 'utf8')).map((block) =>
    block
      .replace(/STAGE=(…|staging)/, 'STAGE=prod')
      .replace("LINK='…'", "LINK='https://sns/confirmation.html?TopicArn=a&Token=2a7f&Endpoint=b'")
      .replaceAll('./admin', '~/admin'),
  );
  const blocks = parts.map((part) => all.find((block) => block.includes(part)) ?? part);
  const record = recorder(answers);
  const programs = ['aws', 'npm', 'gh', 'git'].map((name) => `${name}() { record ${name} "$@"; }`);
  home.write('calls', '');
  chmodSync(home.write('admin', `#!/bin/bash\n${record}\nrecord ./admin "$@"`), 0o755);
  runBash(['-i'], [record, ...programs, ...blocks].join('\n'));
  return readFileSync(join(home.path, 'calls'), 'utf8').split('\n').slice(0, -1);
}

/** Runs a script of the pages with programs that only record their calls. */
function runFile(script: string, answers: Record<string, string>, ...words: string[]): string[] {
  const command = `${script} ${words.join(' ')}`;
  const programs = 'aws() { record aws "$@"; }\ngh() { record gh "$@"; }\nexport -f record aws gh';
  const variables = 'export ACCOUNT=111122223333 AWS_REGION=eu-west-1 STAGE=prod STACK=Stack';
  const program = [recorder(answers), programs, variables, command].join('\n');
  home.write('calls', '');
  runBash([], program);
  return readFileSync(join(home.path, 'calls'), 'utf8').split('\n').slice(0, -1);
}

/** The shell function `record`, which notes a call in the file `calls` and answers it. */
function recorder(answers: Record<string, string>): string {
  const cases = Object.entries(answers).map(
    ([pattern, answer]) => `${pattern.replaceAll(' ', '\\ ')}) ${answer};;`,
  );
  return `record() {
    printf '%s ' "$@" | tr '\n' ' ' >> ~/calls; echo >> ~/calls
    case "$*" in\n${cases.join('\n')}\nesac\n}`;
}

function runBash(options: readonly string[], input: string): void {
  const env = { HOME: home.path, PATH: process.env.PATH };
  spawnSync('bash', ['--norc', ...options], { input, env });
}
