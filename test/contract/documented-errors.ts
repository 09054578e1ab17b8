import type { RejectionCode } from '../../lambdas/authorizer/decision.ts';
import { contractDocument } from '../helpers/contract-document.ts';

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

/** With `…` for what differs from answer to answer: numbers, and what API Gateway puts in. */
export function describeBody({ status, code, message }: ErrorBody): string {
  return `${status} ${code}: ${message.replaceAll(/\$context[.\w]+\w|\d[\d,]*/g, '…')}`;
}
