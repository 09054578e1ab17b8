import { readFileSync } from 'node:fs';
import { APIGatewayClient } from '@aws-sdk/client-api-gateway';
import { CloudFormationClient } from '@aws-sdk/client-cloudformation';
import { CloudWatchClient } from '@aws-sdk/client-cloudwatch';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { SNSClient } from '@aws-sdk/client-sns';
import { STSClient } from '@aws-sdk/client-sts';
import { expect } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { stackName } from '../../../lib/settings/names.ts';
import { stageSettings } from '../../../lib/settings/stages.ts';
import { expectAgreement } from '../../../test/helpers/agreement.ts';
import {
  assemblyDirectory,
  resourcesOfType,
  templateFile,
} from '../../../test/helpers/synthesized.ts';
import { runEveryCommand } from '../../acceptance/operator-commands.ts';
import { startLocalService } from '../../local/aws/local-service.ts';
import { apiGatewayKeys } from '../stage/api-gateway-keys.ts';
import { type AwsCall, account, region } from './policies.ts';
import { recordingProxy } from './recorded-calls.ts';
import { admin, everyCommand } from './run-admin.ts';

export const stack = stackName('staging');

/** Runs commands on a local run, and records their calls. */
export type Recording = Awaited<ReturnType<typeof startRecording>>;

export async function startRecording() {
  const service = await startLocalService({
    templateFile: templateFile('staging'),
    stackName: stack,
    log: () => {},
  });
  const proxy = await recordingProxy(service.origin, stack, usagePlanTags());
  return {
    url: proxy.url,
    outputs: service.outputs,
    /** Runs a command, and returns what it prints. @throws Error if it fails */
    async run(words: readonly string[], input = ''): Promise<string> {
      const commandLine = [...words, '--local', proxy.url];
      const { exitCode, stdout, stderr } = await admin(commandLine, { input });
      if (exitCode !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
      return stdout;
    },
    /** The calls that are made during some work. */
    async callsDuring(work: () => Promise<unknown>): Promise<AwsCall[]> {
      const before = proxy.calls.length;
      await work();
      return proxy.calls.slice(before);
    },
    async [Symbol.asyncDispose]() {
      await proxy[Symbol.asyncDispose]();
      await service.close();
    },
  };
}

/** The calls of an operator, who runs every command. */
export async function operatorCalls(recording: Recording): Promise<AwsCall[]> {
  const { callsDuring, run, url } = recording;
  const done: string[] = [];
  const calls = await callsDuring(async () => {
    await runEveryCommand((words, [input = ''] = []) => {
      done.push(words.slice(0, 2).join(' '));
      return run(words, input);
    });
    await run(['owners', 'create', 'Acme', '--plan', 'free']);
    await addTwice(url);
  });
  expectAgreement(
    ['./admin --help', await everyCommand()],
    ['tools/acceptance/operator-commands.ts', done],
  );
  return [...calls, ...(await statusCalls(recording))];
}

/** The calls of somebody who runs the commands that only read. */
export async function readerCalls(recording: Recording): Promise<AwsCall[]> {
  const isReading = /^(status|\w+ (check|export|history|list|show|usage|whois))\b/;
  const calls = await statusCalls(recording);
  await runEveryCommand(async (words, [input = ''] = []) => {
    let output = '';
    const own = await recording.callsDuring(async () => {
      output = await recording.run(words, input);
    });
    if (isReading.test(words.join(' '))) calls.push(...own);
    return output;
  });
  return calls;
}

/** The calls of the deployment workflow. */
export async function workflowCalls(recording: Recording): Promise<AwsCall[]> {
  const ofCommands = await recording.callsDuring(() => runCommandsOfWorkflow(recording));
  return [...ofCommands, ...rolesOfDeployment()];
}

/** Makes the call of a command that adds a gateway key to a usage plan after another command has done so. */
async function addTwice(endpoint: string): Promise<void> {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new APIGatewayClient({ endpoint, region, credentials });
  const gateway = apiGatewayKeys(client);
  const [key] = await gateway.findApiKeys(stack);
  const [usagePlanId] = await gateway.findUsagePlans({ keyId: key!.id });
  await gateway.createUsagePlanKey({ keyId: key!.id, usagePlanId: usagePlanId! });
  client.destroy();
}

/** The calls of `status` on a deployed stage, besides those on a local run. */
async function statusCalls({ outputs }: Recording): Promise<AwsCall[]> {
  Object.assign(stageSettings('staging'), { account, region });
  const clients = {
    cloudwatch: mockClient(CloudWatchClient),
    lambda: mockClient(LambdaClient),
    sns: mockClient(SNSClient),
  };
  const [cloudFormation, dynamodb] = [mockClient(CloudFormationClient), mockClient(DynamoDBClient)];
  // Every identity may make this call.
  const sts = mockClient(STSClient);
  sts.onAnyCommand().resolves({ Account: account });
  dynamodb.onAnyCommand().resolves({});
  clients.cloudwatch.onAnyCommand().resolves({});
  clients.lambda.onAnyCommand().resolves({});
  clients.sns.onAnyCommand().resolves({});
  const functionName = `${stack}-Function`;
  const topicArn = `arn:aws:sns:${region}:${account}:${stack}-MonitoringAlarmTopic1`;
  const names = { ...outputs, AlarmTopicArn: topicArn };
  cloudFormation.onAnyCommand().resolves({
    Stacks: [
      {
        StackName: stack,
        Outputs: Object.entries(names).map(([OutputKey, OutputValue]) => ({
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
  sts.restore();
  dynamodb.restore();
  return Object.entries(clients).flatMap(([service, client]) => {
    const operations = client
      .calls()
      .map(({ args }) => args[0].constructor.name.replace('Command', ''));
    client.restore();
    return operations.map((operation) => ({
      action: `${service}:${operation}`,
      resource: resources[operation]!,
    }));
  });
}

/** Runs the operator's commands of the deployment workflow. */
async function runCommandsOfWorkflow({ run }: Recording): Promise<void> {
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
