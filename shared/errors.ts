export interface OperatorErrorOptions {
  readonly cause?: unknown;
  /** What the operator can do about it, where the problem alone does not say so. */
  readonly remedy?: string;
}

/** What went wrong in an operator's command, told in one line that names the remedy. */
export class OperatorError extends Error {
  override name = 'OperatorError';
  /** The message without the remedy. */
  readonly problem: string;
  readonly remedy: string | undefined;

  constructor(problem: string, { cause, remedy }: OperatorErrorOptions = {}) {
    super(remedy === undefined ? problem : `${problem}; ${remedy}`, cause ? { cause } : undefined);
    this.problem = problem;
    this.remedy = remedy;
  }
}

/** A command line that is no command: an unknown word, or one that is missing. */
export class UsageError extends OperatorError {
  override name = 'UsageError';
}

/** A value that cannot be accepted: which field, which value, what was expected. */
export class InvalidValueError extends OperatorError {
  override name = 'InvalidValueError';
  readonly field: string;

  constructor(field: string, value: unknown, expected: string) {
    super(`${field}: ${quoted(value)} is not accepted`, { remedy: `expected ${expected}` });
    this.field = field;
  }
}

/** AWS, a local service or the network between has failed; the same command may succeed later. */
export class ServiceError extends OperatorError {
  override name = 'ServiceError';
  /** What failed, in a word for programs. */
  readonly kind: string;

  constructor(kind: string, problem: string, options: OperatorErrorOptions) {
    super(problem, options);
    this.kind = kind;
  }
}

/** No key, or no order, has this id. */
export class NotFoundError extends OperatorError {
  override name = 'NotFoundError';
}

/** The key or order exists, but in a state that does not allow the command. */
export class WrongStateError extends OperatorError {
  override name = 'WrongStateError';
}

/** One of DynamoDB and API Gateway has changed and the other has not; says what repairs it. */
export class HalfDoneError extends OperatorError {
  override name = 'HalfDoneError';
}

/** A line of an orders file that is not an order. */
export class BadLineError extends OperatorError {
  override name = 'BadLineError';
  /** Line in the file, from 1. */
  readonly line: number;
  /** The fault alone, without the line. */
  readonly fault: string;

  constructor(line: number, fault: string) {
    super(`line ${line}: ${fault}`);
    this.line = line;
    this.fault = fault;
  }
}

/** An orders file whose structure is lost at some place, so that nothing after it can be read. */
export class UnreadableFileError extends OperatorError {
  override name = 'UnreadableFileError';
}

const quotedLength = 60;

/** A value as an error message shows it: on one line, and not endlessly long. */
export function quoted(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : String(value);
  return text.length > quotedLength ? `${text.slice(0, quotedLength)}…` : text;
}

/** The reason behind a failed call, in one line. */
export function reasonOf(error: unknown): string {
  const { message, code, name } = Object(error) as {
    message?: string;
    code?: string;
    name?: string;
  };
  // A refused connection has no message, only a code.
  const text = message || code || name || String(error);
  return text.replaceAll(/\s+/g, ' ').trim();
}
