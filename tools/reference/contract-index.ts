import type {
  Contract,
  ContractOperation,
  ContractResponse,
  Example,
  JsonBody,
} from './contract.ts';

/** An operation of the contract, as the reference lists it. */
export interface ListedOperation extends ContractOperation {
  readonly method: string;
  readonly path: string;
  /** The stability marker (`x-stability`), or `deprecated`. */
  readonly marker: string;
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

/** Lists the operations in the order of the contract. */
export function listOperations({ paths }: Contract): ListedOperation[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      ...operation,
      method: method.toUpperCase(),
      path,
      marker: operation.deprecated ? 'deprecated' : (operation['x-stability'] ?? ''),
    })),
  );
}

/** Lists each error code once, sorted by status and name. */
export function listErrors(contract: Contract): ListedError[] {
  const errors = new Map<string, ListedError>();
  for (const [name, response] of Object.entries(contract.components.responses)) {
    for (const { summary, value } of examplesOf(response)) {
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

/** The body of a response; undefined if it has none. */
export function bodyOf({ content }: ContractResponse): JsonBody | undefined {
  return content?.['application/json'];
}

/** The examples of a response's body. */
export function examplesOf(response: ContractResponse): Example[] {
  return Object.values(bodyOf(response)?.examples ?? {});
}

function operationsWith(contract: Contract, responseName: string): string[] {
  return listOperations(contract)
    .filter(({ responses }) =>
      Object.values(responses).some(({ component }) => component === responseName),
    )
    .map(({ operationId }) => operationId);
}
