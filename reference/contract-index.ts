/** An operation that is served, as a reference lists it. */
export interface ListedOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  /** The path with an example for each parameter. */
  readonly examplePath: string;
  readonly summary: string;
  /** The stability marker (`x-stability`), or `deprecated`. */
  readonly marker: string;
  /** Whether success has a body. */
  readonly hasBody: boolean;
}

/** An error code, with what the contract says of it. */
export interface ListedError {
  readonly status: number;
  readonly code: string;
  readonly summary: string;
  readonly message: string;
}

/** The parts of the published contract that an index is made of. */
export interface Contract {
  readonly info: { readonly title: string; readonly version: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, ContractOperation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, ErrorResponse>> };
}

interface ContractOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly deprecated?: boolean;
  readonly 'x-stability'?: string;
  readonly parameters?: readonly { readonly name: string; readonly example: unknown }[];
  readonly responses: Readonly<Record<string, { readonly content?: object }>>;
}

interface ErrorResponse {
  readonly content: {
    readonly 'application/json': {
      readonly examples: Readonly<
        Record<string, { readonly summary: string; readonly value: Omit<ListedError, 'summary'> }>
      >;
    };
  };
}

/** The operations in the contract's order. */
export function listOperations({ paths }: Contract): ListedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      operationId: operation.operationId,
      method: method.toUpperCase(),
      path,
      examplePath: withExamples(path, operation),
      summary: operation.summary,
      marker: operation.deprecated ? 'deprecated' : (operation['x-stability'] ?? ''),
      hasBody: operation.responses['200']?.content !== undefined,
    })),
  );
}

/** The error codes by status and then by name, each once. */
export function listErrors({ components }: Contract): ListedError[] {
  const errors = new Map<string, ListedError>();
  for (const { content } of Object.values(components.responses)) {
    for (const { summary, value } of Object.values(content['application/json'].examples)) {
      const { status, code, message } = value;
      errors.set(`${status} ${code}`, { status, code, summary, message });
    }
  }
  return [...errors.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, error]) => error);
}

function withExamples(path: string, { parameters = [] }: ContractOperation): string {
  return parameters.reduce(
    (filled, { name, example }) => filled.replace(`{${name}}`, encodeURIComponent(String(example))),
    path,
  );
}
