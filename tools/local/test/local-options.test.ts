import { afterEach, expect, it } from '@jest/globals';
import { stageChoices } from '../../../lib/settings/stages.ts';
import { parseLocalOptions } from '../local-options.ts';

afterEach(() => {
  delete process.env.DYNAMODB_ENDPOINT;
});

it.each<[string[], object]>([
  [[], { port: 3000, host: '127.0.0.1', stage: 'staging' }],
  [['--port', '0', '--host=::1', '--stage=prod'], { port: 0, host: '::1', stage: 'prod' }],
  [['--inspect', '--watch'], { inspect: 9229, watch: true }],
])('options of the local run: %j', (words, expected) => {
  expect(parseLocalOptions(words)).toMatchObject(expected);
});

it.each([
  ['--port', 'abc', 'a whole number from 0 to 65535'],
  ['--port', '65536', 'a whole number from 0 to 65535'],
  ['--stage', 'toString', stageChoices],
  ['--host', '', 'a text'],
])('%s "%s" is refused in one line that names what is expected', (name, value, expected) => {
  expect(() => parseLocalOptions([name, value])).toThrow(
    new RegExp(`^option '${name}.*' argument '${value}' is invalid. Expected ${expected};`),
  );
});

it('DYNAMODB_ENDPOINT is used, unless it is empty, or refused without its password', () => {
  process.env.DYNAMODB_ENDPOINT = 'http://127.0.0.1:8000';
  expect(parseLocalOptions([])).toMatchObject({ dynamodbEndpoint: 'http://127.0.0.1:8000' });

  process.env.DYNAMODB_ENDPOINT = '';
  expect(parseLocalOptions([])).toMatchObject({ dynamodbEndpoint: undefined });

  process.env.DYNAMODB_ENDPOINT = 'ftp://user:secret@127.0.0.1:8000';
  expect(() => parseLocalOptions([])).toThrow(/^(?!.*ret).*"…@127\.0\.0\.1:8000" is not/);
});
