import { LocalRunError } from './local-run-error.ts';

/** A part of the template that the local run does not support. The message names its logical id. */
export class TemplateError extends LocalRunError {
  override name = 'TemplateError';
  readonly logicalId: string;

  constructor(logicalId: string, fault: string, options?: ErrorOptions) {
    super(`${logicalId}: ${fault}`, options);
    this.logicalId = logicalId;
  }
}
