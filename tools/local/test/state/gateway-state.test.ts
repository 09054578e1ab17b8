import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { temporaryDirectoryOfEachTest } from '../../../../test/helpers/temporary-directory.ts';
import { type DataDirectory, openDataDirectory } from '../../state/data-directory.ts';
import { GatewayState } from '../../state/gateway-state.ts';

const parent = temporaryDirectoryOfEachTest();
let directory: DataDirectory;

beforeEach(async () => {
  directory = await openDataDirectory(parent.path);
});

afterEach(() => directory.release());

const key = {
  id: 'k1',
  name: 'one',
  value: 'value-1',
  enabled: true,
  createdDate: 1,
  lastUpdatedDate: 1,
};
const other = { ...key, id: 'k2', value: 'value-2' };
const keys = { apiKeys: [key, other], usagePlanKeys: [{ usagePlanId: 'p1', keyId: 'k1' }] };

describe('gateway state', () => {
  it('is empty at first, and needs no directory', () => {
    const state = new GatewayState(undefined);

    state.saveKeys(keys);

    expect(state.keys).toEqual({ apiKeys: [], usagePlanKeys: [] });
  });

  it('has keys on disk at once', () => {
    new GatewayState(directory).saveKeys(keys);

    expect(new GatewayState(directory).keys).toEqual(keys);
  });

  it.each(['{"half', '[]', 'null', '{"apiKeys":5}', '{"apiKeys":[],"usagePlanKeys":{}}'])(
    'that is damaged stops the run: %s',
    (text) => {
      writeFileSync(directory.pathOf('gateway.json'), text);

      expect(() => new GatewayState(directory)).toThrow(
        /gateway\.json is damaged .*: put a copy of it back/,
      );
    },
  );

  it.each<[string, object]>([
    ['a key that is nothing', { apiKeys: [key, null] }],
    ['a key without a name', { apiKeys: [{ ...key, name: undefined }] }],
    ['a key whose value is a number', { apiKeys: [{ ...key, value: 7 }] }],
    ['two keys with one id', { apiKeys: [key, { ...other, id: key.id }] }],
    ['two keys with one value', { apiKeys: [key, { ...other, value: key.value }] }],
    ['a member of no plan', { usagePlanKeys: [{ keyId: 'k1' }] }],
  ])('that has %s stops the run as well', (_, part) => {
    directory.write('gateway.json', { ...keys, ...part });

    expect(() => new GatewayState(directory)).toThrow(
      /gateway\.json is damaged \(it does not have the format .*\): put a copy of it back/,
    );
  });
});
