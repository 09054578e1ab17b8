import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stackName } from '../../../lib/settings/names.ts';
import {
  DynamodbProxy,
  executedAndLost,
  forward,
  type Reply,
} from '../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { templateFile } from '../../../test/helpers/synthesized.ts';
import { type LocalService, startLocalService } from '../../local/test/aws/local-service.ts';
import { type AdminOptions, admin } from './run-admin.ts';

const now = () => Date.parse('2026-11-20T09:30:15Z');
let service: LocalService;
/** Stands between the operator and the service. */
let proxy: DynamodbProxy;
let writes = 0;
let owner = '';
let keyId = '';
let owners = 0;

beforeAll(async () => {
  service = await startLocalService({
    templateFile: templateFile('staging'),
    now,
    stackName: stackName('staging'),
    log: () => {},
  });
  proxy = await DynamodbProxy.before(service.origin);
});

/** Gives this reply to the first write, or to a later one. */
function replyToWrite(reply: Reply, number = 1): void {
  writes = 0;
  proxy.reply = (call) => {
    const { method, url } = call.incoming;
    const isWrite = call.operation
      ? !/^(Get|Scan)/.test(call.operation)
      : url !== '/' && method !== 'GET';
    return (isWrite && ++writes === number ? reply : forward)(call);
  };
}

afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await service?.close();
});

const run = (words: string[], url = service.origin, io: AdminOptions = {}) =>
  admin([...words, '--local', url], { now, ...io });

const revokeFirst =
  /: (key_\w+) may have been issued: .*; nobody has .* run "\.\/admin keys revoke \1 --local \S+", then this command again\n$/;

const replaceNew =
  /: (key_\w+) may have been issued: .*; nobody has .* run "\.\/admin keys rotate \1 --grace 0s --local \S+", which revokes .* run this command again\n$/;

const deleteAgain =
  /: the deletion of Owner \d+ \((own_\w+)\) is not complete: .*; run "\.\/admin owners delete \1 --local \S+" to complete it\n$/;

describe.each<[string, number, (operator: AbortController) => Reply, string]>([
  ['whose response to a write is lost', 3, () => executedAndLost, 'socket hang up'],
  [
    'in whose write the operator presses Ctrl+C',
    5,
    (operator) => () => operator.abort(),
    'interrupted',
  ],
])('a command %s makes no further call, and says how to complete it', (...given) => {
  const [, exitCode, fault, reason] = given;

  it.each<[string, () => string[], () => string, RegExp?]>([
    ['owners create', () => [`New ${owner}`, '--plan', 'free'], () => `owners show 'New ${owner}'`],
    ['owners set-plan', () => [owner, 'business'], () => `owners show '${owner}'`],
    ['owners delete', () => [owner, '--yes'], () => `owners show '${owner}'`, deleteAgain],
    ['keys rotate', () => [keyId], () => `keys show ${keyId}`, replaceNew],
    ['keys revoke', () => [keyId, '--yes'], () => `keys show ${keyId}`],
    ['keys issue', () => ['--owner', owner], () => 'keys list', revokeFirst],
  ])('%s', async (command, words, look, completion = /; the same command can be run again\n$/) => {
    owner = `Owner ${++owners}`;
    await run(['owners', 'create', owner, '--plan', 'pro']);
    const issued = await run(['keys', 'issue', '--owner', owner, '--json']);
    ({ keyId } = JSON.parse(issued.stdout));
    const operator = new AbortController();
    replyToWrite(fault(operator));

    const interruption = operator.signal;
    const ended = await run([...command.split(' '), ...words()], proxy.url, { interruption });

    expect({ ...ended, writes }).toMatchObject({ exitCode, writes: 1 });
    expect(ended.stderr).toContain(` may or may not have been done (${reason})`);
    expect(ended.stderr).toContain(
      `"./admin ${look()} --local ${proxy.url}" shows whether the change was made; `,
    );
    expect(ended.stderr).toMatch(completion);
  });

  it('owners delete, after the name was deleted', async () => {
    owner = `Owner ${++owners}`;
    await run(['owners', 'create', owner, '--plan', 'pro']);
    const operator = new AbortController();
    replyToWrite(fault(operator), 2);

    const io = { interruption: operator.signal };
    const ended = await run(['owners', 'delete', owner, '--yes'], proxy.url, io);

    expect({ ...ended, writes }).toMatchObject({ exitCode, writes: 2 });
    const [, ownerId = ''] = deleteAgain.exec(ended.stderr)!;
    const completed = await run(['owners', 'delete', ownerId, '--yes']);
    // If only the response was lost, no API Gateway key is left.
    expect(completed.exitCode === 0 ? completed.stdout : completed.stderr).toMatch(
      /^(Deleted 1 API Gateway key of \w+, which was already deleted\.\n$|error: There is no owner)/,
    );
  });
});

it('Ctrl+C before a call ends a command, and it can be run again', async () => {
  const interruption = AbortSignal.abort();

  expect(await run(['owners', 'list'], proxy.url, { interruption })).toEqual({
    exitCode: 5,
    stdout: '',
    stderr: 'error: interrupted; run the command again\n',
  });
});
