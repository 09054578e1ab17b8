import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { stackName } from '../../../lib/settings/names.ts';
import { expectAgreement, expectContained } from '../../../test/helpers/agreement.ts';
import { assemblyDirectory, templateFile } from '../../../test/helpers/synthesized.ts';
import { properties } from '../../../test/lib/readable.ts';
import { type LocalService, startLocalService } from '../../local/test/aws/local-service.ts';
import { runEveryCommand } from '../../smoke/acceptance/operator-commands.ts';
import {
  type AwsCall,
  account,
  differences,
  grantsOf,
  type RecordingProxy,
  recordingProxy,
  region,
} from './policies.ts';
import { admin, everyCommand } from './run-admin.ts';

const stack = stackName('staging');
let service: LocalService;
let proxy: RecordingProxy;
/** The calls of each operator's command. */
const ofOperator: { readonly command: string; readonly calls: readonly AwsCall[] }[] = [];
const ofWorkflow: AwsCall[] = [];

beforeAll(async () => {
  service = await startLocalService({
    templateFile: templateFile('staging'),
    stackName: stack,
    log: () => {},
  });
  proxy = await recordingProxy(service.origin, stack);
  await runEveryCommand(async (words, input) => {
    const { stdout, calls } = await run(words, input);
    ofOperator.push({ command: words.slice(0, 2).join(' '), calls });
    return stdout;
  });
  await runCommandsOfWorkflow();
});

afterAll(async () => {
  await proxy?.[Symbol.asyncDispose]();
  await service?.close();
});

/** Runs a command, and records its calls. @throws Error if it fails */
async function run(words: readonly string[], input = '') {
  proxy.calls.length = 0;
  const { exitCode, stdout, stderr } = await admin([...words, '--local', proxy.url], { input });
  if (exitCode !== 0) throw new Error(`${words.join(' ')}: ${stderr}`);
  return { stdout, calls: [...proxy.calls] };
}

/** Runs the operator's commands of the deployment workflow. */
async function runCommandsOfWorkflow(): Promise<void> {
  const file = readFileSync('.github/workflows/deploy-stage.yml', 'utf8');
  const lines = file.replaceAll(/\\\n\s*/g, '').matchAll(/(?:^ +|\$\()\.\/admin ([^\n)]+)/gm);
  let keyId = '';
  for (const [, line = ''] of lines) {
    const words = line.replace(/--stage "\$STAGE"|\|\|$/g, '').match(/'[^']*'|"[^"]*"|\S+/g)!;
    const filled = words.map((word) =>
      word.replace('"$SMOKE_KEY_ID"', keyId).replaceAll(/^'|'$/g, ''),
    );
    // A command before `||` fails on a new stage, and the one after it then runs.
    const { stdout, calls } = await run(filled).catch((error) => {
      if (!line.endsWith('||')) throw error;
      return { stdout: '', calls: proxy.calls };
    });
    ofWorkflow.push(...calls);
    if (filled.includes('issue')) ({ keyId } = JSON.parse(stdout));
  }
}

/** The call of `npm run smoke -- --alarm-topic`. */
const ofSmokeTest: AwsCall = {
  action: 'sns:GetTopicAttributes',
  resource: `arn:aws:sns:${region}:${account}:${stack}-MonitoringAlarmTopic1`,
};

/** The roles that `cdk deploy` assumes, from the synthesized output. */
function rolesOfDeployment(): AwsCall[] {
  const values: Record<string, string> = { Partition: 'aws', AccountId: account, Region: region };
  const roles = ['manifest.json', `${stack}.assets.json`].flatMap((file) => {
    const text = readFileSync(`${assemblyDirectory()}/${file}`, 'utf8');
    return [...text.matchAll(/"assumeRoleArn": ?"([^"]+)"/g)].map(([, arn]) =>
      arn!.replaceAll(/\$\{AWS::(\w+)\}/g, (_, name) => values[name]!),
    );
  });
  return [...new Set(roles)].map((resource) => ({ action: 'sts:AssumeRole', resource }));
}

it('every command is among those whose calls are recorded', async () => {
  expectAgreement(
    ['./admin --help', everyCommand],
    ['tools/smoke/acceptance/operator-commands.ts', ofOperator.map(({ command }) => command)],
  );
  expect(ofWorkflow).not.toEqual([]);
});

describe.each<[string, () => AwsCall[]]>([
  ['operator-policy.json', () => [ofSmokeTest, ...ofOperator.flatMap(({ calls }) => calls)]],
  ['deploy-policy.json', () => [ofSmokeTest, ...ofWorkflow, ...rolesOfDeployment()]],
])('docs/iam/%s', (file, callsOf) => {
  const grants = grantsOf(file, 'staging');

  it('allows every call that is made, and nothing else', () => {
    expect(differences(callsOf(), grants)).toEqual({ refused: [], unused: [] });
  });

  it("allows no call on another stage's tables, keys and usage plans", () => {
    // Stages share the roles of a deployment, and API Gateway's keys and usage plans. These have tags.
    const ofOneStage = callsOf().filter(({ action }) => !/^(sts|apigateway):/.test(action));
    const changes = grants.filter(({ action }) => /^apigateway:(?!GET)/.test(action));

    expect(differences(ofOneStage, grantsOf(file, 'prod')).refused).toEqual(ofOneStage);
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

it('docs/iam/look-policy.json allows all commands that only read, and the logs, dashboard and alarm topic of its stage', () => {
  const isReading = /^\w+ (history|list|show|usage)$/;
  const reading = ofOperator.filter(({ command }) => isReading.test(command));
  const queries = Object.entries(properties('staging', 'AWS::Logs::LogGroup')).map(
    ([id, { LogGroupName = `${stack}-${id}` }]) => ({
      action: 'logs:StartQuery',
      resource: `arn:aws:logs:${region}:${account}:log-group:${LogGroupName}:log-stream`,
    }),
  );
  const [{ DashboardName }] = Object.values(properties('staging', 'AWS::CloudWatch::Dashboard'));
  const dashboard = `arn:aws:cloudwatch::${account}:dashboard/${DashboardName}`;
  const looks = [...queries, { action: 'cloudwatch:GetDashboard', resource: dashboard }];
  const calls = [...reading.flatMap((each) => each.calls), ...looks, ofSmokeTest];
  const refused = (['staging', 'prod'] as const).map(
    (stage) => differences(calls, grantsOf('look-policy.json', stage)).refused,
  );

  expect(reading.length).toBeGreaterThan(5);
  expect(refused[0]).toEqual([]);
  expect(refused[1]).toEqual(calls.filter(({ action }) => !action.startsWith('apigateway:')));
});
