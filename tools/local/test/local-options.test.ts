import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, jest } from '@jest/globals';
import { stageChoices } from '../../../lib/settings/stages.ts';
import { temporaryDirectoryOfFile } from '../../../test/helpers/temporary-directory.ts';
import { parseLocalOptions } from '../local-options.ts';

const directory = temporaryDirectoryOfFile();
const file = directory.write('orders.jsonl', '');
// A data directory need not be there yet.
const data = join(directory.path, 'new');

describe('options of the local run', () => {
  it('have defaults', () => {
    const expected = { port: 3000, host: '127.0.0.1', stage: 'staging' };
    expect(parseLocalOptions([], {})).toEqual(expected);
  });

  it('accept their values', () => {
    const words = ['--port', '0', '--host=::1', '--stage=prod', '--data', data, `--orders=${file}`];

    const expected = { port: 0, host: '::1', stage: 'prod', data, orders: file };
    expect(parseLocalOptions(words, {})).toMatchObject(expected);
  });

  it.each([
    ['8080', [], 8080],
    ['8080', ['--port', '0'], 0],
    ['', [], 3000],
  ])('take the port from PORT=%s and %j: %d', (PORT, words, port) => {
    expect(parseLocalOptions(words, { PORT })).toMatchObject({ port });
  });

  it('name PORT if its value is wrong', () => {
    expect(() => parseLocalOptions([], { PORT: 'x' })).toThrow(/^PORT: "x" is not accepted/);
  });

  it.each([
    [['--inspect'], 9229],
    [['--inspect=0'], 0],
    [['--inspect', '65535', '--watch'], 65_535],
  ])('accept a port for the debugger, or use the default: %j', (words, inspect) => {
    expect(parseLocalOptions(words, {})).toMatchObject({ inspect });
  });

  it('are printed for --help', () => {
    const write = jest.spyOn(process.stdout, 'write').mockReturnValue(true);

    const options = parseLocalOptions(['--help'], {});

    expect(options).toBeUndefined();
    expect(write.mock.calls.join()).toMatch(/^Usage: npm start -- \[options\]\n.*--orders/s);
    write.mockRestore();
  });

  it.each([
    ['--port', 'abc', 'a whole number from 0 to 65535'],
    ['--port', '65536', 'a whole number from 0 to 65535'],
    ['--port', '', 'a whole number from 0 to 65535'],
    ['--inspect', 'abc', 'a whole number from 0 to 65535'],
    ['--stage', 'nowhere', stageChoices],
    ['--stage', 'toString', stageChoices],
    ['--host', '', 'an address of this machine'],
    ['--data', import.meta.filename, 'a directory'],
    ['--orders', '/does/not/exist', 'a file of JSON Lines that can be read'],
    ['--orders', tmpdir(), 'a file of JSON Lines that can be read'],
    ['--orders', 'long'.repeat(64), 'a file of JSON Lines that can be read'],
  ])('refuse %s "%s" in one line that names what is expected', (name, value, expected) => {
    expect(() => parseLocalOptions([name, value], {})).toThrow(
      new RegExp(`^${name}: "[^"]*["…] is not accepted; expected ${expected}[^\\n]*$`),
    );
  });
});

describe('DYNAMODB_ENDPOINT', () => {
  it.each(['ftp://user:secret@127.0.0.1:8000', 'user:ret\nsec@127.0.0.1:8000'])(
    'is refused without its password: %s',
    (value) => {
      const parse = () => parseLocalOptions([], { DYNAMODB_ENDPOINT: value });

      expect(parse).toThrow('…@127.0.0.1:8000" is not accepted');
      expect(parse).not.toThrow('ret');
    },
  );

  it.each([
    ['', undefined],
    ['http://127.0.0.1:8000', 'http://127.0.0.1:8000'],
  ])('%j means %j', (value, expected) => {
    const options = parseLocalOptions([], { DYNAMODB_ENDPOINT: value });

    expect(options).toMatchObject({ dynamodbEndpoint: expected });
  });
});
