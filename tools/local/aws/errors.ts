import { OperatorError } from '../../shared/errors.ts';

/** A part of the template that the local run does not support. The message names its logical id. */
export class TemplateError extends OperatorError {
  constructor(logicalId: string, part: string) {
    super(`${logicalId}: ${part} is not supported locally`);
  }
}
