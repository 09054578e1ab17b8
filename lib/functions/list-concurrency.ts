import { Annotations } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { type StageConfiguration, variableName } from '../settings/stages.ts';

/**
 * What Lambda keeps for functions without a reservation: it refuses one that leaves less.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 */
const leastUnreserved = 100;

/**
 * How many lists may run at the same time: half of what the account may run, so that the other half
 * is there for the authorizer and for cancellations, whatever clients do with their lists.
 *
 * @returns undefined where the account's quota is not known, or too small to reserve of it
 */
export function listConcurrency({ lambdaConcurrency }: StageConfiguration): number | undefined {
  if (lambdaConcurrency === undefined) return undefined;
  const half = Math.floor(lambdaConcurrency / 2);
  return lambdaConcurrency - half >= leastUnreserved ? half : undefined;
}

/** Warns at synthesis of a quota that is too small, and of an unknown one where data is protected. */
export function warnOfConcurrency(scope: IConstruct, configuration: StageConfiguration): void {
  const { stage, lambdaConcurrency } = configuration;
  const annotations = Annotations.of(scope);
  if (lambdaConcurrency === undefined && configuration.deletionProtection) {
    annotations.addWarningV2(
      'store-orders:lambdaConcurrency',
      `Slow readers of lists can take all of the account's Lambda concurrency: set ` +
        `${variableName(stage, 'lambdaConcurrency')} to what "aws lambda get-account-settings" states.`,
    );
  }
  if (lambdaConcurrency !== undefined && listConcurrency(configuration) === undefined) {
    annotations.addWarningV2(
      'store-orders:smallLambdaConcurrency',
      `${lambdaConcurrency} concurrent executions are few: each request takes two, and a list one ` +
        `for as long as it is read. Ask AWS for 1,000; below ${2 * leastUnreserved - 1} none can be reserved.`,
    );
  }
}
