import type { StageSettings } from './stages.ts';

/**
 * What Lambda keeps for functions without a reservation: it refuses one that leaves less.
 * https://docs.aws.amazon.com/lambda/latest/dg/configuration-concurrency.html
 */
export const leastUnreserved = 100;

/**
 * How many lists may run at the same time: half of what the account may run, so that the other half
 * is there for the authorizer and for cancellations, whatever clients do with their lists.
 *
 * @returns undefined if the account's quota is unknown or too small to reserve half of it
 */
export function listConcurrency({
  lambdaConcurrency,
}: Pick<StageSettings, 'lambdaConcurrency'>): number | undefined {
  if (lambdaConcurrency === undefined) return undefined;
  const half = Math.floor(lambdaConcurrency / 2);
  return lambdaConcurrency - half >= leastUnreserved ? half : undefined;
}
