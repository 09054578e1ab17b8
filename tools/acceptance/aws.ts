import { setTimeout as sleep } from 'node:timers/promises';
import { APIGateway } from '@aws-sdk/client-api-gateway';
import { CloudFormation } from '@aws-sdk/client-cloudformation';
import { CloudWatch } from '@aws-sdk/client-cloudwatch';
import { CloudWatchLogs } from '@aws-sdk/client-cloudwatch-logs';
import { Lambda } from '@aws-sdk/client-lambda';
import { STS } from '@aws-sdk/client-sts';

/** The clients of the services, with the credentials and the Region of the environment. */
export const aws = {
  apiGateway: new APIGateway(),
  cloudFormation: new CloudFormation(),
  cloudWatch: new CloudWatch(),
  lambda: new Lambda(),
  logs: new CloudWatchLogs(),
  sts: new STS(),
};

/** The address of an emulator; undefined for AWS itself. */
export const emulator = process.env.AWS_ENDPOINT_URL || undefined;

/** Metrics can be late by some minutes. An emulator has no reason to be. */
const [patienceMs, pauseMs] = emulator ? [2_000, 500] : [600_000, 5_000];

/** Looks repeatedly until `isSeen`, or for as long as metrics can be late. @returns the last look */
export async function lookUntil<Seen>(
  look: () => Promise<Seen>,
  isSeen: (seen: Seen) => boolean,
  signal: AbortSignal,
): Promise<Seen> {
  const endMs = performance.now() + patienceMs;
  for (;;) {
    const seen = await look();
    if (isSeen(seen) || performance.now() > endMs) return seen;
    await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
}
