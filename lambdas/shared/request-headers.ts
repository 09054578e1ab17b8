/** Headers of HTTP itself that handlers read. They are no parameters of an operation. */
const httpHeaders = ['Accept-Encoding', 'Content-Type'] as const;

/**
 * The header parameters of each operation that has some, as in `{ cancelOrder: ['If-Match'] }`. A handler
 * can read no header that is neither here nor one of HTTP's own; preflights allow what is here, and the
 * contract (`openapi.yaml`) is compared with it.
 */
export const headerParameters = {} as const satisfies Readonly<Record<string, readonly string[]>>;

type HeaderParameter = (typeof headerParameters)[keyof typeof headerParameters][number];

/** The name of a header that a handler may read, in lower case. */
export type ReadableHeader = Lowercase<(typeof httpHeaders)[number] | HeaderParameter>;

/** What a script of another origin may send, beyond what browsers add by themselves. */
export const allowedRequestHeaders = [
  'Authorization',
  'Content-Type',
  ...Object.values<readonly string[]>(headerParameters).flat(),
];
