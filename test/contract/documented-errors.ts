import type { RejectionCode } from '../../lambdas/authorizer/decision.ts';
import { contract } from '../helpers/contract-check.ts';
import { contractDocument } from '../helpers/contract-document.ts';
import { missing } from '../helpers/differences.ts';

export interface ErrorBody {
  readonly status: number;
  readonly code: string;
  readonly message: string;
}

interface DocumentedResponse {
  readonly content: {
    readonly 'application/json': {
      readonly schema: { readonly allOf: readonly [object, { readonly properties: Properties }] };
      readonly examples: Readonly<Record<string, { readonly value: ErrorBody }>>;
    };
  };
}

interface Properties {
  readonly code: { readonly enum: readonly string[] };
  readonly status: { readonly const: number };
}

/** The errors that the contract documents, by the name of their response. */
export const { responses } = contractDocument.components as {
  responses: Readonly<Record<string, DocumentedResponse>>;
};

/** The response that a reference such as `{ $ref: '#/components/responses/NotFound' }` means. */
export function referred(reference: { readonly $ref?: string } | undefined) {
  return responses[reference?.$ref?.replace('#/components/responses/', '') ?? ''];
}

export function examplesOf({ content }: DocumentedResponse): ErrorBody[] {
  return Object.values(content['application/json'].examples).map(({ value }) => value);
}

/** The examples of an operation's errors of one status; none where it has no such errors. */
export function documentedErrors(operationId: string, status: number): ErrorBody[] {
  const { responses: references } = contract.operation(operationId) as unknown as {
    responses: Readonly<Record<number, { readonly $ref: string }>>;
  };
  const response = referred(references[status]);
  return response ? examplesOf(response) : [];
}

/** A record, so that a code which is missing here does not compile. */
const rejections: Readonly<Record<RejectionCode, true>> = {
  rate_limit_exceeded: true,
  quota_exceeded: true,
  api_key_banned: true,
};

/** What the authorizer rejects with. */
export const authorizerCodes = Object.keys(rejections);

/** The authorizer's own errors as the contract shows them: each is called as its code. */
export function authorizerExamples(): ErrorBody[] {
  const { examples } = responses.TooManyRequests!.content['application/json'];
  return authorizerCodes.flatMap((code) => examples[code]?.value ?? []);
}

/** An error's code and its words must be those of an example of the contract. */
export function undocumentedErrors(operationId: string, body: ErrorBody): string[] {
  const examples = documentedErrors(operationId, body.status).map(describeBody);
  return missing(
    ['the answer', [describeBody(body)]],
    [`openapi.yaml, ${operationId}, ${body.status}`, examples],
  );
}

/** The authorizer's own errors that the contract shows and nobody was answered with. */
export function unseenErrors(seen: readonly ErrorBody[]): string[] {
  return missing(
    ['openapi.yaml', authorizerExamples().map(describeBody)],
    ['the authorizer', seen.map(describeBody)],
  );
}

/** With `…` for what differs from answer to answer: numbers, and what API Gateway puts in. */
export function describeBody({ status, code, message }: ErrorBody): string {
  return `${status} ${code}: ${message.replaceAll(/\$context[.\w]+\w|\d[\d,]*/g, '…')}`;
}
