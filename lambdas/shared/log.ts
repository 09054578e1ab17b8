/** What every line of one request carries. Never the bearer token: the key's public id stands for it. */
export interface LogFields {
  requestId?: string | undefined;
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

function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return String(error);
  const cause =
    error.cause !== undefined && depth < deepestCause
      ? describeError(error.cause, depth + 1)
      : undefined;
  return { name: error.name, message: error.message, stack: error.stack, cause };
}
