import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CloudFormationClient, DescribeStacksCommand } from '@aws-sdk/client-cloudformation';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import type { KeySummary } from '../../admin/keys/key-description.ts';
import { keyList } from '../../admin/keys/key-texts.ts';
import { fileFields } from '../../admin/orders/order-record.ts';
import { usagePlanOutput } from '../../lib/settings/names.ts';
import { planNames } from '../../lib/settings/plans.ts';
import { stageNames } from '../../lib/settings/stages.ts';
import { embeddedDynamoDbOfFile } from '../helpers/dynamodb/embedded-dynamodb.ts';
import { temporaryDirectoryOfEachTest } from '../helpers/temporary-directory.ts';
import { admin } from './run-admin.ts';

const cloudFormation = mockClient(CloudFormationClient);
const keyId = `key_${'0'.repeat(32)}`;

const database = embeddedDynamoDbOfFile();
const directory = temporaryDirectoryOfEachTest();
let ordersTable: string;

beforeEach(async () => {
  ordersTable = await database.createOrdersTable();
  cloudFormation.reset();
  cloudFormation.on(DescribeStacksCommand).resolves({ Stacks: [stackWith(ordersTable)] });
});

/** The stack comes from the mock, the tables are the embedded DynamoDB's. */
const onService = (...words: string[]) =>
  admin([...words, '--local', database.endpoint], { stateDirectory: directory.path });

describe('which service is operated', () => {
  it.each([[[]], [['--stage', 'prod', '--local', 'http://127.0.0.1:1']]])(
    'demands exactly one of --stage and --local: %j',
    async (words) => {
      expect(await admin(['keys', 'list', ...words])).toEqual({
        exitCode: 2,
        stdout: '',
        stderr: `error: Say which service to operate: exactly one of --stage ${stageNames.join('|')} and --local URL\n`,
      });
    },
  );

  it("finds a stage through its stack's outputs", async () => {
    const { stderr } = await admin(['orders', 'show', 'x', '--stage', 'prod']);

    expect(stderr).toContain('order id: "x" is not accepted');
    expect(cloudFormation.commandCalls(DescribeStacksCommand)[0]!.args[0].input).toEqual({
      StackName: 'StoreOrders-prod',
    });
  });

  it('says what to do when the stage is not deployed', async () => {
    cloudFormation
      .on(DescribeStacksCommand)
      .rejects(new Error('Stack with id StoreOrders-prod does not exist'));

    const { stderr } = await admin(['keys', 'list', '--stage', 'prod']);

    expect(stderr).toBe(
      'error: stage prod: there is no stack StoreOrders-prod in this account and Region; deploy it with ' +
        '"npx cdk deploy StoreOrders-prod", or correct AWS_PROFILE and AWS_REGION\n',
    );
  });

  it('says what to do when no local service is running', async () => {
    cloudFormation
      .on(DescribeStacksCommand)
      .rejects(new Error('connect ECONNREFUSED 127.0.0.1:3000'));

    const { stderr } = await admin(['keys', 'list', '--local', 'http://127.0.0.1:3000/staging/v1']);

    expect(stderr).toBe(
      'error: http://127.0.0.1:3000: no connection for the call (connect ECONNREFUSED ' +
        '127.0.0.1:3000); start the service with "npm start", or correct --local\n',
    );
  });

  it('says what to do when the stack is of another version', async () => {
    cloudFormation.on(DescribeStacksCommand).resolves({
      Stacks: [{ StackName: 'StoreOrders-prod', CreationTime: undefined, StackStatus: undefined }],
    });

    const { stderr } = await admin(['keys', 'list', '--stage', 'prod']);

    expect(stderr).toMatch(/^error: stage prod: the stack has no output \w+; .*deploy it again\n$/);
  });

  it.each([
    [{ STORE_ORDERS_STAGE: 'prod' }, [], 'StoreOrders-prod'],
    [{ STORE_ORDERS_STAGE: 'prod' }, ['--stage', 'staging'], 'StoreOrders-staging'],
    [{ STORE_ORDERS_STAGE: 'prod' }, ['--local', 'http://127.0.0.1:1'], undefined],
    [{ STORE_ORDERS_LOCAL: 'http://127.0.0.1:1' }, [], undefined],
  ])(
    'is named in the environment too, where none is typed: %j %j',
    async (environment, words, StackName) => {
      await admin(['orders', 'show', 'x', ...words], { environment });

      const [call] = cloudFormation.commandCalls(DescribeStacksCommand);
      expect(call!.args[0].input).toEqual(StackName === undefined ? {} : { StackName });
    },
  );

  it('is said with the result, and with the question before it', async () => {
    const path = directory.write('orders.jsonl', '{"id":1}\n');

    const { stderr } = await onService('orders', 'import', path);
    const json = await onService('orders', 'import', path, '--json');

    expect(stderr).toBe(`stage staging at ${database.endpoint}\n`);
    expect(json.stderr).toBe('');
  });

  it.each([
    [
      ['--stage', 'nowhere'],
      `error: --stage: "nowhere" is not accepted; expected one of ${stageNames.join(', ')}\n`,
    ],
    [
      ['--local', '3000'],
      'error: --local: "3000" is not accepted; expected the service\'s origin, such as',
    ],
    [['--local', 'ftp://x'], 'error: --local: "ftp://x" is not accepted'],
  ])('refuses %j', async (words, message) => {
    const { exitCode, stderr } = await admin(['keys', 'list', ...words]);

    expect(exitCode).toBe(1);
    expect(stderr).toContain(message);
  });
});

describe('errors', () => {
  it.each([
    [
      1,
      ['keys', 'list', '--status', 'gone'],
      '--status: "gone" is not accepted; expected one of active, banned, suspended, expired, revoked, unfinished',
    ],
    [
      1,
      ['keys', 'purge', '--older-than', 'long'],
      '--older-than: "long" is not accepted; expected a duration such as 30s, 15m, 24h or 90d',
    ],
    [
      1,
      ['keys', 'issue', '--plan', 'gold', '--owner', 'x'],
      `--plan: "gold" is not accepted; expected one of ${planNames.join(', ')}`,
    ],
    [
      1,
      ['owners', 'set-plan', 'x', 'gold'],
      `plan: "gold" is not accepted; expected one of ${planNames.join(', ')}`,
    ],
    [
      1,
      ['keys', 'issue', '--plan', 'free', '--owner', 'x', '--per-day', '1e3'],
      '--per-day: "1e3" is not accepted; expected a whole number from 1',
    ],
    [
      1,
      ['keys', 'issue', '--owner', 'Acme', '--expires-in', '0s'],
      '--expires-in: "0s" is not accepted; expected a duration of at least a second, such as 90d',
    ],
    [
      1,
      ['keys', 'rotate', keyId, '--grace', '1 day'],
      '--grace: "1 day" is not accepted; expected a duration such as 30s, 15m, 24h or 90d',
    ],
    [
      1,
      ['orders', 'import', 'x', '--on-error', 'cry'],
      '--on-error: "cry" is not accepted; expected one of stop, skip',
    ],
    [
      1,
      ['orders', 'export', '--format', 'xml'],
      '--format: "xml" is not accepted; expected one of json, jsonl, csv',
    ],
    [
      2,
      ['owners', 'create', 'x'],
      "required option '--plan <plan>' not specified; --help tells more",
    ],
    [
      2,
      ['keys', 'purge', '--all', '--owner', 'x'],
      '--all means every key; leave --owner and --older-than out',
    ],
    [
      2,
      ['keys', 'whois', `so_live_${'a'.repeat(46)}`],
      'keys whois reads the API key from standard input only: a command line is seen by others and kept in histories; run it without an argument and type the key, or give it a file: "< leaked.txt"',
    ],
    [2, ['keys', 'lst'], "unknown command 'lst' (Did you mean list?); --help tells more"],
    [2, ['keys', 'list', '--colour'], "unknown option '--colour'; --help tells more"],
    [
      2,
      ['keys', 'issue', '--plan', 'free'],
      "required option '--owner <owner>' not specified; --help tells more",
    ],
    [2, ['keys', 'show'], "missing required argument 'keyId'; --help tells more"],
    [
      2,
      ['keys', 'list', 'all'],
      "too many arguments for 'list'. Expected 0 arguments but got 1: all.; --help tells more",
    ],
  ])(
    'are one line, with exit code %i, before anything is called: %j',
    async (code, words, message) => {
      const { exitCode, stdout, stderr } = await admin([...words, '--stage', 'staging']);

      expect({ exitCode, stdout, stderr }).toEqual({
        exitCode: code,
        stdout: '',
        stderr: `error: ${message}\n`,
      });
      expect(cloudFormation.calls()).toHaveLength(0);
    },
  );

  it('are one line of JSON where JSON is asked for', async () => {
    const refused = await admin(['keys', 'show', 'x', '--stage', 'prod', '--json']);
    const misspelt = await admin(['keys', 'lst', '--json']);

    expect(JSON.parse(refused.stderr)).toEqual({
      error: {
        class: 'refused',
        code: 'invalidValue',
        message: 'key id: "x" is not accepted',
        remedy: 'expected a whole one, "key_" and 32 characters, as "keys list" shows it',
      },
    });
    expect(JSON.parse(misspelt.stderr).error).toMatchObject({ class: 'usage', code: 'usage' });
    expect([refused.stdout, misspelt.stdout]).toEqual(['', '']);
  });

  it('repeat neither a password nor an endless word', async () => {
    const url = await admin(['keys', 'list', '--local', 'http://ann:secret@[::1']);
    const word = await admin(['k'.repeat(50_000)]);

    expect(url.stderr).toMatch(/^error: --local: "http:\/\/…@\[::1" is not accepted/);
    expect(word.stderr.length).toBeLessThan(200);
  });

  it('are all commands where none is named', async () => {
    const { exitCode, stderr } = await admin([]);

    expect(exitCode).toBe(2);
    expect(stderr).toContain('Usage: npm run admin --');
  });

  it('name no account and no token', async () => {
    const token = `so_live_${'a'.repeat(46)}`;
    cloudFormation
      .on(DescribeStacksCommand)
      .rejects(
        new Error(
          `User: arn:aws:iam::123456789012:user/ann is not authorized in account 123456789012 ${token}`,
        ),
      );

    const { stderr } = await admin(['keys', 'list', '--stage', 'prod']);

    expect(stderr).not.toContain('123456789012');
    expect(stderr).not.toContain(token);
    expect(stderr).toContain('arn:aws:iam::…:user/ann is not authorized');
  });

  it('cannot change the terminal, whatever a server answers', async () => {
    cloudFormation.on(DescribeStacksCommand).rejects(new Error('\u001b]0;owned\u0007 \u009b2J'));

    const { stderr } = await admin(['keys', 'list', '--stage', 'prod']);

    expect(stderr).toContain('\\u001b]0;owned\\u0007 \\u009b2J');
    expect(stderr).not.toMatch(/(?!\n)\p{Cc}/u);
  });

  it('do not repeat a word that looks like a token, or moves the cursor', async () => {
    const word = `so_test_${'a'.repeat(46)}\u001b[1A`;

    for (const words of [[word], ['keys', word], ['keys', 'show', word], ['keys', 'list', word]]) {
      const { stdout, stderr } = await admin([...words, '--stage', 'prod']);

      expect(stderr).toMatch(/^error: /);
      expect(stdout + stderr).not.toContain('aaaa');
      expect(stdout + stderr).not.toContain('\u001b');
    }
  });

  it('tell how to sign in again when the session has expired', async () => {
    const dynamodb = mockClient(DynamoDBDocumentClient);
    const refused = Object.assign(
      new Error('The security token included in the request is expired'),
      {
        name: 'ExpiredTokenException',
      },
    );
    dynamodb.on(ScanCommand).rejects(refused);

    const { stderr } = await admin(['keys', 'list', '--stage', 'prod']);
    dynamodb.restore();

    expect(stderr).toBe(
      'error: stage prod: the AWS session has expired (The security token included in the request ' +
        'is expired); sign in again with "aws sso login", or set AWS_PROFILE to another profile\n',
    );
  });
});

describe('help', () => {
  /** The names that the help of a command lists below it. */
  async function namesBelow(words: string[]): Promise<string[]> {
    const { stdout } = await admin([...words, '--help']);
    const [list = ''] = stdout.split('\nCommands:\n')[1]?.split('\n\n') ?? [];
    const names = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name!);
    return names.filter((name) => name !== 'help');
  }

  it('shows the options and an example of every command', async () => {
    const groups = await namesBelow([]);
    const commands: string[][] = [[]];
    for (const group of groups) {
      commands.push(...(await namesBelow([group])).map((name) => [group, name]));
    }

    const helps = await Promise.all(commands.map((words) => admin([...words, '--help'])));

    expect(commands).toContainEqual(['owners', 'reset-usage']);
    for (const { exitCode, stdout } of helps) {
      expect(exitCode).toBe(0);
      expect(stdout).toContain('--stage <stage>');
      expect(stdout).toMatch(/Examples:\n {2}npm run admin -- /);
    }
  });
});

describe('keys list', () => {
  it('reads page after page', async () => {
    const dynamodb = mockClient(DynamoDBDocumentClient);
    const owner = (name: string) => {
      const ownerId = `own_${name.repeat(20)}`;
      const details = { lastFour: 'abcd', createdAt: name, tokenHash: name };
      return { ownerId, name, ownerHash: name, keys: { [`key_${name.repeat(32)}`]: details } };
    };
    dynamodb
      .on(ScanCommand)
      .resolves({ Items: [] })
      .on(ScanCommand, { TableName: 'Owners' })
      .resolvesOnce({ Items: [owner('1')], LastEvaluatedKey: { ownerId: 'x' } })
      .resolvesOnce({ Items: [], LastEvaluatedKey: { ownerId: 'y' } })
      .resolves({ Items: [owner('2')] });
    const stack = stackWith('x');
    stack.Outputs.find(({ OutputKey }) => OutputKey === 'OwnersTableName')!.OutputValue = 'Owners';
    cloudFormation.on(DescribeStacksCommand).resolves({ Stacks: [stack] });

    const { stdout } = await admin(['keys', 'list', '--stage', 'prod', '--json']);
    dynamodb.restore();

    expect(JSON.parse(stdout).map(({ owner }: KeySummary) => owner)).toEqual(['2', '1']);
  });

  it('is a table for people', () => {
    const key: KeySummary = {
      keyId,
      owner: 'Acme Ltd',
      ownerId: `own_${'0'.repeat(20)}`,
      label: 'web shop',
      lastFour: 'o2vB',
      plan: 'business',
      status: 'banned',
      perMinute: 1_000,
      perDay: 100_000,
      createdAt: '2026-11-20T09:30:00.000Z',
      expiresAt: null,
      bannedUntil: '2026-11-20T09:35:00Z',
      lastUsedAt: '2026-11-20T09:31:00Z',
    };
    const unused: KeySummary = {
      ...key,
      owner: 'I',
      status: 'revoked',
      label: null,
      lastUsedAt: null,
    };

    expect(keyList([key, unused], { isFiltered: false }).split('\n')).toEqual([
      'KEY ID                                OWNER     PLAN      LABEL     API KEY  STATUS   CREATED                   EXPIRES  LAST USED',
      `${keyId}  Acme Ltd  business  web shop  …o2vB    banned   2026-11-20T09:30:00.000Z  never    2026-11-20T09:31Z`,
      `${keyId}  I         business  -         …o2vB    revoked  2026-11-20T09:30:00.000Z  never    never`,
    ]);
    expect(keyList([], { isFiltered: false })).toBe(
      'There are no keys yet; "keys issue" makes one.',
    );
    expect(keyList([], { isFiltered: true })).toBe('There are no such keys.');
  });
});

describe('orders import', () => {
  const orders = (count: number) =>
    Array.from({ length: count }, (_, id) => `{"id":${id}}\n`).join('');

  it('prints a summary, and no progress where there is no terminal', async () => {
    const path = directory.write('orders.jsonl', orders(30));

    const run = await onService('orders', 'import', path);

    expect(run).toEqual({
      exitCode: 0,
      stdout: expect.stringMatching(
        /^Imported 30 orders in \d+\.\d s; 0 were there already; 0 bad lines left out\.\n$/,
      ),
      stderr: `stage staging at ${database.endpoint}\n`,
    });
  });

  it('prints the same as JSON', async () => {
    const path = directory.write('orders.csv', 'id\n1\n');

    const { stdout } = await onService('orders', 'import', path, '--json');

    expect(JSON.parse(stdout)).toEqual({
      file: path,
      format: 'csv',
      inserted: 1,
      alreadyThere: 0,
      different: 0,
      rejected: 0,
      resumedAtLine: null,
      seconds: expect.any(Number),
    });
  });

  it('draws a bar with rate and time left on a terminal', async () => {
    const path = directory.write('orders.jsonl', orders(100));

    const { stderr } = await admin(['orders', 'import', path, '--local', database.endpoint], {
      stateDirectory: directory.path,
      isTerminal: true,
    });

    expect(stderr).toMatch(/checking \[=* *\] \d+% \|/);
    expect(stderr).toMatch(/loading \[={30}\] 100% \| 100 orders \| [\d,]+\/s \| 0s left/);
  });

  it('names the file and line of every bad line, and loads nothing', async () => {
    const path = directory.write('orders.jsonl', '{"id":1}\n{"id":"two"}\n{"id":3,"complete":0}\n');

    const { exitCode, stdout, stderr } = await onService('orders', 'import', path);

    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' });
    expect(stderr.split('\n')).toEqual([
      `${path}: line 2: id: "two" is not accepted; expected an integer from -9223372036854775808 to 9223372036854775807`,
      `${path}: line 3: complete: 0 is not accepted; expected true or false`,
      `error: ${path}: 2 bad lines beside 1 good one; nothing was loaded: correct them, or load the ` +
        'others with --on-error skip',
      '',
    ]);
    expect(await database.readAll(ordersTable)).toEqual([]);
  });

  it('loads the others when asked to, and counts what was left out', async () => {
    const path = directory.write('orders.jsonl', '{"id":1}\nnonsense\n{"id":3}\n');

    const { exitCode, stdout } = await onService(
      'orders',
      'import',
      path,
      '--on-error',
      'skip',
      '--json',
    );

    expect(exitCode).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ inserted: 2, rejected: 1 });
  });
});

describe('orders import over other orders', () => {
  it('tells of the first twenty that differ, and counts all', async () => {
    const lines = (petId: number) =>
      Array.from({ length: 30 }, (_, id) => `{"id":${id},"petId":${petId}}\n`).join('');
    await onService('orders', 'import', directory.write('one.jsonl', lines(1)));

    const { exitCode, stdout, stderr } = await onService(
      'orders',
      'import',
      directory.write('other.jsonl', lines(2)),
    );

    expect(exitCode).toBe(0);
    expect(stdout).toContain('0 were there already; 30 with other values, left as they are; 0 bad');
    expect(stderr.split('\n')).toHaveLength(23);
    expect(stderr).toContain('other.jsonl: line 20: id: order 19 is in the table already');
  });
});

describe('orders export', () => {
  const lines = [
    '{"id":9007199254740993,"petId":7,"quantity":2,"shipDate":"2026-11-20T09:30:00Z","complete":false,"status":"cancelled"}',
    '{"id":-5,"status":"pending"}',
  ];

  beforeEach(async () => {
    await onService('orders', 'import', directory.write('in.jsonl', `${lines.join('\n')}\n`));
  });

  it.each(['jsonl', 'json', 'csv'])(
    'writes a %s file that imports as the same orders',
    async (format) => {
      const out = join(directory.path, `out.${format}`);
      const before = await database.readAll(ordersTable);

      const { stdout } = await onService('orders', 'export', '--out', out, '--json');

      expect(JSON.parse(stdout)).toEqual({ orders: 2, format, out });
      ordersTable = await database.createOrdersTable();
      cloudFormation.on(DescribeStacksCommand).resolves({ Stacks: [stackWith(ordersTable)] });
      const imported = await onService('orders', 'import', out, '--json');
      expect(JSON.parse(imported.stdout)).toMatchObject({ inserted: 2, format });
      expect(await database.readAll(ordersTable)).toEqual(before);
    },
  );

  it('leaves no part of a file behind when it fails', async () => {
    const out = join(directory.path, 'no-such-folder', 'out.jsonl');

    const { exitCode, stderr } = await onService('orders', 'export', '--out', out);

    expect(exitCode).toBe(1);
    expect(stderr).toContain(`error: ${out}: not exported: ENOENT`);
    expect(readdirSync(directory.path)).toEqual(['in.jsonl']);
  });

  it('writes an empty file of an empty table', async () => {
    const empty = await database.createOrdersTable();
    cloudFormation.on(DescribeStacksCommand).resolves({ Stacks: [stackWith(empty)] });
    const texts = [];
    for (const format of ['jsonl', 'json', 'csv']) {
      const out = join(directory.path, `empty.${format}`);
      await onService('orders', 'export', '--out', out);
      texts.push(readFileSync(out, 'utf8'));
    }

    expect(texts).toEqual(['', '[\n\n]\n', `${fileFields.join()}\n`]);
  });
});

describe('orders show and ship', () => {
  it('says so when there is no such order', async () => {
    expect((await onService('orders', 'show', '1')).stderr).toBe('error: No order has the id 1\n');
    expect((await onService('orders', 'ship', '1')).stderr).toBe('error: No order has the id 1\n');
  });

  it('ships a pending order once', async () => {
    await onService('orders', 'import', directory.write('in.jsonl', '{"id":-7}\n'));

    const first = await onService('orders', 'ship', '-7', '--json');
    const second = await onService('orders', 'ship', '-7');

    expect(JSON.parse(first.stdout)).toEqual({
      id: -7,
      status: 'shipped',
      shippedAt: expect.stringMatching(/^\d{4}-/),
    });
    expect(second.stderr).toMatch(
      /^error: Order -7 is shipped since \S+: only a pending order can be shipped\n$/,
    );
  });
});

function stackWith(OrdersTableName: string) {
  const others = [
    ...planNames.map(usagePlanOutput),
    'ApiKeysTableName',
    'OwnersTableName',
    'BaseUrl',
  ];
  const outputs = [['OrdersTableName', OrdersTableName], ...others.map((name) => [name, 'x'])];
  return {
    StackName: 'StoreOrders-staging',
    CreationTime: undefined,
    StackStatus: undefined,
    Outputs: outputs.map(([OutputKey, OutputValue]) => ({ OutputKey, OutputValue })),
  };
}
