import { Writable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stackName } from '../../../lib/settings/names.ts';
import { plans } from '../../../lib/settings/plans.ts';
import {
  DynamodbProxy,
  executedAndLost,
  forward,
  type Reply,
} from '../../../test/helpers/dynamodb/dynamodb-proxy.ts';
import { keyPrefix } from '../../../test/helpers/dynamodb/key-items.ts';
import { templateFile } from '../../../test/helpers/synthesized.ts';
import { temporaryDirectoryOfEachTest } from '../../../test/helpers/temporary-directory.ts';
import { type LocalService, startLocalService } from '../../local/test/aws/local-service.ts';
import type { KeyStage } from '../stage/key-stage.ts';
import { connect } from '../stage/stage-connection.ts';
import { deleteGatewayKeys } from '../store/gateway-keys.ts';
import type { HistoryRecord } from '../store/history.ts';
import { findKey } from '../store/keys.ts';
import { type AdminOptions, admin as runAdmin } from './run-admin.ts';
import { setStored } from './stage-of-keys.ts';

const { free } = plans;

let nowMs = Date.parse('2026-11-20T09:30:15Z');
const now = () => nowMs;
let service: LocalService;
let stage: KeyStage;
const directory = temporaryDirectoryOfEachTest();

beforeAll(async () => {
  service = await startLocalService({
    templateFile: templateFile('staging'),
    now,
    stackName: stackName('staging'),
    log: () => {},
  });
  stage = await connect({ local: service.origin }, { now, operator: () => 'ann' });
});
afterAll(() => service?.close());

/** Runs a command line of the operator on the service, by its clock. */
const admin = (line: string, io: AdminOptions = {}) => {
  const environment = { ORDERS_LOCAL: service.origin };
  return runAdmin(line.split(' '), { now, environment, ...io });
};

// biome-ignore lint/suspicious/noExplicitAny: each command has a shape of its own
async function adminJson(line: string): Promise<any> {
  const run = await admin(`${line} --json`, { isTerminal: true });
  expect(run).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('stage staging') });
  expect(run.stdout.split('\n')).toHaveLength(2);
  return JSON.parse(run.stdout);
}

let owners = 0;

/** Issues a key of a new owner. */
async function issue(plan = 'free', owner = `Owner${++owners}`) {
  await adminJson(`owners create ${owner} --plan ${plan}`);
  return adminJson(`keys issue --owner ${owner}`);
}

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
    const key = await issue('free', 'Acme');

    const { perMinute, perDay } = free;
    expect(key).toMatchObject({
      apiKey: expect.stringMatching(new RegExp(`^${keyPrefix}[0-9A-Za-z]{46}$`)),
      ...{ owner: 'Acme', plan: 'free', perMinute, perDay, isReadOnly: false },
      ...{ label: null, expiresAt: null },
    });
    expect(await statusWith(key.apiKey)).toBe(200);
    expect((await admin(`keys show ${key.keyId}`)).stdout).toMatch(
      new RegExp(`^api key +…${key.apiKey.slice(-4)}$`, 'm'),
    );
  });

  const fullDisk = new Error('ENOSPC: no space left on device');
  const closedPipe = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });

  it.each([
    [
      'owners create Unseen --plan free',
      fullDisk,
      /^error: The result could not be printed: ENOSPC: .*; if the command makes a change, the change is made; write the output to another place\n$/,
    ],
    [
      'keys issue --owner Unseen',
      fullDisk,
      /^error: The API key of (key_\w+) could not be printed: ENOSPC.*; nobody has received it, so run "\.\/admin keys revoke \1 --local http/,
    ],
    ['owners list', closedPipe, /^$/],
  ])('%s says what to do if its result cannot be printed', async (line, error, message) => {
    const stdout = new Writable({ write: (_chunk, _encoding, done) => done(error) });
    stdout.on('error', () => {});

    const { exitCode, stderr } = await admin(line, { stdout });

    expect(stderr).toMatch(message);
    expect(exitCode).toBe(stderr ? 1 : 0);
    expect(await adminJson('owners show Unseen')).toMatchObject({ name: 'Unseen' });
  });

  it('I17: rotates a key: both work during the grace period, which can be extended, and the old one not after it', async () => {
    const old = await issue();

    const rotated = await adminJson(`keys rotate ${old.keyId} --grace 2s`);
    const extended = await admin(`keys expire ${old.keyId} 1h`);

    expect(rotated).toMatchObject({ plan: 'free', owner: old.owner, previousKeyId: old.keyId });
    const end = /works until (2026-11-20T10:30:\d\dZ)\.\n$/.exec(extended.stdout)![1]!;
    for (const [timeMs, status] of [
      [Date.parse(rotated.previousExpiresAt), 200],
      [Date.parse(end), 401],
    ] as const) {
      nowMs = timeMs;
      expect(await statusWith(old.apiKey)).toBe(status);
      expect(await statusWith(rotated.apiKey)).toBe(200);
    }
  });

  it.each([
    ['keys rotate KEY --grace 0s --yes', '"./admin keys rotate NEW --grace 0s --local'],
    ['keys expire KEY 0s --yes', ''],
  ])(
    'ends a leaked key that still works after its rotation, and not its replacement: %s',
    async (words, then) => {
      const old = await issue();
      const line = words.replace('KEY', old.keyId);
      const rotated = await adminJson(`keys rotate ${old.keyId}`);

      const ended = await admin(line);
      const again = await admin(line);

      expect([ended, again]).toMatchObject(Array(2).fill({ exitCode: 0, stderr: '' }));
      expect(ended.stdout).toMatch(new RegExp(`^${old.keyId} is revoked\\.`));
      expect(again.stdout).toMatch(new RegExp(`^${old.keyId} was already revoked\\.`));
      expect(again.stdout).toContain(then.replace('NEW', rotated.keyId));
      expect(await statusWith(old.apiKey)).toBe(401);
      expect(await statusWith(rotated.apiKey)).toBe(200);
    },
  );

  it('says what is meant if an owner is given as an operator, or a key as an owner', async () => {
    const { owner, ownerId, keyId } = await issue();

    expect(await admin(`orders reopen --since 1h --yes --cancelled-by ${owner}`)).toMatchObject({
      exitCode: 4,
      stderr: expect.stringContaining(`give its id: ${ownerId}`),
    });
    expect((await admin(`owners show ${keyId}`)).stderr).toContain(
      `There is no owner "${keyId}"; "./admin keys show ${keyId} --local`,
    );
  });

  it('refuses the keys of an owner while the owner is suspended', async () => {
    const { owner, ownerId, keyId, apiKey } = await issue();

    await adminJson(`owners suspend ${owner} --yes`);
    const suspended = await statusWith(apiKey);
    const { stdout } = await admin(`keys issue --owner ${owner}`);
    const shown = await admin(`keys show ${keyId}`);
    expect(shown.stdout).toMatch(/\n\nThe owner is suspended\. "\.\/admin keys rotate/);
    await adminJson(`owners resume ${owner}`);

    expect([suspended, await statusWith(apiKey)]).toEqual([401, 200]);
    expect(stdout).toContain(
      `suspended; works after "./admin owners resume ${ownerId} --local http`,
    );
  });

  it('lists the usage of owners, the busiest first', async () => {
    const one = await issue();
    nowMs += 1_000;
    const two = await issue();
    await statusWith(one.apiKey);

    const { stdout, stderr } = await admin('owners list', { isTerminal: true });

    expect(stderr).toBe(`stage staging at ${service.origin}\n`);
    expect(stdout.indexOf(one.ownerId)).toBeLessThan(stdout.indexOf(two.ownerId));
    expect(stdout).toMatch(/^OWNER ID +PLAN +STATUS +KEYS +BANS +TODAY +PER DAY +NAME\n/);
    const row = `${one.ownerId} +free +active +1 +0 +1 +1,000 +${one.owner}`;
    expect(stdout).toMatch(new RegExp(`^${row}$`, 'm'));
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('shows the requests that the gateway has metered, of all owners or of one by day', async () => {
    const { owner, ownerId, apiKey } = await issue();
    await statusWith(apiKey);

    const all = await admin('owners usage');
    await adminJson(`owners set-plan ${owner} pro`);
    await statusWith(apiKey);
    const one = await admin(`owners usage ${owner} --month 2026-11`);

    expect(all.stdout).toMatch(/^OWNER ID +PLAN +REQUESTS +NAME$/m);
    expect(all.stdout).toMatch(new RegExp(`^${ownerId} +free +1 +${owner}$`, 'm'));
    expect(all.stdout).toMatch(/\n\n[\d,]+ requests from 2026-11-01 to 2026-11-20\.\n$/);
    expect(one.stdout).toBe(
      'DAY         REQUESTS\n2026-11-20         2\n\n2 requests from 2026-11-01 to 2026-11-20.\n',
    );
  });

  it.each<[string, (key: { keyId: string; owner: string }) => string]>([
    ['Revoke key_', ({ keyId }) => `keys revoke ${keyId}`],
    ['Revoke key_', ({ keyId }) => `keys rotate ${keyId} --grace 0s`],
    ['Revoke key_', ({ keyId }) => `keys expire ${keyId} 0s`],
    ['Suspend Owner', ({ owner }) => `owners suspend ${owner}`],
    ['Delete Owner', ({ owner }) => `owners delete ${owner}`],
  ])(
    'I17: asks "%s…?" on a terminal, does nothing without a yes, and after it refuses the next request',
    async (question, line) => {
      const key = await issue();
      const command = line(key);

      const asked = await admin(command, { isTerminal: true, input: 'n\n' });
      const script = await admin(command);

      expect([asked, script]).toMatchObject(Array(2).fill({ exitCode: 1, stdout: '' }));
      expect(asked.stderr).toMatch(
        new RegExp(
          `^stage staging at http\\S+: ${question}.*\\? .*\\[y/N\\] error: not confirmed: nothing`,
        ),
      );
      expect(script.stderr).toMatch(
        /nothing was changed, .* no terminal to .*; confirm with --yes\n$/,
      );
      expect(await statusWith(key.apiKey)).toBe(200);
      await adminJson(`${command} --yes`);
      expect(await statusWith(key.apiKey)).toBe(401);
    },
  );

  it('repairs API Gateway keys that are missing or in no usage plan, leaves out an owner whose plan was removed, and ends with exit code 4', async () => {
    const [{ owner, ownerId }, missing, inNoPlan] = [
      await issue(),
      await issue(),
      await issue('pro'),
    ];
    const gatewayKeys = () =>
      [...service.controlPlane.keys.values()]
        .map((key) => `${key.value} ${key.usagePlanId}`)
        .sort();
    const before = gatewayKeys();
    await setStored(ownerId, { plan: 'gold' }, stage);
    for (const each of [missing, inNoPlan]) await deleteGatewayKeys(each.ownerId, stage);
    const value = `${inNoPlan.ownerId}_pro`;
    const name = `${stage.stackName}-${value}`;
    await stage.gateway.createGatewayKey({ name, value, tags: {} });
    expect(await statusWith(missing.apiKey)).toBe(503);
    expect((await admin('owners list')).stdout).toMatch(/ gold \(removed\) /);

    const { exitCode, stdout, stderr } = await admin('owners repair');
    const again = await admin('owners repair');
    const shown = await admin(`owners show ${ownerId}`);
    await adminJson(`owners set-plan ${owner} free`);

    expect([exitCode, stdout.match(/own_\w+/g)!.sort()]).toEqual([
      4,
      [missing.ownerId, inNoPlan.ownerId].sort(),
    ]);
    expect(stderr).toContain(
      `error: 1 owner not repaired: ${ownerId}; "./admin owners show ${ownerId}`,
    );
    expect(gatewayKeys()).toEqual(before);
    const already = 'owner already had the API Gateway key of its plan.\n';
    expect(again.stdout).toBe(`Every other ${already}`);
    expect(shown.stdout).toMatch(
      new RegExp(
        `^plan +gold, which was removed: "./admin owners set-plan ${ownerId} free --loc`,
        'm',
      ),
    );
    expect((await admin('owners repair')).stdout).toBe(`Every ${already}`);
  });

  it('shows who has changed what of an owner and its keys, and when, also after its deletion', async () => {
    const { owner, ownerId, keyId } = await issue();
    const at = new Date(nowMs).toISOString();
    const limits = '--per-minute 70 --per-day 500';
    await adminJson(`owners set-plan ${owner} enterprise ${limits} --as Ann`);
    // Changes nothing, so it is not recorded.
    await adminJson(`owners set-plan ${owner} enterprise --as Eve`);
    // This operator's clock is behind.
    nowMs -= 1_000;
    await adminJson(`keys expire ${keyId} 1h --yes --as Bob`);
    nowMs += 1_000;
    await adminJson(`keys revoke ${keyId} --yes --as Bob`);

    const { stdout } = await admin(`owners history ${owner}`);
    const history = await adminJson(`owners history ${owner}`);

    const to = (value: unknown) => ({ from: null, to: value });
    const end = new Date(nowMs + 3_599_000).toISOString().replace('.000', '');
    const earlier = new Date(nowMs - 1_000).toISOString();
    const records = history.map((each: HistoryRecord) => [
      ...[each.at, each.by, each.command, each.keyIds, each.changes],
    ]);
    expect(records).toEqual([
      [at, 'Bob', 'keys revoke', [keyId], { status: { from: 'valid', to: 'revoked' } }],
      [earlier, 'Bob', 'keys expire', [keyId], { expiresAt: to(end) }],
      [
        ...[at, 'Ann', 'owners set-plan', undefined],
        { plan: { from: 'free', to: 'enterprise' }, perMinute: to(70), perDay: to(500) },
      ],
      [at, 'local', 'keys issue', [keyId], {}],
      [at, 'local', 'owners create', undefined, { name: to(owner), plan: to('free') }],
    ]);
    expect(Object.keys(history[0]).slice(0, 3)).toEqual(['at', 'by', 'command']);
    expect(stdout).toMatch(
      new RegExp(
        `^when +${at}\nwho +Bob\ncommand +keys revoke\nkeys +${keyId}\nchanges +status valid → revoked\n\nwhen `,
      ),
    );
    expect(stdout).toMatch(
      /who +Ann\n.*\nchanges +perDay none → 500, perMinute none → 70, plan free → enterprise\n/,
    );
    await adminJson(`owners delete ${owner} --yes`);
    expect(await adminJson(`owners history ${ownerId}`)).toMatchObject([
      { by: 'local', command: 'owners delete' },
    ]);
    const nobody = await admin(`owners history own_${'0'.repeat(20)}`);
    expect(nobody.stderr).toMatch(/^error: There is no owner "own_0+"/);
  });

  it('asks before it lets a key expire earlier, and not later', async () => {
    const { keyId, apiKey } = await issue();
    const expire = (when: string, io?: AdminOptions) => admin(`keys expire ${keyId} ${when}`, io);
    const end = new Date(nowMs + 60_000).toISOString();

    const asked = await expire(end, { isTerminal: true, input: 'n\n' });
    const earlier = await expire(`${end} --yes`);
    const later = await expire('2h');
    const never = await expire('never');

    expect(asked.stderr).toContain(
      `: Let ${keyId} expire at ${end.replace(/\.\d+/, '')}? At present, it never expires. [y/N]`,
    );
    expect(earlier.stdout).toBe(`${keyId} works until ${end.replace(/\.\d+/, '')}.\n`);
    expect([asked, earlier, later, never].map(({ exitCode }) => exitCode)).toEqual([1, 0, 0, 0]);
    expect(never.stdout).toBe(`${keyId} never expires.\n`);
    expect(await statusWith(apiKey)).toBe(200);
  });

  it('I25: lifts a ban, and shows what happened', async () => {
    const { keyId, apiKey, ownerId } = await issue();
    const { toleratedRejectionsPerMinute, banSeconds } = plans.enterprise;
    await adminJson(`owners set-plan ${ownerId} enterprise --per-minute 1 --per-day 9`);
    const statuses = [await statusWith(apiKey), await statusWith(apiKey)];
    await setStored(keyId, { rejectionCount: toleratedRejectionsPerMinute }, stage);
    // The function has not seen the count that the first of these requests meets, so it counts this request with the
    // next request.
    statuses.push(await statusWith(apiKey), await statusWith(apiKey));
    expect(statuses).toEqual([200, 429, 429, 429]);
    const banned = await adminJson(`keys show ${keyId}`);
    expect(Date.parse(banned.bannedUntil)).toBe(nowMs + banSeconds * 1_000);

    const { bans } = await adminJson(`owners show ${ownerId}`);
    expect(bans).toEqual([{ keyId, bannedUntil: banned.bannedUntil }]);
    const reset = await admin(`owners reset-usage ${ownerId}`);
    const until = `until ${banned.bannedUntil}`;
    const { stdout } = await admin(`keys show ${keyId}`);
    expect(stdout).toMatch(new RegExp(`^ban +${until}, because too many .+`, 'm'));
    expect(reset.stdout).toMatch(
      new RegExp(
        `^ban +${until}, because .+: "./admin keys unban ${keyId} --local \\S+" lifts it$`,
        'm',
      ),
    );
    expect(reset.stdout).toMatch(/^this minute +0 of 1 used,/m);
    expect(await statusWith(apiKey)).toBe(429);

    const unbanned = await admin(`keys unban ${keyId}`);

    expect(unbanned.stdout).toBe(`The ban of ${keyId} is lifted.\n`);
    expect(await adminJson(`keys unban ${keyId}`)).toMatchObject({ wasBanned: false });
    expect((await findKey(keyId, stage)).entry).not.toHaveProperty('rejectionCount');
    expect(await statusWith(apiKey)).toBe(200);
  });

  it('I5: cannot ship what a client has cancelled, and a client cannot cancel what has shipped', async () => {
    const { apiKey } = await issue();
    const path = directory.write('orders.jsonl', '{"id":11}\n{"id":12}\n');
    await adminJson(`orders import ${path}`);
    const cancel = (id: number) =>
      fetch(`${service.outputs.BaseUrl}/store/orders/${id}`, {
        method: 'DELETE',
        headers: { Authorization: `Bearer ${apiKey}` },
      });

    expect((await cancel(11)).status).toBe(204);
    const refused = await admin('orders ship 11');
    await admin('orders ship 12');

    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toMatch(
      /^error: Order 11 is cancelled since \S+ by key_\w+; if its parcel has left, run "\.\/admin orders reopen 11/,
    );
    expect((await cancel(12)).status).toBe(409);
  });
});

describe.each<[line: string, remedy: string, number?: number]>([
  ['owners create New-OWNER --plan free', 'the command again\n'],
  ['owners create New-OWNER --plan free', '"./admin keys issue --owner ID", which creates', 2],
  ['owners set-plan OWNER business', 'the command again\n'],
  ['owners delete OWNER --yes', '"./admin owners delete ID" to complete it\n'],
  ['owners delete OWNER --yes', '"./admin owners delete ID" to complete it\n', 2],
  ['keys rotate KEY', '"./admin keys rotate ID --grace 0s", which revokes'],
  ['keys revoke KEY --yes', 'the command again\n'],
  ['keys issue --owner OWNER', '"./admin keys revoke ID", then this command again\n'],
])('%s', (line, remedy, number = 1) => {
  /** Runs the command, with a fault at one of its writes. */
  async function runWith(fault: Reply, interruption?: AbortSignal) {
    const { owner, keyId } = await issue('pro');
    let writes = 0;
    await using proxy = await DynamodbProxy.before(service.origin);
    proxy.reply = (call) => {
      const { method, url } = call.incoming;
      const isRead = call.operation
        ? /^(Get|Scan)/.test(call.operation)
        : url === '/' || method === 'GET';
      return (!isRead && ++writes === number ? fault : forward)(call);
    };
    const environment = { ORDERS_LOCAL: proxy.url };
    const words = line.replace('OWNER', owner).replace('KEY', keyId);
    const ended = await admin(words, { environment, ...(interruption && { interruption }) });
    return { ...ended, writes };
  }

  it('is done if the response to a write is lost, because a repeated write has no second effect', async () => {
    const { exitCode, stderr } = await runWith(executedAndLost);

    expect([exitCode, stderr]).toEqual([0, '']);
  });

  it('makes no further call after Ctrl+C, and says how to complete it', async () => {
    const operator = new AbortController();

    const ended = await runWith(() => operator.abort(), operator.signal);

    expect(ended).toMatchObject({ exitCode: 5, stdout: '', writes: number });
    const masked = ended.stderr
      .replaceAll(/(own|key)_\w+/g, 'ID')
      .replaceAll(/ --local \S+"/g, '"');
    expect(masked).toMatch(/^error: (.*: )?interrupted; /);
    expect(masked).toContain(`run ${remedy}`);
    if (number === 1) return;
    const [, rest] = /run "\.\/admin (.*) --local /.exec(ended.stderr)!;
    const completed = await admin(rest!, { isTerminal: true, input: 'y\n' });
    expect(completed.exitCode).toBe(0);
  });
});

it('Ctrl+C before a call ends a command, and it can be run again', async () => {
  expect(await admin('owners list', { interruption: AbortSignal.abort() })).toEqual({
    exitCode: 5,
    stdout: '',
    stderr: 'error: interrupted; run the command again\n',
  });
});
