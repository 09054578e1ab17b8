interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/**
 * Replaces the SDK's chain of credential providers in the bundles. Lambda passes the credentials of a
 * function's role in these three variables.
 *
 * @throws Error naming the missing variable
 */
export const defaultProvider = () => async (): Promise<Credentials> => ({
  accessKeyId: required('AWS_ACCESS_KEY_ID'),
  secretAccessKey: required('AWS_SECRET_ACCESS_KEY'),
  sessionToken: process.env.AWS_SESSION_TOKEN,
});

function required(name: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: bundles take credentials from the environment`);
  return value;
}
