import { OperatorError } from '../../shared/errors.ts';

/** Converts a connection error into one line that says what to do. */
export function unreachable(url: URL, error: NodeJS.ErrnoException): OperatorError {
  const { message, code } = error;
  const { hostname } = url;
  const explanations: Record<string, string> = {
    ENOTFOUND:
      `there is no DNS record for ${hostname}. For a name of your own, make it a CNAME or an alias of ` +
      `the stack's output DomainNameTarget, then try again (docs/first-deploy.md, "A name of your own"); ` +
      `else compare with the output BaseUrl`,
    EAI_AGAIN: `no DNS server answers about ${hostname}: is there a network?`,
    ERR_TLS_CERT_ALTNAME_INVALID:
      `${hostname} has a certificate for another name: its DNS record points elsewhere than at the ` +
      `stack's output DomainNameTarget`,
  };
  const explanation = explanations[code ?? ''] ?? `${message || code}: is the stage running?`;
  return new OperatorError(`--url does not answer: ${explanation}`, { cause: error });
}
