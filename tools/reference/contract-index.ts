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
  const operations = listOperations(contract);
  const errors = Object.entries(contract.components.responses).flatMap(([name, response]) => {
    const operationIds = operations
      .filter(({ responses }) => Object.values(responses).some((one) => one.component === name))
      .map(({ operationId }) => operationId);
    return examplesOf(response).map(({ summary, value }) => ({
      ...(value as Pick<ListedError, 'code' | 'message' | 'status'>),
      summary,
      operationIds,
    }));
  });
  const byCode = Map.groupBy(errors, ({ status, code }) => `${status} ${code}`);
  return [...byCode]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, same]) => {
      const isOfAny = same.some((error) => error.operationIds.length === 0);
      const operationIds = isOfAny ? [] : same.flatMap((error) => error.operationIds);
      return { ...same[0]!, operationIds: [...new Set(operationIds)] };
    });
}

/** The body of a response; undefined if it has none. */
export function bodyOf({ content }: ContractResponse): JsonBody | undefined {
  return content?.['application/json'];
}

/** The examples of a response's body. */
export function examplesOf(response: ContractResponse): Example[] {
  return Object.values(bodyOf(response)?.examples ?? {});
}
