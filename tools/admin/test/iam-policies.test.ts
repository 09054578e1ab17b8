import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stackName, stackTag } from '../../../lib/settings/names.ts';
import type { StageName } from '../../../lib/settings/stages.ts';
import { expectContained } from '../../../test/helpers/agreement.ts';
import { properties } from '../../../test/lib/readable.ts';
import { type AwsCall, account, allows, grantsOf, region } from './policies.ts';
import {
  operatorCalls,
  type Recording,
  readerCalls,
  stack,
  startRecording,
  workflowCalls,
} from './policy-calls.ts';
import { taggingOf } from './recorded-calls.ts';

let recording: Recording;

beforeAll(async () => {
  recording = await startRecording();
});

afterAll(() => recording?.[Symbol.asyncDispose]());

describe.each([
  ['operator-policy.json', operatorCalls],
  ['deploy-policy.json', workflowCalls],
] as const)('docs/iam/%s', (file, callsOf) => {
  const grants = grantsOf(file, 'staging');
  let calls: readonly AwsCall[];

  beforeAll(async () => {
    calls = await callsOf(recording);
  });

  it('allows every call that is made, and nothing else', () => {
    expect({
      refused: calls.filter((call) => !isAllowed(call, grants)),
      unused: grants.filter((grant) => !calls.some((call) => allows(grant, call))),
    }).toEqual({ refused: [], unused: [] });
  });

  it("allows no call on another stage's tables, keys and usage plans", () => {
    // Stages share the roles of a deployment, metrics, the lists of gateway keys and usage plans, and usage, for
    // which IAM's reference has no resource.
    const ofOneStage = calls.filter(
      ({ action, resource }) =>
        action !== 'sts:AssumeRole' &&
        !action.startsWith('cloudwatch:') &&
        !(
          action === 'apigateway:GET' && /:\/(apikeys|usageplans(\/[\w-]+\/usage)?)$/.test(resource)
        ),
    );

    expect(ofOneStage.filter((call) => isAllowed(call, grantsOf(file, 'prod')))).toEqual([]);
  });

  it('gives no gateway key or usage plan of another stage the tag of this one', () => {
    const tags = (name: StageName) => ({ [stackTag]: stackName(name) });
    const retagged = ['apikeys', 'usageplans'].map((kind) =>
      taggingOf(`arn:aws:apigateway:${region}::/${kind}`, tags('staging'), tags('prod')),
    );

    expect(retagged.filter((call) => isAllowed(call, grants))).toEqual([]);
  });

  it('names each resource as far as a name is known', () => {
    // CloudFormation generates the rest of these names.
    const knownPrefix = new RegExp(
      `:(table/${stack}-Tables\\w+|stack/${stack}/|function:${stack}-\\w*|sns:[^*]+:${stack}-\\w+)\\*$`,
    );
    // CloudWatch's metrics have no ARN, and alarms are listed by the beginning of their names:
    // https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatch.html
    const named = grants.filter(
      ({ action, resource }) => !action.startsWith('cloudwatch:') && !resource.endsWith('/usage'),
    );

    for (const { action, resource, condition, conditionIfExists } of named) {
      const isTagged = Object.keys({ ...condition, ...conditionIfExists }).some((key) =>
        key.startsWith('aws:ResourceTag/'),
      );
      const isNamed = !resource.includes('*') || knownPrefix.test(resource);
      expect([action, resource, isNamed || (isTagged && resource !== '*')]).toEqual([
        ...[action, resource, true],
      ]);
    }
  });
});

it('docs/iam/look-policy.json allows the looks of the runbook, and only reading', () => {
  const actions = grantsOf('look-policy.json', 'staging').map(({ action }) => action);
  const looks = readFileSync('docs/runbook.md', 'utf8').matchAll(
    /\baws (?!iam|deploy)(\w+) ((?:describe|get|list)-[\w-]+)/g,
  );
  const called = [...looks].map(([, service, command]) =>
    service === 'apigateway'
      ? `${service}:GET`
      : `${service}:${command!.replaceAll(/(?:^|-)(.)/g, (_, first) => first.toUpperCase())}`,
  );

  expectContained(['docs/runbook.md', called], ['docs/iam/look-policy.json', actions]);
  expect(
    actions.filter((action) => !/:(Describe|Filter|Get|GET|List|Scan|St\w+Query)/.test(action)),
  ).toEqual([]);
});

it('docs/iam/look-policy.json allows all commands that only read', async () => {
  const grants = grantsOf('look-policy.json', 'staging');

  const calls = await readerCalls(recording);

  expect(calls.length).toBeGreaterThan(30);
  expect(calls.filter((call) => !isAllowed(call, grants))).toEqual([]);
});

it('docs/iam/look-policy.json allows queries on every log of its stage, and on none of another', () => {
  const grants = (['staging', 'prod'] as const).map((stage) => grantsOf('look-policy.json', stage));
  const queries = Object.entries(properties('staging', 'AWS::Logs::LogGroup')).map(
    ([id, { LogGroupName = `${stack}-${id}` }]) => ({
      action: 'logs:StartQuery',
      resource: `arn:aws:logs:${region}:${account}:log-group:${LogGroupName}:log-stream`,
    }),
  );

  const refused = grants.map((own) => queries.filter((query) => !isAllowed(query, own)));

  expect(refused).toEqual([[], queries]);
});

it('docs/iam/look-policy.json allows a look at the dashboard of its stage', () => {
  const [{ DashboardName }] = Object.values(properties('staging', 'AWS::CloudWatch::Dashboard'));
  const resource = `arn:aws:cloudwatch::${account}:dashboard/${DashboardName}`;

  const grants = grantsOf('look-policy.json', 'staging');

  expect(isAllowed({ action: 'cloudwatch:GetDashboard', resource }, grants)).toBe(true);
});

it("docs/iam/deploy-trust.json trusts GitHub's subject of a stage's environment with and without ids, and no other", () => {
  const { Statement } = JSON.parse(readFileSync('docs/iam/deploy-trust.json', 'utf8'));

  expect(Statement).toHaveLength(1);
  // https://github.blog/changelog/2026-04-23-immutable-subject-claims-for-github-actions-oidc-tokens
  expect(Statement[0].Condition).toEqual({
    StringEquals: {
      'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
      'token.actions.githubusercontent.com:sub': [
        'repo:<OWNER>/<NAME>:environment:<STAGE>',
        'repo:<OWNER>@<OWNER_ID>/<NAME>@<NAME_ID>:environment:<STAGE>',
      ],
    },
  });
});

function isAllowed(call: AwsCall, grants: ReturnType<typeof grantsOf>): boolean {
  return grants.some((grant) => allows(grant, call));
}
