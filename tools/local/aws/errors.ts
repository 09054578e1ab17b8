/** An error that ends a local run. Its message is one line. */
export class LocalRunError extends Error {
  override name = 'LocalRunError';
}

/** A part of the template that the local run does not support. The message names its logical id. */
export class TemplateError extends LocalRunError {
  override name = 'TemplateError';

  constructor(logicalId: string, part: string) {
    super(`${logicalId}: ${part} is not supported locally`);
  }
}
