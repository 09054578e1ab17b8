import { describe, expect, it } from '@jest/globals';
import { OperatorError } from '../../shared/errors.ts';
import { reportFailure } from '../failure-report.ts';
import { failedCall } from '../stage/service-failure.ts';

const failure = (name: string, message: string, rest: object = {}) =>
  Object.assign(new Error(message), { name, ...rest });

const answered = (httpStatusCode: number) => ({ $metadata: { httpStatusCode } });

const onStage = { stage: 'prod' };

describe('a failed call', () => {
  const noSession = 'The SSO session associated with this profile has expired.';
  it.each<[string, Error, RegExp]>([
    ['noCredentials', failure('CredentialsProviderError', noSession), /sso login.*list-profiles/],
    ['noCredentials', failure('ExpiredToken', 'The token is expired', answered(400)), /sso login/],
    ['noResponse', failure('Error', 'x', { code: 'ENOTFOUND' }), /network.*HTTPS_PROXY/],
    ['noResponse', failure('TimeoutError', 'socket hang up'), /network/],
    ['accessDenied', failure('AccessDenied', 'ann', answered(403)), /What an operator may do/],
    ['throttled', failure('ThrottlingException', 'Rate exceeded', answered(400)), /wait a minute/],
    [
      'throttled',
      failure('TransactionCanceledException', '[None, ThrottlingError]', answered(400)),
      /wait a minute/,
    ],
    ['callFailed', failure('Internal', 'oops', answered(500)), /health\.aws\.amazon\.com/],
  ])('is reported as %s, with its cause, a remedy and exit code 3', (code, error, remedy) => {
    const report = reportFailure(failedCall(error, 'DynamoDB Scan'), onStage);

    expect(report).toMatchObject({ exitCode: 3, class: 'service', code });
    expect(report.message).toMatch(/^stage prod: /);
    expect(report.message).toContain(error.message.replace(/\.$/, ''));
    expect(report.remedy).toMatch(remedy);
  });

  it('has its remedy before that of a command that can be repeated', () => {
    const expired = failure('ExpiredTokenException', 'The token is expired', answered(400));
    const cause = failedCall(expired, 'DynamoDB Scan');
    const remedy = 'run the command again to complete it';

    const report = reportFailure(new OperatorError('half done', { cause, remedy }), onStage);

    expect(report).toMatchObject({ exitCode: 3, code: 'noCredentials', message: 'half done' });
    expect(report.remedy).toMatch(/^sign in with "aws sso login".*; then run .* to complete it$/);
  });
});

it('a bug in the program is reported in one line without a stack trace', () => {
  const report = reportFailure(new TypeError('x is not\n a function'), onStage);

  expect(report).toMatchObject({ exitCode: 1, message: 'TypeError: x is not a function' });
});
