import { Contract } from '../../smoke/stage/contract.ts';
import type { TextAnswer } from '../../smoke/stage/http-client.ts';
import { contractDocument } from './contract-document.ts';

/** The published contract, to compare answers with. */
export const contract = new Contract(contractDocument);
const operations = contract.operations().map(({ operationId, method, path }) => ({
  operationId,
  method,
  path: new RegExp(`^${path.replaceAll(/\{\w+\}/g, '[^/?]+')}/?(?:\\?|$)`),
}));
const gatewayResponses = contract.document['x-gateway-responses'] as Readonly<
  Record<string, Readonly<Record<string, unknown>>>
>;

/**
 * What an answer has that the contract does not document, or the other way round.
 *
 * @param path below the base URL
 */
export function contractDifferences(method: string, path: string, answer: TextAnswer): string[] {
  const operation = operations.find((each) => each.method === method && each.path.test(path));
  const { status, headers, text } = answer;
  const hasText = method !== 'HEAD' && !headers.has('content-encoding');
  const checked = { status, headers, ...(hasText && { text }) };
  // A stage that allows an origin answers a preflight, which the contract has not.
  if (method === 'OPTIONS' && status === 204) return [];
  if (operation) return contract.differences(operation.operationId, checked);
  const types = Object.keys(gatewayResponses).filter((type) => status in gatewayResponses[type]!);
  const found = types.map((type) => contract.gatewayDifferences(type, checked));
  const isDocumented = found.some((differences) => differences.length === 0);
  return isDocumented ? [] : (found[0] ?? [`status ${status} is not in openapi.yaml`]);
}
