import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { stackName } from '../../../lib/settings/names.ts';
import {
  DynamodbProxy,
  executedAndLost,
  forward,
  type Reply,
} from '../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { templateFile } from '../../../test/helpers/synthesized.ts';
import { type LocalService, startLocalService } from '../../local/test/aws/local-service.ts';
import { admin } from './run-admin.ts';

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

/** Gives this reply to the first write. */
function replyToFirstWrite(reply: Reply): void {
  writes = 0;
  proxy.reply = (call) => {
    const { method, url } = call.incoming;
    const isWrite = call.operation
      ? !/^(Get|Scan)/.test(call.operation)
      : url !== '/' && method !== 'GET';
    return (isWrite && ++writes === 1 ? reply : forward)(call);
  };
}

afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await service?.close();
});

const run = (words: string[], url = service.origin) => admin([...words, '--local', url], { now });

/** Creates an owner and its key. */
async function prepare(): Promise<void> {
  await run(['owners', 'create', owner, '--plan', 'pro']);
  const { stdout } = await run(['keys', 'issue', '--owner', owner, '--expires-in', '9d', '--json']);
  ({ keyId } = JSON.parse(stdout));
}

const shownOwner = () => `owners show '${owner}'`;
const shownKey = () => `keys show ${keyId}`;

it.each<[string, () => string[], () => string]>([
  ['owners create', () => ['New', '--plan', 'free'], () => 'owners show New'],
  ['owners set-plan', () => [owner, 'business'], shownOwner],
  ['owners set-plan', () => [owner, 'free'], shownOwner],
  ['owners rename', () => [owner, `${owner} Ltd`], shownOwner],
  ['owners suspend', () => [owner, '--yes'], shownOwner],
  ['owners reset-usage', () => [owner], shownOwner],
  ['owners delete', () => [owner, '--yes'], shownOwner],
  ['keys issue', () => ['--owner', owner], () => 'keys list'],
  ['keys rotate', () => [keyId], shownKey],
  ['keys expire', () => [keyId, '10d'], shownKey],
  ['keys revoke', () => [keyId, '--yes'], shownKey],
])(
  'a command that loses the response to a write sends no further write, and says which command shows it: %s',
  async (...given) => {
    const [command, words, look] = given;
    owner = `Owner ${++owners}`;
    await prepare();
    replyToFirstWrite(executedAndLost);

    const { exitCode, stderr } = await run([...command.split(' '), ...words()], proxy.url);

    expect({ exitCode, writes, stderr }).toMatchObject({ exitCode: 3, writes: 1 });
    expect(stderr).toMatch(/^error: .* may or may not have been done \(socket hang up\)/);
    expect(stderr).toContain(
      `; then "./admin ${look()} --local ${proxy.url}" shows whether the change was made; `,
    );
  },
);

const isRunAgain =
  /^error: .*shows whether the change was made; the same command can be run again\n$/;

it.each<[string, () => string[], RegExp]>([
  ['owners create', () => ['New 2', '--plan', 'free'], isRunAgain],
  ['owners set-plan', () => [owner, 'business'], isRunAgain],
  ['owners delete', () => [owner, '--yes'], isRunAgain],
  ['keys revoke', () => [keyId, '--yes'], isRunAgain],
  [
    'keys issue',
    () => ['--owner', owner],
    /^error: (key_\w+) may have been issued: .*; nobody has .* run "\.\/admin keys revoke \1 --local \S+", then this command again\n$/,
  ],
])(
  'Ctrl+C during a write ends a command with exit code 5 and without a further call, and says how to complete it: %s',
  async (command, words, message) => {
    owner = `Owner ${++owners}`;
    await prepare();
    const operator = new AbortController();
    replyToFirstWrite(() => operator.abort());

    const { exitCode, stderr } = await admin(
      [...command.split(' '), ...words(), '--local', proxy.url],
      { now, interruption: operator.signal },
    );

    expect({ exitCode, writes, stderr }).toMatchObject({ exitCode: 5, writes: 1 });
    expect(stderr).toMatch(message);
    expect(stderr).toContain(' (interrupted)');
  },
);

it('Ctrl+C before a call ends a command, and it can be run again', async () => {
  const interruption = AbortSignal.abort();

  expect(await admin(['owners', 'list', '--local', proxy.url], { now, interruption })).toEqual({
    exitCode: 5,
    stdout: '',
    stderr: 'error: interrupted; run the command again\n',
  });
});
