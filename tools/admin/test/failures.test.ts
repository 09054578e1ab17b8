import { Writable } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { OperatorError } from '../../shared/errors.ts';
import { reportFailure } from '../failure-report.ts';
import { recordCall, runRepeatable, UnconfirmedError } from '../stage/service-failure.ts';
import { admin } from './run-admin.ts';

const failure = (name: string, message: string, rest: object = {}) =>
  Object.assign(new Error(message), { name, ...rest });

const answered = (httpStatusCode: number) => ({ $metadata: { httpStatusCode } });

const onStage = { stage: 'prod' };
const locally = { local: 'http://127.0.0.1:3000/v1' };

describe('a failure of AWS', () => {
  const noSession = 'The SSO session associated with this profile has expired.';
  const lateClock = 'Signature expired: 20261120T093000Z is now earlier than 20261121T093000Z';
  it.each<[string, Error, RegExp]>([
    [
      'noCredentials',
      failure('CredentialsProviderError', 'Could not load credentials'),
      /sso login.*list-profiles/,
    ],
    ['expiredSession', failure('ExpiredTokenException', 'The token is expired'), /aws sso login/],
    ['expiredSession', failure('CredentialsProviderError', noSession), /aws sso login/],
    ['unknownCredentials', failure('UnrecognizedClientException', 'The token is'), /aws sts get-/],
    ['wrongClock', failure('InvalidSignatureException', lateClock), /timedatectl/],
    ['noRegion', failure('Error', 'Region is missing'), /export AWS_REGION=.*list-profiles/],
    [
      'noRegion',
      failure('Error', 'Region not accepted: region="eu_1" is not a valid hostname component.'),
      /export AWS_REGION=/,
    ],
    [
      'noSuchStack',
      failure('ValidationError', 'Stack with id StoreOrders-prod does not exist', answered(400)),
      /^deploy it with "npx cdk deploy StoreOrders-prod"/,
    ],
    ['noResponse', failure('Error', 'x', { code: 'ENOTFOUND' }), /network.*AWS_REGION/],
    ['noResponse', failure('Error', 'x', { code: 'SELF_SIGNED_CERT_IN_CHAIN' }), /proxy/],
    ['noResponse', failure('TimeoutError', 'socket hang up'), /network/],
    ['accessDenied', failure('AccessDeniedException', 'User: ann is'), /What an operator may do/],
    ['throttled', failure('ThrottlingException', 'Rate exceeded'), /wait a minute/],
    ['unconfirmed', new UnconfirmedError('UpdateItem'), /proxy.*; then run the command again$/],
    ['serviceFailed', failure('Internal', 'oops', answered(500)), /health\.aws\.amazon\.com/],
    [
      'callRefused',
      failure('ResourceNotFoundException', 'Requested resource not found', answered(400)),
      /describe-stacks --stack-name StoreOrders-prod/,
    ],
  ])('is reported as %s, with its cause, a remedy and exit code 3', (code, error, remedy) => {
    const report = reportFailure(error, onStage);

    expect(report).toMatchObject({ exitCode: 3, class: 'service', code });
    expect(report.message).toMatch(/^stage prod: /);
    expect(report.message).toContain(error.message.replace(/\.$/, ''));
    expect(report.remedy).toMatch(remedy);
  });

  it('is noCredentials if a call cannot read the file of a token', () => {
    const error = failure('Error', "ENOENT: open '/expired'", { path: '/expired' });
    recordCall(error, 'CloudFormation DescribeStacks');

    expect(reportFailure(error, onStage)).toMatchObject({ exitCode: 3, code: 'noCredentials' });
  });

  it('has its remedy before that of a command that can be repeated', async () => {
    const expired = failure('ExpiredTokenException', 'The token is expired');
    const thrown = await runRepeatable('Some keys may be purged', () =>
      Promise.reject(expired),
    ).catch((error) => error);

    expect(reportFailure(thrown, onStage)).toEqual({
      exitCode: 3,
      class: 'service',
      code: 'expiredSession',
      message: 'Some keys may be purged: the AWS session has expired (The token is expired)',
      remedy:
        'sign in again with "aws sso login", or set AWS_PROFILE to another profile; then run the ' +
        'command again to complete it',
    });
  });
});

it('a failure of a local service is reported with the address and a remedy', () => {
  const refused = failure('Error', 'connect ECONNREFUSED', { code: 'ECONNREFUSED' });

  expect(reportFailure(refused, locally)).toMatchObject({
    exitCode: 3,
    class: 'service',
    message: expect.stringMatching(/^http:\/\/127\.0\.0\.1:3000: /),
    remedy: expect.stringMatching(/^check that "npm start" is running/),
  });
});

describe('a failure of anything else', () => {
  it.each([
    failure('Error', "EACCES: open 'token is expired'", { path: 'token is expired' }),
    new OperatorError('x', { cause: new OperatorError('no field "Expired"') }),
    new OperatorError('x', { cause: new SyntaxError('"AccessDenied" is not valid JSON') }),
  ])('is not a failure of a service if a file, or its name, contains its words: %s', (error) => {
    expect(reportFailure(error, onStage)).toMatchObject({ exitCode: 1, class: 'refused' });
  });

  it('is one line without a stack trace if the program has a bug', () => {
    const report = reportFailure(new TypeError('x is not\n a function'), onStage);

    expect(report).toMatchObject({ exitCode: 1, message: 'TypeError: x is not a function' });
  });

  it('is not reported if the reader has closed the pipe', async () => {
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => done(failure('Error', 'write EPIPE', { code: 'EPIPE' })),
    }).on('error', () => {});

    const { exitCode, stderr } = await admin(['--help'], { stdout });

    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
  });
});
