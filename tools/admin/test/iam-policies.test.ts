import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectContained } from '../../../test/helpers/agreement.ts';
import { properties } from '../../../test/lib/readable.ts';
import { type AwsCall, account, allows, grantsOf, region } from './policies.ts';
import {
  operatorCalls,
  type Recording,
  stack,
  startRecording,
  workflowCalls,
} from './policy-calls.ts';

let recording: Recording;

beforeAll(async () => {
  recording = await startRecording();
});

afterAll(() => recording?.[Symbol.asyncDispose]());

describe.each([
  ['operator-policy.json', (each: Recording) => operatorCalls(each)],
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
    // Stages share the roles of a deployment, metrics, and API Gateway's keys and usage plans. These have tags.
    const ofOneStage = calls.filter(({ action }) => !/^(sts|cloudwatch|apigateway):/.test(action));
    const changes = grants.filter(({ action }) => /^apigateway:(?!GET)/.test(action));

    expect(ofOneStage.filter((call) => isAllowed(call, grantsOf(file, 'prod')))).toEqual([]);
    expect(changes.map(({ tags }) => [...new Set(tags)])).toEqual(changes.map(() => [stack]));
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

  const calls = await operatorCalls(recording, true);

  expect(calls.length).toBeGreaterThan(20);
  expect(calls.filter((call) => !isAllowed(call, grants))).toEqual([]);
});

it('docs/iam/look-policy.json allows the logs and the dashboard of its stage, and none of another', () => {
  const queries = Object.entries(properties('staging', 'AWS::Logs::LogGroup')).map(
    ([id, { LogGroupName = `${stack}-${id}` }]) => ({
      action: 'logs:StartQuery',
      resource: `arn:aws:logs:${region}:${account}:log-group:${LogGroupName}:log-stream`,
    }),
  );
  const [{ DashboardName }] = Object.values(properties('staging', 'AWS::CloudWatch::Dashboard'));
  const dashboard = `arn:aws:cloudwatch::${account}:dashboard/${DashboardName}`;
  const looks = [...queries, { action: 'cloudwatch:GetDashboard', resource: dashboard }];

  const refused = (['staging', 'prod'] as const).map((stage) =>
    looks.filter((look) => !isAllowed(look, grantsOf('look-policy.json', stage))),
  );

  expect(refused).toEqual([[], looks]);
});

function isAllowed(call: AwsCall, grants: ReturnType<typeof grantsOf>): boolean {
  return grants.some((grant) => allows(grant, call));
}
