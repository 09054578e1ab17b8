import { expect } from '@jest/globals';
import { contractDifferences } from './contract.ts';

/** A response of a handler, as Lambda passes it on. */
interface HandlerResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Expects that the contract documents the response of a handler, as a client gets it. */
export function expectDocumented(
  operationId: string,
  { statusCode, headers }: HandlerResponse,
  text: string,
): void {
  const sent = Object.entries(headers).map(([name, value]): [string, string[]] => [
    // API Gateway renames this header of an integration.
    name.toLowerCase().replace(/^(?=www-authenticate$)/, 'x-amzn-remapped-'),
    [value],
  ]);
  const answer = { status: statusCode, headers: new Map(sent), text };

  expect(contractDifferences(operationId, answer)).toEqual([]);
}
