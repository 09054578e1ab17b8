/** A fact that does not hold locally, and why. */
export interface Deviation {
  readonly id: string;
  /** Part of what is found instead. */
  readonly found: string;
  readonly reason: string;
}

const reason = 'not reproduced yet';

/** The facts that do not hold. A test fails when one of them does. */
export const deviations: readonly Deviation[] = [
  { id: 'mock/canary', found: 'body.isCanary: ', reason },
  { id: 'authorizer/iam', found: 'is not supported', reason },
  { id: 'unrouted/bearer', found: 'body.message: ', reason },
  { id: 'unrouted/bearer-type', found: 'header x-amzn-ErrorType: ', reason },
  { id: 'unrouted/basic', found: 'body.message: ', reason },
  { id: 'unrouted/basic-padded', found: 'body.message: ', reason },
  { id: 'unrouted/no-scheme', found: 'body.message: ', reason },
];
