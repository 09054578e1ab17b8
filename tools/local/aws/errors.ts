/** An error that ends a local run. Its message is one line. */
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

/** The error for a part that is not supported. @param list the file that lists the supported parts */
export function unsupported(logicalId: string, part: string, list?: string): TemplateError {
  const where = list === undefined ? '' : `: see ${list}`;
  return new TemplateError(logicalId, `${part} is not supported locally${where}`);
}
