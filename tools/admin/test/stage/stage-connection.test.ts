import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { stackName } from '../../../../lib/settings/names.ts';
import { stageSettings } from '../../../../lib/settings/stages.ts';
import { type LoopbackServer, serve } from '../../../../test/helpers/loopback-server.ts';
import { temporaryDirectoryOfEachTest } from '../../../../test/helpers/temporary-directory.ts';
import { connect } from '../../stage/stage-connection.ts';
import { admin } from '../run-admin.ts';

const [own, other] = ['111122223333', '444455556666'];
const env = { account: own, region: 'eu-central-1' };
const environment = { ...process.env };
const directory = temporaryDirectoryOfEachTest();
let aws: LoopbackServer;
/** The calls that have arrived, such as `DescribeStacks`, each with its Region and access key. */
let calls: { action: string | null; region: string; accessKey: string }[];
/** What this double of AWS does. */
let state: {
  account: string;
  isDeployed: boolean;
  clockOffsetMs: number;
  outputs: Record<string, string>;
};

beforeEach(async () => {
  Object.assign(stageSettings('prod'), { env });
  calls = [];
  const outputs = {
    ApiKeysTableName: 'A',
    OwnersTableName: 'O',
    OrdersTableName: 'T',
    Plans: '{}',
  };
  state = { account: own, isDeployed: true, clockOffsetMs: 0, outputs };
  aws = await serve(async (call, response) => {
    const form = new URLSearchParams((await call.toArray()).join(''));
    const [, accessKey = '', region = ''] =
      /Credential=(\w+)\/\d+\/([\w-]+)\//.exec(call.headers.authorization ?? '') ?? [];
    calls.push({ action: form.get('Action'), region, accessKey });
    const [status, xml] = answerTo(form.get('Action'));
    const date = new Date(Date.now() + state.clockOffsetMs).toUTCString();
    response.writeHead(status, { date, 'content-type': 'text/xml' }).end(xml);
  });
  Object.assign(process.env, {
    AWS_ENDPOINT_URL: aws.url,
    AWS_ACCESS_KEY_ID: 'ann',
    AWS_SECRET_ACCESS_KEY: 'x',
    AWS_REGION: 'us-west-2',
    AWS_EC2_METADATA_DISABLED: 'true',
  });
});
afterEach(async () => {
  process.env = { ...environment };
  await aws[Symbol.asyncDispose]();
});

function answerTo(action: string | null): [status: number, xml: string] {
  const arn = `arn:aws:cloudformation:${env.region}:${state.account}:stack/${stackName('prod')}/1`;
  const outputs = Object.entries(state.outputs).map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const failure = (name: string, message: string) =>
    `<ErrorResponse><Error><Type>Sender</Type><Code>${name}</Code><Message>${message}</Message></Error></ErrorResponse>`;
  const result = (content: string) =>
    `<${action}Response><${action}Result>${content}</${action}Result></${action}Response>`;
  if (action === 'GetCallerIdentity') return [200, result(`<Account>${state.account}</Account>`)];
  if (!state.isDeployed) {
    return [400, failure('ValidationError', `Stack with id ${stackName('prod')} does not exist`)];
  }
  const stack = `<member><StackName>${stackName('prod')}</StackName><StackId>${arn}</StackId><Outputs>${outputs.join('')}</Outputs></member>`;
  return [200, result(`<Stacks>${stack}</Stacks>`)];
}

const connectToProd = () => connect({ stage: 'prod' }, { now: Date.now, operator: () => 'ann' });

describe('a connection to a stage', () => {
  it('is to the Region of the settings, whatever the environment names', async () => {
    expect((await connectToProd()).place).toBe(`stage prod (${own}, eu-central-1)`);

    const call = { region: 'eu-central-1', accessKey: 'ann' };
    const actions = ['GetCallerIdentity', 'DescribeStacks'];
    expect(calls).toEqual(actions.map((action) => ({ action, ...call })));
  });

  it('is to the account and Region of the credentials if the stage names none', async () => {
    Object.assign(stageSettings('prod'), { env: undefined });
    state.account = other;

    expect((await connectToProd()).place).toBe(`stage prod (${other}, us-west-2)`);

    expect(new Set(calls.map(({ region }) => region))).toEqual(new Set(['us-west-2']));
  });

  it('is refused if neither the stage nor the credentials name a Region', async () => {
    Object.assign(stageSettings('prod'), { env: undefined });
    delete process.env.AWS_REGION;

    await expect(connectToProd()).rejects.toThrow(
      'neither lib/settings/stages.ts nor the credentials name a Region (Region is missing)',
    );
    expect(calls).toEqual([]);
  });

  it('is refused, with the names of both accounts, if the credentials are for another account', async () => {
    state.account = other;

    await expect(connectToProd()).rejects.toMatchObject({
      failureClass: 'service',
      message: expect.stringContaining(
        `stage prod is in account ${own}, but the credentials are for account ${other}; set AWS_PROFILE`,
      ),
    });
    expect(calls).toHaveLength(1);
  });

  it('says in which account and Region there is no such stack', async () => {
    state.isDeployed = false;

    await expect(connectToProd()).rejects.toThrow(
      `There is no stack ${stackName('prod')} in account ${own}, Region eu-central-1; deploy it with "npx cdk deploy ${stackName('prod')}"`,
    );
  });

  it('needs the outputs of the tables, but that of a usage plan only if it is used', async () => {
    const missing =
      /^stage prod: this checkout is not the version that is deployed: the stack has no output \w+; check out/;

    const stage = await connectToProd();

    expect([stage.apiKeysTable, stage.ownersTable, stage.orders.tableName]).toEqual([
      'A',
      'O',
      'T',
    ]);
    expect(() => stage.usagePlanId('free')).toThrow(missing);
    delete state.outputs.OrdersTableName;
    await expect(connectToProd()).rejects.toThrow(missing);
  });

  it.each([
    [-600_000, /^error: this machine's clock is (599|60\d) s ahead of AWS's clock; set the clock/],
    [600_000, /^error: this machine's clock is (599|60\d) s behind AWS's clock; set the clock/],
    [5_000, /^error: order id/],
  ])("is refused if AWS's clock is minutes away from this machine's: %i ms", async (...given) => {
    const [offsetMs, message] = given;
    state.clockOffsetMs = offsetMs;

    const { stderr } = await admin(['orders', 'show', 'x', '--stage', 'prod']);

    expect(stderr).toMatch(message);
  });
});

it.each([200, 301, 404])(
  'an address whose server answers like no local service is named, with status %i',
  async (status) => {
    await using other = await serve((_, response) => void response.writeHead(status).end('<p>'));

    const { exitCode, stderr } = await admin(['owners', 'list', '--local', other.url]);

    expect([exitCode, stderr]).toEqual([
      1,
      `error: ${other.url} is not a local run of this service; correct the address\n`,
    ]);
  },
);

it.each([
  [
    'mfa',
    /Profile mfa requires multi-factor .*; .*For a profile with MFA, run eval "\$\(aws configure/,
  ],
  [
    'gone',
    /there are no credentials that AWS accepts \(AWS_PROFILE=gone: .*; sign in with "aws sso login", or set AWS_PR/,
  ],
])(
  'a connection needs credentials: the message says how to get them for profile %s',
  async (...given) => {
    const [name, message] = given;
    for (const each of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) delete process.env[each];
    process.env.AWS_CONFIG_FILE = directory.write(
      'config',
      `[profile mfa]
role_arn = arn:aws:iam::111122223333:role/Ops
source_profile = base
mfa_serial = arn:aws:iam::111122223333:mfa/ann
[profile base]
aws_access_key_id = ann
aws_secret_access_key = x
`,
    );
    process.env.AWS_SHARED_CREDENTIALS_FILE = directory.write('credentials', '');
    process.env.AWS_PROFILE = name;

    const { exitCode, stderr } = await admin(['owners', 'list', '--stage', 'prod']);

    expect(exitCode).toBe(3);
    expect(stderr).toMatch(message);
  },
);
