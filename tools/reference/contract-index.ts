import {
  type Contract,
  type ContractOperation,
  type ContractResponse,
  type MediaType,
  resolve,
  type Schema,
} from './contract.ts';

/** An operation of the contract, as the reference lists it. */
export interface ListedOperation {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  /** The path with an example for each parameter. */
  readonly examplePath: string;
  readonly summary: string;
  /** The stability marker (`x-stability`), or `deprecated`. */
  readonly marker: string;
  /** The type of the successful response's body: `array`, `object`, or undefined without a body. */
  readonly bodyType: string | undefined;
  /** The properties of the body that are 64-bit integers. */
  readonly int64Names: readonly string[];
  readonly details: ContractOperation;
}

/** An error code with its description in the contract. */
export interface ListedError {
  readonly status: number;
  readonly code: string;
  readonly summary: string;
  readonly message: string;
  /** The ids of the operations with this error; empty for an error that any request can get. */
  readonly operationIds: readonly string[];
}

/** Example values of parameters by name, which replace those of the contract. */
export type ParameterExamples = Readonly<Record<string, string>>;

/** Lists the operations in the order of the contract. */
export function listOperations(
  contract: Contract,
  examples: ParameterExamples = {},
): ListedOperation[] {
  return Object.entries(contract.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      operationId: operation.operationId,
      method: method.toUpperCase(),
      path,
      examplePath: withExamples(path, operation, examples),
      summary: operation.summary,
      marker: operation.deprecated ? 'deprecated' : (operation['x-stability'] ?? ''),
      ...describeBody(contract, operation),
      details: operation,
    })),
  );
}

function describeBody(
  contract: Contract,
  { responses }: ContractOperation,
): Pick<ListedOperation, 'bodyType' | 'int64Names'> {
  const { content } = resolve<Partial<ContractResponse>>(contract, responses['200'] ?? {});
  if (content === undefined) return { bodyType: undefined, int64Names: [] };
  const body = resolve<Schema>(contract, jsonOf(content).schema);
  const { properties = {} } = resolve<Schema>(contract, body.items ?? body);
  const int64 = Object.entries(properties).filter(([, { format }]) => format === 'int64');
  return { bodyType: body.type, int64Names: int64.map(([name]) => name) };
}

/** Lists each error code once, sorted by status and name. */
export function listErrors(contract: Contract): ListedError[] {
  const errors = new Map<string, ListedError>();
  for (const [name, response] of Object.entries(contract.components.responses)) {
    for (const { summary, value } of Object.values(jsonOf(response.content).examples)) {
      const { status, code, message } = value as Omit<ListedError, 'summary' | 'operationIds'>;
      const key = `${status} ${code}`;
      const known = errors.get(key);
      const operationIds = [...(known?.operationIds ?? []), ...operationsWith(contract, name)];
      const first = known ?? { status, code, summary, message };
      errors.set(key, { ...first, operationIds: [...new Set(operationIds)] });
    }
  }
  return [...errors.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, error]) => error);
}

/** The JSON media type of a response's content, which has to have one. */
export function jsonOf(content: Readonly<Record<string, MediaType>> | undefined): MediaType {
  return content!['application/json']!;
}

function operationsWith(contract: Contract, responseName: string): string[] {
  const response = contract.components.responses[responseName]!;
  return listOperations(contract)
    .filter(({ details }) =>
      Object.values(details.responses).some((one) => resolve(contract, one) === response),
    )
    .map(({ operationId }) => operationId);
}

function withExamples(
  path: string,
  { parameters = [] }: ContractOperation,
  examples: ParameterExamples,
): string {
  return parameters.reduce(
    (filled, { name, example }) =>
      filled.replace(`{${name}}`, encodeURIComponent(examples[name] ?? String(example))),
    path,
  );
}
