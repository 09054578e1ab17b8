import { describe, expect, it } from '@jest/globals';
import { stackName } from '../../../../lib/settings/names.ts';
import { stageSettings } from '../../../../lib/settings/stages.ts';
import { serve } from '../../../../test/helpers/loopback-server.ts';
import { temporaryDirectoryOfEachTest } from '../../../../test/helpers/temporary-directory.ts';
import { connect } from '../../stage/stage-connection.ts';
import { awsOfEachTest, account as own } from '../aws-of-each-test.ts';
import { admin } from '../run-admin.ts';

const other = '444455556666';
const directory = temporaryDirectoryOfEachTest();
const aws = awsOfEachTest();

const connectToProd = () => connect({ stage: 'prod' }, { now: Date.now, operator: () => 'ann' });

describe('a connection to a stage', () => {
  it('is to the Region of the settings, whatever the environment names', async () => {
    expect(await connectToProd()).toMatchObject({
      place: `stage prod (${own}, eu-central-1)`,
      apiKeysTable: 'A',
      ownersTable: 'O',
      orders: { tableName: 'T' },
    });

    const call = { region: 'eu-central-1', accessKey: 'ann' };
    const actions = ['GetCallerIdentity', 'DescribeStacks'];
    expect(aws.calls).toEqual(actions.map((action) => ({ action, ...call })));
  });

  it('is to the account and Region of the credentials if the stage names none', async () => {
    Object.assign(stageSettings('prod'), { env: undefined });
    aws.account = other;

    expect((await connectToProd()).place).toBe(`stage prod (${other}, us-west-2)`);

    expect(new Set(aws.calls.map(({ region }) => region))).toEqual(new Set(['us-west-2']));
  });

  it('is possible with a plan that the stage does not have, until this plan is used', async () => {
    const { usagePlanId } = await connectToProd();

    expect(() => usagePlanId('free')).toThrow('the stack has no output UsagePlanIdFree; check out');
  });

  it('is refused if neither the stage nor the credentials name a Region', async () => {
    Object.assign(stageSettings('prod'), { env: undefined });
    delete process.env.AWS_REGION;

    await expect(connectToProd()).rejects.toThrow(
      'neither lib/settings/stages.ts nor the credentials name a Region (Region is missing)',
    );
    expect(aws.calls).toEqual([]);
  });

  it.each<[Partial<typeof aws>, calls: number, RegExp | string]>([
    [
      { account: other },
      1,
      `account ${own}, but the credentials are for account ${other}; set AWS`,
    ],
    [
      { outputs: undefined },
      2,
      `no stack ${stackName('prod')} in account ${own}, Region eu-central-1; deploy`,
    ],
    [{ outputs: {} }, 2, 'not the version that is deployed: the stack has no output ApiKeysTab'],
    [
      { clockOffsetMs: -600_000 },
      2,
      /machine's clock is (599|60\d) s ahead of AWS's clock; set the/,
    ],
    [{ clockOffsetMs: 600_000 }, 2, /machine's clock is (599|60\d) s behind AWS's clock; set the/],
  ])('is refused in one line, which says why: %j', async (change, callCount, message) => {
    Object.assign(aws, change);

    await expect(connectToProd()).rejects.toThrow(message);

    expect(aws.calls).toHaveLength(callCount);
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
  ['mfa', /Profile mfa requires multi-factor .*; .*For a profile with MFA, run eval "\$\(aws con/],
  ['gone', /no credentials that AWS accepts \(AWS_PROFILE=gone: .*; sign in with "aws sso login"/],
])('without credentials, the message says how to get them for profile %s', async (...given) => {
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
});
