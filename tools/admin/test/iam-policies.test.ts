import { readFileSync } from 'node:fs';
import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SNSClient } from '@aws-sdk/client-sns';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { stageSettings } from '../../../lib/settings/stages.ts';
import { expectAgreement, expectContained } from '../../../test/helpers/agreement.ts';
import {
  assemblyDirectory,
  resourcesOfType,
  templateFile,
} from '../../../test/helpers/synthesized.ts';
import { properties } from '../../../test/lib/readable.ts';
import { runEveryCommand } from '../../acceptance/operator-commands.ts';
import { type LocalService, startLocalService } from '../../local/aws/local-service.ts';
import { apiGatewayKeys } from '../stage/api-gateway-keys.ts';
import { type AwsCall, account, allows, grantsOf, region } from './policies.ts';
import { type RecordingProxy, recordingProxy, taggingOf } from './recorded-calls.ts';
import { admin, everyCommand } from './run-admin.ts';

const stack = 'StoreOrders-staging';

let service: LocalService;
let proxy: RecordingProxy;

beforeAll(async () => {
  service = await startLocalService({
    templateFile: templateFile('staging'),
    stackName: stack,
    log: () => {},
  });
  proxy = await recordingProxy(service.origin, stack, usagePlanTags());
});

afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await service?.close();
});

describe.each([
  ['operator-policy.json', runOperatorsCommands, callsOfStatus],
  ['deploy-policy.json', runCommandsOfWorkflow, rolesOfDeployment],
] as const)('docs/iam/%s', (file, work, otherCalls) => {
  const grants = grantsOf(file, 'staging');
  let calls: readonly AwsCall[];

  beforeAll(async () => {
    calls = [...(await recorded(work)), ...(await otherCalls())];
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
        !(action === 'apigateway:GET' && /:\/(apikeys|usageplans(\/\w+\/usage)?)$/.test(resource)),
    );

    expect(ofOneStage.filter((call) => isAllowed(call, grantsOf(file, 'prod')))).toEqual([]);
  });

  it('gives no gateway key or usage plan of another stage the tag of this one', () => {
    const tags = (name: string) => ({ 'store-orders-stack': `StoreOrders-${name}` });
    const retagged = ['apikeys', 'usageplans'].map((kind) =>
      taggingOf(`arn:aws:apigateway:${region}::/${kind}`, tags('staging'), tags('prod')),
    );

    expect(retagged.filter((call) => isAllowed(call, grants))).toEqual([]);
  });

  it('names each resource as far as a name is known', () => {
    // CloudFormation generates the rest of these names.
    const knownPrefix =
      /:(table\/StoreOrders-staging-Tables\w+|stack\/StoreOrders-staging\/|function:StoreOrders-staging-\w*|sns:[^*]+:StoreOrders-staging-\w+)\*$/;
    // CloudWatch's metrics have no ARN, and alarms are listed by the beginning of their names:
    // https://docs.aws.amazon.com/service-authorization/latest/reference/list_amazoncloudwatch.html
    const named = grants.filter(
      ({ action, resource }) => !action.startsWith('cloudwatch:') && !resource.endsWith('/usage'),
    );
    const unnamed = named.filter(({ resource, condition, conditionIfExists }) => {
      const keys = Object.keys({ ...condition, ...conditionIfExists });
      const isTagged = keys.some((key) => key.startsWith('aws:ResourceTag/'));
      return (
        resource === '*' || (resource.includes('*') && !knownPrefix.test(resource) && !isTagged)
      );
    });

    expect(
      unnamed.map(({ action, resource }) => `${file} allows ${action} on ${resource}`),
    ).toEqual([]);
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
  const isReading = /^(status|\w+ (check|export|history|list|show|usage|whois))\b/;
  const calls = await callsOfStatus();
  await runEveryCommand(async (words, [input = ''] = []) => {
    const before = proxy.calls.length;
    const output = await run(words, input);
    if (isReading.test(words.join(' '))) calls.push(...proxy.calls.slice(before));
    return output;
  });

  expect(calls.length).toBeGreaterThan(30);
  expect(calls.filter((call) => !isAllowed(call, grants))).toEqual([]);
});

it('docs/iam/look-policy.json allows queries on every log of its stage, and on none of another', () => {
  const grants = ['staging', 'prod'].map((stage) => grantsOf('look-policy.json', stage));
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

async function recorded(work: () => Promise<unknown>): Promise<AwsCall[]> {
  proxy.calls.length = 0;
  await work();
  return [...proxy.calls];
}

/** Runs a command through the proxy. @throws Error if it fails */
async function run(words: readonly string[], input = ''): Promise<string> {
  const commandLine = [...words, '--local', proxy.url];
  const { exitCode, stdout, stderr } = await admin(commandLine, { input });
  if (exitCode !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
  return stdout;
}

async function runOperatorsCommands(): Promise<void> {
  const done: string[] = [];
  await runEveryCommand((words, [input = ''] = []) => {
    done.push(words.slice(0, 2).join(' '));
    return run(words, input);
  });
  await run(['owners', 'create', 'Acme', '--plan', 'free']);
  await addTwice();
  expectAgreement(
    ['./admin --help', await everyCommand()],
    ['tools/acceptance/operator-commands.ts', done],
  );
}

/** Makes the call of a command that adds a gateway key to a usage plan after another command has done so. */
async function addTwice(): Promise<void> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new APIGatewayClient({ endpoint: proxy.url, region, credentials });
  const gateway = apiGatewayKeys(client);
  const [key] = await gateway.findApiKeys(stack);
  const [usagePlanId] = await gateway.findUsagePlans({ keyId: key!.id });
  await gateway.createUsagePlanKey({ keyId: key!.id, usagePlanId: usagePlanId! });
  client.destroy();
}

/** The calls of `status` on a deployed stage, besides those on a local run. */
async function callsOfStatus(): Promise<AwsCall[]> {
  Object.assign(stageSettings('staging'), { account, region });
  const clients = {
    cloudwatch: mockClient(CloudWatchClient),
    lambda: mockClient(LambdaClient),
    sns: mockClient(SNSClient),
  };
  const [cloudFormation, dynamodb] = [mockClient(CloudFormationClient), mockClient(DynamoDBClient)];
  dynamodb.onAnyCommand().resolves({});
  clients.cloudwatch.onAnyCommand().resolves({});
  clients.lambda.onAnyCommand().resolves({});
  clients.sns.onAnyCommand().resolves({});
  const functionName = `${stack}-Function`;
  const topicArn = `arn:aws:sns:${region}:${account}:${stack}-MonitoringAlarmTopic1`;
  const outputs = { ...service.outputs, AlarmTopicArn: topicArn };
  cloudFormation.onAnyCommand().resolves({
    Stacks: [
      {
        StackName: stack,
        StackId: `arn:aws:cloudformation:${region}:${account}:stack/${stack}/1`,
        Outputs: Object.entries(outputs).map(([OutputKey, OutputValue]) => ({
          OutputKey,
          OutputValue: OutputKey.endsWith('FunctionName') ? functionName : OutputValue,
        })),
      },
    ],
  } as never);
  await admin(['status', '--stage', 'staging']);
  const resources: Record<string, string> = {
    DescribeAlarms: `arn:aws:cloudwatch:${region}:${account}:alarm:*`,
    ListAliases: `arn:aws:lambda:${region}:${account}:function:${functionName}`,
    GetTopicAttributes: topicArn,
  };
  cloudFormation.restore();
  dynamodb.restore();
  return Object.entries(clients).flatMap(([service, client]) => {
    const names = client.calls().map(({ args }) => args[0].constructor.name.replace('Command', ''));
    client.restore();
    return names.map((operation) => {
      return { action: `${service}:${operation}`, resource: resources[operation]! };
    });
  });
}

/** Runs the operator's commands of the deployment workflow. */
async function runCommandsOfWorkflow(): Promise<void> {
  const workflow = readFileSync('.github/workflows/deploy-stage.yml', 'utf8').replaceAll(
    /\\\n\s*/g,
    '',
  );
  const lines = [...workflow.matchAll(/(?:^ +|\$\()\.\/admin ([^\n)]+)/gm)].map(
    ([, line]) => line!,
  );
  expect(lines).not.toEqual([]);
  let keyId = '';
  for (const line of lines) {
    const words = line.replace(/--stage "\$STAGE"|\|\|$/g, '').match(/'[^']*'|"[^"]*"|\S+/g)!;
    const filled = words.map((word) =>
      word.replace('"$SMOKE_KEY_ID"', keyId).replaceAll(/^'|'$/g, ''),
    );
    // A command before `||` fails on a new stage, and the one after it then runs.
    const printed = await run(filled).catch((error) => {
      if (!line.endsWith('||')) throw error;
      return '';
    });
    if (filled.includes('issue')) keyId = JSON.parse(printed).keyId;
  }
}

/** The roles that `cdk deploy` assumes, from the synthesized output. */
function rolesOfDeployment(): AwsCall[] {
  const files = ['manifest.json', `${stack}.assets.json`];
  const roles = files.flatMap((file) => [
    ...readFileSync(`${assemblyDirectory()}/${file}`, 'utf8').matchAll(
      /"assumeRoleArn": ?"([^"]+)"/g,
    ),
  ]);
  const values: Record<string, string> = { Partition: 'aws', AccountId: account, Region: region };
  const arns = roles.map(([, arn]) =>
    arn!.replaceAll(/\$\{AWS::(\w+)\}/g, (_, name) => values[name]!),
  );
  return [...new Set(arns)].map((resource) => ({ action: 'sts:AssumeRole', resource }));
}

function usagePlanTags(): Record<string, string> {
  const plans = resourcesOfType('staging', 'AWS::ApiGateway::UsagePlan');
  const [tags, ...others] = plans.map(([, { Properties }]) => Properties.Tags);
  for (const other of others) expect(other).toEqual(tags);
  return Object.fromEntries(tags.map(({ Key, Value }: Record<string, string>) => [Key, Value]));
}
