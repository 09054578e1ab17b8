import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type LocalService, startLocalService } from '../../local/server.ts';
import { admin } from '../admin/run-admin.ts';
import { type ServiceClock, serviceClock } from '../helpers/service-clock.ts';
import { type TemporaryDirectory, temporaryDirectory } from '../helpers/temporary-directory.ts';

const startMs = Date.parse('2026-11-20T14:04:20Z');

let clock: ServiceClock;
let service: LocalService;
let directory: TemporaryDirectory;

beforeAll(async () => {
  clock = serviceClock('staging', startMs);
  service = await startLocalService({
    ...clock.serviceOptions,
    stackName: 'StoreOrders-staging',
    log: () => {},
  });
});
afterAll(async () => {
  await service?.close();
  clock?.[Symbol.dispose]();
});
beforeEach(() => {
  clock.set(startMs);
  directory = temporaryDirectory();
});
afterEach(() => directory.remove());

/** What a successful command prints with --json. */
// biome-ignore lint/suspicious/noExplicitAny: each command has a shape of its own
async function adminJson(...words: string[]): Promise<any> {
  const run = await admin([...words, '--local', service.origin, '--json'], {
    stateDirectory: directory.path,
    now: clock.now,
  });
  expect(run).toMatchObject({ exitCode: 0 });
  expect(run.stdout.split('\n')).toHaveLength(2);
  return JSON.parse(run.stdout);
}

let owners = 0;

/** A key of an owner of its own: an owner's keys share what it has used. */
const issue = (plan = 'free') =>
  adminJson('keys', 'issue', '--plan', plan, '--owner', `Acme ${++owners}`);

async function listOrders(apiKey: string): Promise<Response> {
  const response = await fetch(`${service.outputs.BaseUrl}/store/orders`, {
    headers: { Authorization: `Bearer ${apiKey}` },
  });
  await response.arrayBuffer();
  return response;
}

const statusWith = async (apiKey: string) => (await listOrders(apiKey)).status;

describe('the operator and a running service', () => {
  it('I17: issues a key that works at once', async () => {
    const key = await issue();

    expect(key).toEqual({
      keyId: expect.stringMatching(/^key_[0-9A-Za-z]{32}$/),
      apiKey: expect.stringMatching(/^so_test_[0-9A-Za-z]{46}$/),
      plan: 'free',
      owner: expect.stringMatching(/^Acme \d+$/),
      ownerId: expect.stringMatching(/^own_[0-9A-Za-z]{20}$/),
      perMinute: 60,
      perDay: 1_000,
      expiresAt: null,
    });
    expect(await statusWith(key.apiKey)).toBe(200);
  });

  it('I17: rotates a key: both work during the grace period, and the old one not after it', async () => {
    const old = await issue();

    const rotated = await adminJson('keys', 'rotate', old.keyId, '--grace', '1h');

    expect(rotated).toMatchObject({
      plan: 'free',
      ownerId: old.ownerId,
      previousKeyId: old.keyId,
    });
    expect(await statusWith(old.apiKey)).toBe(200);
    expect(await statusWith(rotated.apiKey)).toBe(200);
    clock.set(Date.parse(rotated.previousExpiresAt) - 1);
    expect(await statusWith(old.apiKey)).toBe(200);
    clock.set(Date.parse(rotated.previousExpiresAt));
    expect(await statusWith(old.apiKey)).toBe(401);
    expect(await statusWith(rotated.apiKey)).toBe(200);
  });

  it('I17: revokes a key: its next request is refused', async () => {
    const { keyId, apiKey } = await issue();
    expect(await statusWith(apiKey)).toBe(200);

    await adminJson('keys', 'revoke', keyId);

    expect(await statusWith(apiKey)).toBe(401);
    expect(await adminJson('keys', 'show', keyId)).toMatchObject({ status: 'revoked' });
  });

  it("changes an owner's plan: the next request's headers show it", async () => {
    const { ownerId, apiKey } = await issue();
    expect((await listOrders(apiKey)).headers.get('x-ratelimit-limit')).toBe('60');

    await adminJson('owners', 'set-plan', ownerId, 'pro');

    const { headers, status } = await listOrders(apiKey);
    expect(status).toBe(200);
    expect(headers.get('x-ratelimit-limit')).toBe('300');
    expect(headers.get('x-ratelimit-remaining')).toBe('298');
  });

  it('I25: lifts a ban, and shows what happened', async () => {
    const { keyId, apiKey } = await issue();
    const statuses = await Promise.all(Array.from({ length: 260 }, () => statusWith(apiKey)));
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    const banned = await adminJson('keys', 'show', keyId);
    expect(banned.usage.minute).toMatchObject({ limit: 60, used: 60, remaining: 0 });
    expect(banned.usage.day).toMatchObject({ limit: 1_000, used: 60 });
    expect(banned.bannedUntil).toBe('2026-11-20T14:09:20Z');

    const unbanned = await adminJson('keys', 'unban', keyId);

    expect(unbanned).toMatchObject({ wasBanned: true, bannedUntil: null, rejectionsThisMinute: 0 });
    // The minute stays used up, so that its end is what has to be waited for, and no longer the ban's.
    expect((await listOrders(apiKey)).headers.get('retry-after')).toBe('40');
  });

  it('lists all keys', async () => {
    const { keyId, owner } = await issue('business');

    const keys: { keyId: string }[] = await adminJson('keys', 'list');

    expect(keys.find((key) => key.keyId === keyId)).toMatchObject({
      owner,
      plan: 'business',
      status: 'active',
      perMinute: 1_000,
      perDay: 100_000,
    });
  });

  it('imports, shows, ships and exports orders, ids above 2^53 digit for digit', async () => {
    const line =
      '{"id":9007199254740993,"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false,"status":"pending"}';
    const path = directory.write('orders.jsonl', `${line}\n{"id":-5}\n`);

    const imported = await adminJson('orders', 'import', path);
    const shipped = await admin(['orders', 'ship', '9007199254740993', '--local', service.origin]);
    const shown = await admin(['orders', 'show', '9007199254740993', '--local', service.origin]);
    const exported = await admin(['orders', 'export', '--local', service.origin]);

    expect(imported).toMatchObject({ inserted: 2, alreadyThere: 0, rejected: 0 });
    expect(shipped).toMatchObject({ exitCode: 0, stdout: 'Order 9007199254740993 is shipped.\n' });
    expect(shown.stdout).toContain(`${line.slice(0, -10)}"shipped","shippedAt":"`);
    expect(exported.stdout.split('\n').sort()).toEqual([
      '',
      '{"id":-5,"status":"pending"}',
      line.replace('pending', 'shipped'),
    ]);
    expect(exported.stderr).toBe('Exported 2 orders.\n');
  });

  it('I5: cannot ship what a client has cancelled, and a client cannot cancel what has shipped', async () => {
    const { apiKey } = await issue();
    const path = directory.write('orders.jsonl', '{"id":11}\n{"id":12}\n');
    await adminJson('orders', 'import', path);
    const cancel = (id: number) =>
      fetch(`${service.outputs.BaseUrl}/store/orders/${id}`, {
        method: 'DELETE',
        headers: { Authorization: `Bearer ${apiKey}` },
      });

    expect((await cancel(11)).status).toBe(204);
    const refused = await admin(['orders', 'ship', '11', '--local', service.origin]);
    await admin(['orders', 'ship', '12', '--local', service.origin]);

    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^error: Order 11 is cancelled since \S+: only a pending order can be shipped\n$/,
    );
    expect((await cancel(12)).status).toBe(409);
  });
});
