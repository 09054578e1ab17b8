import { afterEach, describe, expect, it } from '@jest/globals';
import { stageChoices } from '../../../lib/settings/stages.ts';
import { parseLocalOptions } from '../local-options.ts';

afterEach(() => {
  delete process.env.DYNAMODB_ENDPOINT;
});

describe('options of the local run', () => {
  it.each<[string[], object]>([
    [[], { port: 3000, host: '127.0.0.1', stage: 'staging' }],
    [['--port', '0', '--host=::1', '--stage=prod'], { port: 0, host: '::1', stage: 'prod' }],
    [['--inspect'], { inspect: 9229 }],
    [['--inspect', '65535', '--watch'], { inspect: 65_535, watch: true }],
  ])('accept %j', (words, expected) => {
    expect(parseLocalOptions(words)).toMatchObject(expected);
  });

  it.each([
    ['--port', 'abc', 'a whole number from 0 to 65535'],
    ['--port', '65536', 'a whole number from 0 to 65535'],
    ['--stage', 'toString', stageChoices],
    ['--host', '', 'a text'],
    ['--data', '', 'a text'],
  ])('refuse %s "%s" in one line that names what is expected', (name, value, expected) => {
    expect(() => parseLocalOptions([name, value])).toThrow(
      new RegExp(`^option '${name}.*' argument '${value}' is invalid. Expected ${expected};`),
    );
  });
});

describe('DYNAMODB_ENDPOINT', () => {
  it('is refused without its password', () => {
    for (const value of ['ftp://user:secret@127.0.0.1:8000', 'user:ret\nsec@127.0.0.1:8000']) {
      process.env.DYNAMODB_ENDPOINT = value;

      expect(() => parseLocalOptions([])).toThrow(/^(?!.*ret).*"…@127\.0\.0\.1:8000" is not/);
    }
  });

  it('is used, unless it is empty', () => {
    for (const value of ['http://127.0.0.1:8000', '']) {
      process.env.DYNAMODB_ENDPOINT = value;

      expect(parseLocalOptions([])).toMatchObject({ dynamodbEndpoint: value || undefined });
    }
  });
});
