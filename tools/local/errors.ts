/** An error that ends a local run. Its message is one line that also tells the user what to do. */
export class LocalRunError extends Error {
  override name = 'LocalRunError';
}

/** A part of the template that the local run does not support. The message names its logical id. */
export class TemplateError extends LocalRunError {
  override name = 'TemplateError';

  constructor(logicalId: string, fault: string) {
    super(`${logicalId}: ${fault}`);
  }
}

/** The error for an unsupported part. @param place the file that lists the supported ones */
export function unsupported(logicalId: string, part: string, place?: string): TemplateError {
  const where = place === undefined ? '' : `: ${place} lists all that is`;
  return new TemplateError(logicalId, `${part} is not supported locally${where}`);
}
