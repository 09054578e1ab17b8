import { LocalRunError } from './local-run-error.ts';

/** Something in the template that the local run does not know; names the logical id it stands in. */
export class TemplateError extends LocalRunError {
  override name = 'TemplateError';
  readonly logicalId: string;

  constructor(logicalId: string, fault: string, options?: ErrorOptions) {
    super(`${logicalId}: ${fault}`, options);
    this.logicalId = logicalId;
  }
}
