import { afterEach, beforeEach } from '@jest/globals';
import { stackName } from '../../../lib/settings/names.ts';
import { plans } from '../../../lib/settings/plans.ts';
import { stageNames, stageSettings } from '../../../lib/settings/stages.ts';
import { type LoopbackServer, serve } from '../../../test/helpers/loopback-server.ts';

export const account = '111122223333';
const region = 'eu-central-1';

/** A double of AWS, with an operator's credentials and one stack. */
interface Aws {
  /** The account of the credentials. */
  account: string;
  clockOffsetMs: number;
  /** The outputs of the stack. Without them, there is no stack. */
  outputs: Record<string, string> | undefined;
  /** The calls that have arrived, such as `DescribeStacks`, each with its Region and access key. */
  calls: { action: string | null; region: string; accessKey: string }[];
}

/** Gives each test of the calling file such a double, in the place that the settings of the stages then name. */
export function awsOfEachTest(): Aws {
  const aws = {} as Aws;
  const environment = { ...process.env };
  let server: LoopbackServer;
  beforeEach(async () => {
    for (const name of stageNames) Object.assign(stageSettings(name), { env: { account, region } });
    const tables = { ApiKeysTableName: 'A', OwnersTableName: 'O', OrdersTableName: 'T' };
    const outputs = { ...tables, Plans: JSON.stringify(plans) };
    // A clock may be wrong by seconds.
    Object.assign(aws, { account, clockOffsetMs: 5_000, outputs, calls: [] });
    server = await serve(async (call, response) => {
      const form = new URLSearchParams((await call.toArray()).join(''));
      const [, accessKey = '', callRegion = ''] =
        /Credential=(\w+)\/\d+\/([\w-]+)\//.exec(call.headers.authorization ?? '') ?? [];
      aws.calls.push({ action: form.get('Action'), region: callRegion, accessKey });
      const [status, xml] = answerTo(form, aws);
      const date = new Date(Date.now() + aws.clockOffsetMs).toUTCString();
      response.writeHead(status, { date, 'content-type': 'text/xml' }).end(xml);
    });
    Object.assign(process.env, {
      AWS_ENDPOINT_URL: server.url,
      AWS_ACCESS_KEY_ID: 'ann',
      AWS_SECRET_ACCESS_KEY: 'x',
      AWS_REGION: 'us-west-2',
      AWS_EC2_METADATA_DISABLED: 'true',
    });
  });
  afterEach(async () => {
    process.env = { ...environment };
    await server[Symbol.asyncDispose]();
  });
  return aws;
}

function answerTo(form: URLSearchParams, { account, outputs }: Aws): [status: number, xml: string] {
  const [action, stack = stackName('staging')] = ['Action', 'StackName'].map(
    (name) => form.get(name)!,
  );
  const element = (name: string, ...content: string[]) => `<${name}>${content.join('')}</${name}>`;
  const result = (...content: string[]) =>
    element(`${action}Response`, element(`${action}Result`, ...content));
  if (action === 'GetCallerIdentity') {
    const arn = element('Arn', `arn:aws:iam::${account}:user/ann`);
    return [200, result(element('Account', account), arn)];
  }
  if (!outputs) {
    const message = element('Message', `Stack with id ${stack} does not exist`);
    const error = element('Error', element('Code', 'ValidationError'), message);
    return [400, element('ErrorResponse', error)];
  }
  const members = Object.entries(outputs).map(([key, value]) =>
    element('member', element('OutputKey', key), element('OutputValue', value)),
  );
  const described = [element('StackName', stack), element('Outputs', ...members)];
  return [200, result(element('Stacks', element('member', ...described)))];
}
