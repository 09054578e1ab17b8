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
