/** The fields of a log line. The bearer token is never logged. `keyId` is the public id of the key. */
export interface LogFields {
  requestId?: string | undefined;
  extendedRequestId?: string | undefined;
  keyId?: string | undefined;
  [field: string]: unknown;
}

/** Writes each message as one line of JSON. CloudWatch Logs Insights can search in its fields. */
export const log = {
  warn: (message: string, fields: LogFields = {}) => write('WARN', message, fields),
  /** Logs an error with its stack and causes, which are shown nowhere else. */
  error: (message: string, error: unknown, fields: LogFields = {}) =>
    write('ERROR', message, { ...fields, error: describeError(error) }),
};

/**
 * Writes an object as one line of JSON. `console` cannot be used, because the Lambda runtime replaces it by a version
 * that wraps each message, and CloudWatch extracts metrics only from an unwrapped line.
 */
export function writeLine(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

function write(level: 'WARN' | 'ERROR', message: string, fields: LogFields): void {
  writeLine({ timestamp: new Date().toISOString(), level, message, ...fields });
}

/** Describes a thrown value, with its stack and its causes. */
function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return String(error);
  const { name, message, stack, cause } = error;
  return { name, message, stack, ...(cause !== undefined && { cause: describeError(cause) }) };
}
