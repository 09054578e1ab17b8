import { contractDocument } from '../../../test/helpers/contract-document.ts';
import { Contract } from '../stage/contract.ts';
import type { Answer } from '../stage/http-client.ts';

/** The published contract, to compare answers with. */
export const contract = new Contract(contractDocument);

const gatewayResponses: Readonly<Record<string, object>> = contractDocument['x-gateway-responses'];

/** The operation at a path below the base URL; undefined if there is none. */
export function operationAt(method: string, path: string) {
  return contract.operations.find((operation) => {
    const form = new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/?]+')}/?(?:\\?|$)`);
    return operation.method === method && form.test(path);
  });
}

/**
 * What an answer has that the contract does not document, or the other way round.
 *
 * @param path below the base URL
 */
export function contractDifferences(method: string, path: string, answer: Answer): string[] {
  const operation = operationAt(method, path);
  const { status, headers, text } = answer;
  const checked = { status, headers, ...(method !== 'HEAD' && { text }) };
  // A stage that allows an origin answers preflight requests, which are not in the contract.
  if (method === 'OPTIONS' && status === 204) return [];
  if (operation) return contract.differences(operation.operationId, checked);
  const types = Object.keys(gatewayResponses).filter((type) => status in gatewayResponses[type]!);
  const found = types.map((type) => contract.differences(type, checked));
  const isDocumented = found.some((differences) => differences.length === 0);
  return isDocumented ? [] : (found[0] ?? [`status ${status} is not in openapi.yaml`]);
}
