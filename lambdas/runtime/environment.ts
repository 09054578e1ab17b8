import type { FunctionVariable } from '../contract/variables.ts';

// This is the only file under lambdas/ that reads process.env.

/**
 * Reads a required variable. Modules call this while they load, so that a missing variable fails the
 * cold start rather than a later request.
 *
 * @throws Error naming the variable
 */
export function requiredVariable(name: FunctionVariable | 'AWS_REGION'): string {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is missing.`);
  return value;
}

/** Reads an optional variable; undefined if it is not set or empty. */
export function optionalVariable(name: FunctionVariable): string | undefined {
  return process.env[name] || undefined;
}

/**
 * The endpoint that replaces DynamoDB's regional endpoint, from the variables that all AWS SDKs read; undefined if no
 * such variable is set.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
 */
export function dynamoDbEndpoint(): string | undefined {
  return process.env.AWS_ENDPOINT_URL_DYNAMODB || process.env.AWS_ENDPOINT_URL || undefined;
}
