import { describe, expect, it } from '@jest/globals';
import * as errors from '../../lambdas/contract/errors.ts';
import {
  cancellationOutcomes,
  rejectionReasons,
} from '../../lambdas/contract/metric-definitions.ts';
import { cancelRefusals } from '../../lambdas/orders/order-states.ts';
import { expectAgreement, expectContained, type Statement } from '../helpers/agreement.ts';
import { type StageName, stageNames, template } from '../helpers/synthesized.ts';
import { contractDocument, type ErrorBody, wordsOf } from './contract.ts';

interface DocumentedResponse {
  readonly content: {
    readonly 'application/json': {
      readonly schema: object;
      readonly examples: Readonly<Record<string, { readonly value: ErrorBody }>>;
    };
  };
}

/** The errors that the contract documents, by the name of their response. */
const responses: Readonly<Record<string, DocumentedResponse>> =
  contractDocument.components.responses;

/** The codes of the authorizer's 429. */
const authorizerCodes = rejectionReasons.filter((reason) => reason !== 'unauthorized');

const { examples: tooManyRequests } = responses.TooManyRequests!.content['application/json'];

const contractPlace = 'openapi.yaml, components.responses, examples';

describe('the error classes', () => {
  it("are all among the contract's examples, with their status, code and message", () => {
    expectContained(
      stated('lambdas/contract/errors.ts or order-states.ts', classBodies()),
      stated(contractPlace, exampleBodies()),
    );
  });
});

describe('the errors of the contract', () => {
  it('are all created by an error class, the template or the authorizer', () => {
    const fixed = stageNames.flatMap(fixedBodies);
    // test/lib/variants.test.ts compares the firewall's error, because no stage has one by default.
    const { address_blocked: blocked } = tooManyRequests;
    const made = [...classBodies(), ...fixed, ...authorizerExamples(), blocked!.value];

    expectContained(
      stated(contractPlace, exampleBodies()),
      stated('lambdas/contract/errors.ts, order-states.ts or lib/api', made),
    );
  });

  it('include every code with which the authorizer rejects', () => {
    const documented = examplesOf(responses.TooManyRequests!).map(({ code }) => code);

    expectAgreement(
      ['lambdas/contract/metric-definitions.ts, rejectionReasons', authorizerCodes],
      ['openapi.yaml, components.responses.TooManyRequests', documented],
    );
  });

  it('have one schema', () => {
    const schema = { $ref: '#/components/schemas/Error' };

    for (const { content } of Object.values(responses))
      expect(content['application/json'].schema).toEqual(schema);
  });
});

it('the outcomes of a cancellation are those that the contract documents', () => {
  const ofClasses = new Set(classBodies().map(({ code }) => code));
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
    .flatMap(({ code }) => (ofClasses.has(code) ? code : []));

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

/** The authorizer's own errors in the contract's examples, which are named after their codes. */
function authorizerExamples(): ErrorBody[] {
  return authorizerCodes.flatMap((code) => tooManyRequests[code]?.value ?? []);
}

function exampleBodies(): ErrorBody[] {
  return Object.values(responses).flatMap(examplesOf);
}

type ErrorClass = new () => errors.ApiError;

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === 'function' && value.prototype instanceof errors.ApiError;
}

function classBodies(): ErrorBody[] {
  const { OrderNotCancellableError, ...others } = errors;
  return [
    ...Object.values<unknown>(others)
      .filter(isErrorClass)
      .map((OneError) => new OneError()),
    ...cancelRefusals.map((refusal) => new OrderNotCancellableError(refusal)),
  ];
}

/** The bodies of API Gateway's own responses. template.test.ts compares each with its response. */
function fixedBodies(stage: StageName): ErrorBody[] {
  return [...textOf(stage).matchAll(/{"code":[^{}]+}/g)].map(([body]) => JSON.parse(body));
}

/** The template as a text, in which strings that contain JSON are not escaped. */
function textOf(stage: StageName): string {
  return JSON.stringify(template(stage)).replaceAll('\\', '');
}

function stated(place: string, bodies: readonly ErrorBody[]): Statement {
  return [place, bodies.map(wordsOf)];
}
