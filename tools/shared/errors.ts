/** The classes of failures, each with its exit code. `--help` explains them. */
export const exitCodes = {
  refused: 1,
  usage: 2,
  service: 3,
  different: 4,
  interrupted: 5,
} as const;

/** A failure of an operator's command, with a message of one line that names the remedy. */
export class OperatorError extends Error {
  readonly failureClass: keyof typeof exitCodes = 'refused';
  /** The kind of error, for programs. */
  readonly code: string = 'refused';
  /** The message without the remedy. */
  readonly problem: string;
  /** What the operator can do, if the problem does not imply it. */
  readonly remedy: string | undefined;

  constructor(problem: string, { cause, remedy }: { cause?: unknown; remedy?: string } = {}) {
    super(remedy === undefined ? problem : `${problem}; ${remedy}`, cause ? { cause } : undefined);
    this.name = new.target.name;
    this.problem = problem;
    this.remedy = remedy;
  }
}

/** The command line is not valid: a word is unknown or missing. */
export class UsageError extends OperatorError {
  override readonly failureClass = 'usage';
  override readonly code = 'usage';
}

/** A value is not accepted. The message names the field, the value, and what was expected. */
export class InvalidValueError extends OperatorError {
  override readonly code = 'invalidValue';

  constructor(field: string, value: unknown, expected: string) {
    super(`${field}: ${quoted(value)} is not accepted`, { remedy: `expected ${expected}` });
  }
}

/** The command names something that does not exist. */
export class NotFoundError extends OperatorError {
  override readonly code = 'notFound';
}

/** The command names something whose state does not allow the command. */
export class WrongStateError extends OperatorError {
  override readonly code: string = 'wrongState';
}

/** Somebody else has changed a record after the command has read it. */
export class ChangedMeanwhileError extends WrongStateError {
  override readonly code = 'changedMeanwhile';

  constructor(what: string) {
    const problem = `${what} was changed by somebody else at the same time`;
    super(problem, { remedy: 'run the command again' });
  }
}

/** The operator ended a command before it was done. */
export class InterruptedError extends OperatorError {
  override readonly failureClass = 'interrupted';
  override readonly code = 'interrupted';
}

/** After a command, some orders or owners are not as they should be. The command names them. */
export class DifferentError extends OperatorError {
  override readonly failureClass = 'different';
  override readonly code = 'different';
}

const quotedLength = 60;

/** Formats a value for an error message, on one line and truncated. */
export function quoted(value: unknown): string {
  return shortened(typeof value === 'string' ? JSON.stringify(value) : String(value));
}

/** Truncates a text for an error message. */
export function shortened(text: string): string {
  return text.length > quotedLength ? `${text.slice(0, quotedLength)}…` : text;
}

/** The reason of a failed call, on one line. */
export function reasonOf(error: unknown): string {
  const { message, code, name } = Object(error) as Record<string, string | undefined>;
  // The error of a refused connection has a code but no message.
  const text = message || code || name || String(error);
  return text.replaceAll(/\s+/g, ' ').trim();
}
