import { type ErrorRow, type ErrorRows, errors } from '../../lambdas/contract/errors.ts';
import { rateLimitHeaders } from '../../lambdas/keys/rate-limit-headers.ts';

/* The errors with which API Gateway itself answers. They have the form and the headers of all other errors. */

/** The errors that no function causes. */
const gatewayErrors = {
  /** API Gateway itself refuses the request. */
  bad_request: { status: 400, message: 'The request is not valid.' },
  forbidden: { status: 403, message: 'The request was refused.' },
  /** The API has no such path, or the path has no such method. */
  not_found: { status: 404, message: 'There is no such path or method.' },
  method_not_allowed: {
    status: 405,
    message: 'This path has no such method. See the Allow header.',
  },
  gone: { status: 410, message: 'This operation was retired. See the Sunset header.' },
} as const satisfies ErrorRows;

/** Every error that clients can get. */
export const allErrors = { ...errors, ...gatewayErrors } as const;

/** Headers with their values as API Gateway's mapping expressions: static values are in single quotes. */
export type Mappings = Readonly<Record<string, string>>;

/** An error response that API Gateway creates itself. */
export interface ErrorAnswer {
  readonly status: number;
  readonly headers: Mappings;
  /** The body as JSON. API Gateway replaces its `$context` variables without escaping. */
  readonly body: string;
}

/**
 * Makes the answer for an error.
 *
 * @param replaced the message or the headers, if they differ from the usual ones of the code; the code, if a variable
 * contains it
 */
export function errorAnswer(
  code: keyof typeof allErrors,
  replaced: { code?: string; message?: string; headers?: Mappings } = {},
): ErrorAnswer {
  const row: ErrorRow = allErrors[code];
  const { headers = staticMappings(row.headers ?? {}), ...words } = replaced;
  const { status, message } = row;
  return { status, headers, body: JSON.stringify({ code, message, ...words, status }) };
}

/** The rate-limit headers. @param isAuthorized whether the values are in the authorizer's context */
export function rateLimitMappings(isAuthorized = false): Mappings {
  return Object.fromEntries(
    Object.entries(rateLimitHeaders).map(([name, { variable, withoutKey }]) => [
      name,
      isAuthorized ? `context.authorizer.${variable}` : `'${withoutKey}'`,
    ]),
  );
}

/** Headers with constant values. */
export function staticMappings(headers: Readonly<Record<string, string>>): Mappings {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, `'${value}'`]));
}
