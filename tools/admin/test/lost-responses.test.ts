import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { stackName } from '../../../lib/settings/names.ts';
import {
  DynamodbProxy,
  executedAndLost,
  forward,
} from '../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { templateFile } from '../../../test/helpers/synthesized.ts';
import { type LocalService, startLocalService } from '../../local/test/aws/local-service.ts';
import { admin } from './run-admin.ts';

const now = () => Date.parse('2026-11-20T09:30:15Z');
let service: LocalService;
/** Stands between the operator and the service, and loses the response to the first write. */
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
  proxy.reply = (call) => {
    const { method, url } = call.incoming;
    const isWrite = call.operation
      ? !/^(Get|Scan)/.test(call.operation)
      : url !== '/' && method !== 'GET';
    return (isWrite && ++writes === 1 ? executedAndLost : forward)(call);
  };
});
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
    [writes, owner] = [0, `Owner ${++owners}`];
    await prepare();

    const { exitCode, stderr } = await run([...command.split(' '), ...words()], proxy.url);

    expect({ exitCode, writes, stderr }).toMatchObject({ exitCode: 3, writes: 1 });
    expect(stderr).toMatch(/^error: .* may or may not have been done \(socket hang up\)/);
    expect(stderr).toContain(
      `; then "./admin ${look()} --local ${proxy.url}" shows whether the change was made; `,
    );
  },
);
