// The only file under lambdas/ that reads process.env.

/**
 * A variable that a function cannot work without. Read while the module loads, so that a missing
 * one fails the cold start, by name, rather than some later request.
 *
 * @throws Error naming the variable
 */
export function requiredVariable(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`The environment variable ${name} is missing.`);
  return value;
}

/** A variable that a function can do without; undefined when it is not set or empty. */
export function optionalVariable(name: string): string | undefined {
  return process.env[name] || undefined;
}

/**
 * Where DynamoDB is when it is not at its Region's own address, as for every AWS SDK.
 *
 * @see https://docs.aws.amazon.com/sdkref/latest/guide/feature-ss-endpoints.html
 */
export function dynamoDbEndpoint(): string | undefined {
  return process.env.AWS_ENDPOINT_URL_DYNAMODB || process.env.AWS_ENDPOINT_URL || undefined;
}

/** The credentials that Lambda puts into the environment; they outlive the execution environment. */
export function functionCredentials() {
  return {
    accessKeyId: requiredVariable('AWS_ACCESS_KEY_ID'),
    secretAccessKey: requiredVariable('AWS_SECRET_ACCESS_KEY'),
    sessionToken: process.env.AWS_SESSION_TOKEN,
  };
}
