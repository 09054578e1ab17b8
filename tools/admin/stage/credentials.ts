import { fromIni } from '@aws-sdk/credential-provider-ini';
import { defaultProvider } from '@aws-sdk/credential-provider-node';
import { OperatorError, reasonOf } from '../../shared/errors.ts';
import type { callLimitSettings } from './call-limits.ts';

/** Asks for the current code of an MFA device, by the device's ARN. */
export type AskForCode = (device: string) => Promise<string>;

/** There are no credentials that AWS accepts. */
export class NoCredentialsError extends OperatorError {}

/**
 * The credentials of the environment or its profile. All clients of a command share them, so the command asks for only
 * one code.
 *
 * @param askForCode without it, a profile with MFA is refused
 */
export function awsCredentials(
  { requestHandler }: ReturnType<typeof callLimitSettings>,
  askForCode: AskForCode = refuseToAsk,
): ReturnType<typeof defaultProvider> {
  // The calls of an SSO session would not take over the client's handler by themselves.
  const init = { clientConfig: { requestHandler }, mfaCodeProvider: askForCode };
  const provide = defaultProvider(init);
  return async (properties) => {
    try {
      return await provide(properties);
    } catch (error) {
      // The last provider of the chain throws this error, which does not say why the profile has no credentials. The
      // provider of the profile throws an error that says why.
      if (!/from any providers/.test(reasonOf(error))) throw error;
      await fromIni(init)(properties as never);
      throw error;
    }
  };
}

async function refuseToAsk(device: string): Promise<never> {
  const problem = `the profile needs an MFA code of ${device}, and there is no terminal to ask for it`;
  throw new NoCredentialsError(problem, {
    remedy:
      'run eval "$(aws configure export-credentials --format env)" on a terminal, and unset AWS_PROFILE',
  });
}
