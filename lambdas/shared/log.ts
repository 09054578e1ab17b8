/** What every line of one request carries. Never the bearer token: the key's public id stands for it. */
export interface LogFields {
  requestId?: string | undefined;
  extendedRequestId?: string | undefined;
  keyId?: string | undefined;
  [field: string]: unknown;
}

/** One JSON object a line, as CloudWatch Logs Insights reads it. */
export const log = {
  info: (message: string, fields: LogFields = {}) => write('INFO', message, fields),
  warn: (message: string, fields: LogFields = {}) => write('WARN', message, fields),
  /** The only place where an error's stack and causes are shown. */
  error: (message: string, error: unknown, fields: LogFields = {}) =>
    write('ERROR', message, { ...fields, error: describeError(error) }),
};

/**
 * Writes a line as it is. Not through `console`, which the Lambda runtime replaces to put its own
 * envelope around each message: CloudWatch finds metrics only in a line that is nothing else.
 */
export function writeLine(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function write(level: 'INFO' | 'WARN' | 'ERROR', message: string, fields: LogFields): void {
  writeLine({ timestamp: new Date().toISOString(), level, message, ...fields });
}

const deepestCause = 5;

/** Anything can be thrown, also what has no text: the line about it must still be written. */
function describeError(error: unknown, depth = 0): unknown {
  try {
    if (!(error instanceof Error)) return String(error);
    const { name, message, stack, cause } = error;
    return {
      name: String(name),
      message: String(message),
      stack: String(stack),
      ...(cause !== undefined &&
        depth < deepestCause && { cause: describeError(cause, depth + 1) }),
    };
  } catch {
    return 'An error that cannot be shown.';
  }
}
