import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import { stackName } from '../../../lib/settings/names.ts';
import { expectAgreement } from '../../../test/helpers/agreement.ts';
import { assemblyDirectory, templateFile } from '../../../test/helpers/synthesized.ts';
import { startLocalService } from '../../local/test/aws/local-service.ts';
import { runEveryCommand } from '../../smoke/acceptance/operator-commands.ts';
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
  const proxy = await recordingProxy(service.origin, stack);
  return {
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

/** The calls of all commands, or of the commands that only read. */
export async function operatorCalls(recording: Recording, isReader = false): Promise<AwsCall[]> {
  const isReading = /^\w+ (history|list|show|usage)\b/;
  const done: string[] = [];
  const calls: AwsCall[] = [...smokeTestCalls];
  const run = async (words: readonly string[], input?: string) => {
    done.push(words.slice(0, 2).join(' '));
    let output = '';
    const own = await recording.callsDuring(async () => {
      output = await recording.run(words, input);
    });
    if (!isReader || isReading.test(words.join(' '))) calls.push(...own);
    return output;
  };
  await runEveryCommand(run);
  expectAgreement(
    ['./admin --help', await everyCommand()],
    ['tools/smoke/acceptance/operator-commands.ts', done],
  );
  return calls;
}

/** The calls of the deployment workflow. */
export async function workflowCalls(recording: Recording): Promise<AwsCall[]> {
  const ofCommands = await recording.callsDuring(() => runCommandsOfWorkflow(recording));
  return [...ofCommands, ...smokeTestCalls, ...rolesOfDeployment()];
}

/** The call of `npm run smoke -- --alarm-topic`. */
const smokeTestCalls: readonly AwsCall[] = [
  {
    action: 'sns:GetTopicAttributes',
    resource: `arn:aws:sns:${region}:${account}:${stack}-MonitoringAlarmTopic1`,
  },
];

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
