/** A fact that does not hold locally, and why. */
interface Deviation {
  readonly id: string;
  /** Part of what is found instead. */
  readonly found: string;
  readonly reason: string;
}

/** The facts that do not hold. A test fails when one of them does. */
export const deviations: readonly Deviation[] = [
  {
    id: 'mock/canary',
    found: 'body.isCanary: ""',
    reason:
      'Canaries are not reproduced: a stage with one is refused, and none else says so on AWS.',
  },
  {
    id: 'authorizer/iam',
    found: 'AuthorizationType AWS_IAM is not supported',
    reason: 'Signatures are not checked locally, so a method that asks for one is refused.',
  },
];
