import { describe, it } from '@jest/globals';
import { type ErrorRow, errors, rejections } from '../../lambdas/contract/errors.ts';
import { cancellationOutcomes } from '../../lambdas/contract/metric-definitions.ts';
import { allErrors } from '../../lib/api/error-answers.ts';
import { expectAgreement, expectContained, type Statement } from '../helpers/agreement.ts';
import { stageNames, template } from '../helpers/synthesized.ts';
import { contractDocument, type ErrorBody, errorsOf, operationOf, wordsOf } from './contract.ts';

const rows = Object.entries<ErrorRow>(allErrors).map(([code, { status, message }]) =>
  wordsOf({ status, code, message: message.replaceAll(/\{\w+\}/g, '0') }),
);
const tablePlace = 'lambdas/contract/errors.ts or lib/api/error-answers.ts';
const examples: Statement = [
  'openapi.yaml, components.responses, examples',
  errorsOf(contractDocument.components.responses).map(wordsOf),
];

describe('the errors of the contract', () => {
  it('have every code, status and usual message of the tables of errors', () => {
    expectContained([tablePlace, rows], examples);
  });

  it('have no other message than these, except messages that the template or the firewall replaces', () => {
    // test/lib/variants.test.ts compares the firewall's error, because no stage has one by default.
    const { TooManyRequests } = contractDocument.components.responses;
    const { address_blocked: blocked } = TooManyRequests.content['application/json'].examples;
    const replaced = [...stageNames.flatMap(fixedBodies), blocked.value].map(wordsOf);

    expectContained(examples, [`${tablePlace} or lib/api`, [...rows, ...replaced]]);
  });
});

it('the outcomes of a cancellation are those that the contract documents', () => {
  const {
    400: _malformed,
    403: _readOnly,
    413: _tooLarge,
    ...refusals
  } = operationOf('cancelOrder').responses;

  const codes = errorsOf(refusals)
    .map(({ code }) => code)
    .filter((code) => code in errors && !(code in rejections));

  expectAgreement(
    ['openapi.yaml, what cancelOrder answers', ['cancelled', ...codes]],
    ['lambdas/contract/metric-definitions.ts', cancellationOutcomes],
  );
});

/** The bodies of API Gateway's own responses. template.test.ts compares each with its response. */
function fixedBodies(stage: (typeof stageNames)[number]): ErrorBody[] {
  // The strings of the template that contain JSON are not escaped.
  const text = JSON.stringify(template(stage)).replaceAll('\\', '');
  return [...text.matchAll(/{"code":[^{}]+}/g)].map(([body]) => JSON.parse(body));
}
