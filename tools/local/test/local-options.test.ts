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

it.each([
  ['http://user:secret@127.0.0.1:8000/path', 'http://127.0.0.1:8000'],
  ['', undefined],
])(
  'DYNAMODB_ENDPOINT is used without a password and a path, unless it is empty: "%s"',
  (value, expected) => {
    process.env.DYNAMODB_ENDPOINT = value;

    expect(parseLocalOptions([])).toMatchObject({ dynamodbEndpoint: expected });
  },
);

it('DYNAMODB_ENDPOINT is refused without its password', () => {
  process.env.DYNAMODB_ENDPOINT = 'ftp://user:secret@127.0.0.1:8000';

  expect(() => parseLocalOptions([])).toThrow(
    /^DYNAMODB_ENDPOINT: "…@127\.0\.0\.1:8000" is not accepted; expected a URL/,
  );
});
