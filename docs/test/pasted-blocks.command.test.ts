import { spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { temporaryDirectoryOfEachTest } from '../../test/helpers/temporary-directory.ts';
import { shellBlocks } from './markdown.ts';

const home = temporaryDirectoryOfEachTest();
// Only an interactive shell goes on after a block that fails.
const shells = ['bash --norc -i', 'zsh -f -i'].filter((shell) => run(shell, '', {}).status === 0);

describe.each(shells)('Pasted into %s', (shell) => {
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
  ])(
    'twice, the block for a failed creation removes of %s with %i orders: %s',
    (state, orders, removed) => {
      const answers = {
        '*describe-stacks*': `test -e ~/deleted || echo ${state}`,
        '*list-stack-resources*': 'echo Orders',
        '*list-tables*': 'echo true',
        '*scan*': `echo ${orders}`,
        '*delete-stack*': 'touch ~/deleted',
      };

      const calls = paste(shell, answers, [
        'first-deploy',
        'output() {',
        'delete-stack',
        'delete-stack',
      ]);

      const changes = calls.filter((call) => !/^aws \w+ (describe|list|scan|wait)/.test(call));
      expect(changes.map((call) => call.split(' ')[2]).join(' ')).toBe(removed);
    },
  );

  it('the block for a failed creation ends if a table cannot be looked up', () => {
    const answers = {
      '*describe-stacks*': 'echo ROLLBACK_COMPLETE',
      '*list-stack-resources*': 'echo Orders',
      '*list-tables*': 'false',
    };

    const calls = paste(shell, answers, ['first-deploy', 'output() {', 'delete-stack']);

    expect(calls.at(-1)).toMatch(/^aws dynamodb list-tables/);
  });

  it('the blocks that restore orders keep now.jsonl, and end if a table is not restored', () => {
    const answers = {
      '*tables restore*9:30*': 'echo restored',
      '*tables restore*': 'false',
      '*export*.jsonl*': `{ echo '{"id":1,'; wc -l < ~/calls; } > "\${@: -1}"`,
    };
    const blocks = ['tables restore orders', 'now.jsonl', 'undo.jsonl'];

    const calls = paste(shell, answers, [
      ...['runbook', 'output() {', 'ORDER_ID=1', ...blocks, ...blocks],
      'RESTORE_TIME=later',
      ...blocks,
    ]);

    expect(readFileSync(join(home.path, 'restored/now.jsonl'), 'utf8').trim()).toMatch(/\n3$/);
    expect(calls.map((call) => /restore|export|import/.exec(call)?.[0]).join(' ')).toBe(
      'restore export export import import restore export import import restore',
    );
  });

  it('the blocks that move a stage import each table from the data of its export, and end at a failure', () => {
    const answers = {
      '*list-objects*Owners*': 'false',
      '*list-objects*Orders*': 'echo Orders/AWSDynamoDB/01-a/data/x.json.gz',
      '*list-objects*': 'echo ApiKeys/AWSDynamoDB/02-b/data/y.json.gz',
    };
    const given = ['output() { echo "$1"; }', 'STACK=StoreOrders-prod BUCKET=exports'];

    const calls = paste(shell, answers, [
      ...['operating', ...given, 'export-table-to-point-in-time', 'import-table'],
    ]);

    expect(calls.filter((call) => call.includes('export-table'))).toHaveLength(3);
    const imports = calls.filter((call) => call.includes('import-table'));
    expect(imports).toEqual([
      expect.stringMatching(
        / S3Bucket=exports,S3KeyPrefix=Orders\/AWSDynamoDB\/01-a\/data\/ .*TableName=StoreOrders-prod-TablesOrders-moved,.*AttributeName=id,AttributeType=N}/,
      ),
      expect.stringMatching(
        /=ApiKeys\/AWSDynamoDB\/02-b\/data\/ .*TablesApiKeys-moved,.*AttributeName=ownerHash,AttributeType=S}/,
      ),
    ]);
  });

  it('an emergency deployment is not started if it would give up restored tables', () => {
    const differing = { '*grep*origin/main*': 'echo "orders: \'StoreOrders-prod-TablesOrders1\'"' };
    const block = ['runbook', 'output() {', 'gh workflow run'];

    expect(paste(shell, differing, block).filter((call) => /^gh/.test(call))).toEqual([]);
    expect(paste(shell, {}, block).filter((call) => /^gh/.test(call))).toHaveLength(1);
  });

  it('a subscription is confirmed by the token in the link, so that a link cannot end it', () => {
    const answers = { '*confirm-subscription*': 'echo arn', '*describe-stacks*': 'echo topic' };

    const calls = paste(shell, answers, ['first-deploy', 'output() {', 'confirm-subscription']);

    expect(calls.slice(-2)).toEqual([
      expect.stringMatching(/ --token 2a7f --authenticate-on-unsubscribe true $/),
      expect.stringContaining(' --subscription-arn arn '),
    ]);
  });

  it('a role for GitHub is created once, and names the repository as GitHub does', () => {
    const answers = {
      '*get-role*': 'test -e ~/role',
      '*create-role*': 'touch ~/role',
      '*gh api*.login*': 'echo Stages',
      '*gh api*.name*': 'echo Namely',
      '*gh api*': 'echo 7',
    };
    const block = 'put-role-policy';

    const calls = paste(shell, answers, ['first-deploy', 'output() {', block, block]);

    expect(calls.filter((call) => call.includes('create-role'))).toEqual([
      expect.stringContaining('"repo:Stages@7/Namely@7:environment:prod"'),
    ]);
    expect(calls.filter((call) => call.includes('put-role-policy'))).toHaveLength(2);
    expect(calls.join()).not.toMatch(/<[A-Z_]+>/);
  });
});

/**
 * Pastes blocks of a page into a shell whose programs only record their calls.
 *
 * @param answers what programs do, as shell commands by patterns of their calls
 * @param parts parts of the blocks, or assignments
 */
function paste(
  shell: string,
  answers: Record<string, string>,
  [page, ...parts]: string[],
): string[] {
  const all = shellBlocks(readFileSync(`docs/${page}.md`, 'utf8')).map((block) =>
    block
      .replace(/STAGE=(…|staging)/, 'STAGE=prod')
      .replace('OWNER=… NAME=…', 'OWNER=STAGES NAME=NAMELY')
      .replace("LINK='…'", "LINK='https://sns/confirmation.html?TopicArn=a&Token=2a7f&Endpoint=b'")
      .replaceAll('./admin', '~/admin'),
  );
  const blocks = parts.map((part) => all.find((block) => block.includes(part)) ?? part);
  const cases = Object.entries(answers).map(
    ([pattern, answer]) => `${pattern.replaceAll(' ', '\\ ')}) ${answer};;`,
  );
  const record = `record() {
    printf '%s ' "$@" | tr '\\n' ' ' >> ~/calls; echo >> ~/calls
    case "$*" in\n${cases.join('\n')}\nesac\n}`;
  const programs = ['aws', 'npm', 'gh', 'git'].map((name) => `${name}() { record ${name} "$@"; }`);
  home.write('calls', '');
  chmodSync(home.write('admin', `#!/bin/bash\n${record}\nrecord ./admin "$@"`), 0o755);
  run(shell, [record, ...programs, ...blocks].join('\n'), { HOME: home.path });
  return readFileSync(join(home.path, 'calls'), 'utf8').split('\n').slice(0, -1);
}

function run(shell: string, input: string, env: Record<string, string>) {
  const [program, ...options] = shell.split(' ');
  return spawnSync(program!, options, { input, env: { ...env, PATH: process.env.PATH } });
}
