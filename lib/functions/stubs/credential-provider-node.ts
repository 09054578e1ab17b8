/**
 * Replaces the SDK's chain of credential providers in the bundles. Lambda passes the credentials of a
 * function's role in these three variables. The SDK refuses to sign without them.
 */
export const defaultProvider = () => async () => ({
  accessKeyId: process.env.AWS_ACCESS_KEY_ID,
  secretAccessKey: process.env.AWS_SECRET_ACCESS_KEY,
  sessionToken: process.env.AWS_SESSION_TOKEN,
});
