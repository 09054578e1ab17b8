import { describe, it } from '@jest/globals';
import { type ErrorRow, errors, rejections } from '../../lambdas/contract/errors.ts';
import { cancellationOutcomes } from '../../lambdas/contract/metric-definitions.ts';
import { allErrors } from '../../lib/api/error-answers.ts';
import { expectAgreement, expectContained, type Statement } from '../helpers/agreement.ts';
import { stageNames, template } from '../helpers/synthesized.ts';
import { contractDocument, type ErrorBody, wordsOf } from './contract.ts';

interface DocumentedResponse {
  readonly content: {
    readonly 'application/json': {
      readonly examples: Readonly<Record<string, { readonly value: ErrorBody }>>;
    };
  };
}

/** The errors that the contract documents, by the name of their response. */
const responses: Readonly<Record<string, DocumentedResponse>> =
  contractDocument.components.responses;

const rows = Object.entries<ErrorRow>(allErrors).map(([code, { status, message }]) =>
  wordsOf({ status, code, message: message.replaceAll(/\{\w+\}/g, '0') }),
);
const tablePlace = 'lambdas/contract/errors.ts or lib/api/error-answers.ts';
const contractPlace = 'openapi.yaml, components.responses, examples';

describe('the errors of the contract', () => {
  it('have every code, status and usual message of the tables of errors', () => {
    expectContained([tablePlace, rows], contractExamples());
  });

  it('have no other message than these, except messages that the template or the firewall replaces', () => {
    // test/lib/variants.test.ts compares the firewall's error, because no stage has one by default.
    const { address_blocked: blocked } =
      responses.TooManyRequests!.content['application/json'].examples;
    const replaced = [...stageNames.flatMap(fixedBodies), blocked!.value].map(wordsOf);

    expectContained(contractExamples(), [`${tablePlace} or lib/api`, [...rows, ...replaced]]);
  });
});

it('the outcomes of a cancellation are those that the contract documents', () => {
  const { delete: cancelOrder } = contractDocument.paths['/store/orders/{orderId}'];
  const {
    204: _done,
    400: _malformed,
    403: _readOnly,
    413: _tooLarge,
    ...refusals
  } = cancelOrder.responses;

  const codes = Object.values<{ readonly $ref?: string }>(refusals)
    .flatMap((reference) => examplesOf(referred(reference)!))
    .flatMap(({ code }) => (code in errors && !(code in rejections) ? code : []));

  expectAgreement(
    ['openapi.yaml, what cancelOrder answers', ['cancelled', ...codes]],
    ['lambdas/contract/metric-definitions.ts', cancellationOutcomes],
  );
});

/** The response that a reference such as `{ $ref: '#/components/responses/NotFound' }` names. */
function referred(reference: { readonly $ref?: string } | undefined) {
  return responses[reference?.$ref?.replace('#/components/responses/', '') ?? ''];
}

function examplesOf({ content }: DocumentedResponse): ErrorBody[] {
  return Object.values(content['application/json'].examples).map(({ value }) => value);
}

function contractExamples(): Statement {
  return [contractPlace, Object.values(responses).flatMap(examplesOf).map(wordsOf)];
}

/** The bodies of API Gateway's own responses. template.test.ts compares each with its response. */
function fixedBodies(stage: (typeof stageNames)[number]): ErrorBody[] {
  // The strings of the template that contain JSON are not escaped.
  const text = JSON.stringify(template(stage)).replaceAll('\\', '');
  return [...text.matchAll(/{"code":[^{}]+}/g)].map(([body]) => JSON.parse(body));
}
