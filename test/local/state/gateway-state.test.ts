import { writeFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type DataDirectory, openDataDirectory } from '../../../local/state/data-directory.ts';
import { GatewayState } from '../../../local/state/gateway-state.ts';
import { temporaryDirectoryOfEachTest } from '../../helpers/temporary-directory.ts';

const parent = temporaryDirectoryOfEachTest();
let directory: DataDirectory;
let lines: string[];
/** What is written from now on, instead of the file. */
let written: unknown[];
let isFull: boolean;

beforeEach(async () => {
  directory = await openDataDirectory(parent.path);
  lines = [];
  written = [];
  isFull = false;
  jest.useFakeTimers({ doNotFake: ['nextTick'] });
});

afterEach(async () => {
  jest.useRealTimers();
  await directory.release();
});

const key = {
  id: 'k1',
  name: 'one',
  value: 'value-1',
  enabled: true,
  createdDate: 1,
  lastUpdatedDate: 1,
};
const keys = { apiKeys: [key], usagePlanKeys: [{ usagePlanId: 'p1', keyId: 'k1' }] };

const stateIn = (stored?: DataDirectory) => new GatewayState(stored, (line) => lines.push(line));

/** A state whose writes can fail, and are counted. */
function watchedState(): GatewayState {
  const write = (_: string, value: unknown) => {
    if (isFull) throw new Error('the file cannot be written (ENOSPC)');
    written.push(structuredClone(value));
  };
  return stateIn({ ...directory, write });
}

describe('gateway state', () => {
  it('is empty at first, and needs no directory', () => {
    const state = stateIn();

    state.saveKeys(keys);
    state.saveUsageSoon();

    expect([state.keys, state.usage]).toEqual([{ apiKeys: [], usagePlanKeys: [] }, {}]);
    expect(jest.getTimerCount()).toBe(0);
  });

  it('has keys kept at once, and counts when it is flushed', () => {
    const state = stateIn(directory);

    state.saveKeys(keys);
    expect(stateIn(directory).keys).toEqual(keys);

    state.usage['p1 k1'] = { period: '2026-11-20', count: 3 };
    state.saveUsageSoon();
    state.flush();
    const later = stateIn(directory);
    expect([later.keys, later.usage]).toEqual([keys, state.usage]);
  });

  it('has counts written a second after the first of them, and once', () => {
    const state = watchedState();
    state.saveUsageSoon();
    jest.advanceTimersByTime(900);
    state.usage['p1 k1'] = { period: '2026-11-20', count: 3 };
    state.saveUsageSoon();
    const early = [...written];

    jest.advanceTimersByTime(10_000);

    expect([early, written]).toEqual([[], [{ ...state.keys, usage: state.usage }]]);
  });

  it('has nothing written that is not scheduled, nor twice what was written before its time', () => {
    const state = watchedState();
    state.flush();
    expect(written).toEqual([]);
    state.saveUsageSoon();

    state.flush();

    expect(written).toHaveLength(1);
    expect([lines, jest.getTimerCount()]).toEqual([[], 0]);
  });

  it('keeps the keys that it had when others cannot be written', () => {
    const state = watchedState();
    isFull = true;

    expect(() => state.saveKeys(keys)).toThrow('ENOSPC');

    isFull = false;
    state.saveUsageSoon();
    state.flush();
    expect(written).toEqual([{ apiKeys: [], usagePlanKeys: [], usage: {} }]);
  });

  it.each([
    '{"half',
    '[]',
    'null',
    '{"apiKeys":5}',
    '{"apiKeys":[],"usagePlanKeys":[]}',
    '{"apiKeys":[],"usagePlanKeys":{},"usage":{}}',
    '{"apiKeys":{},"usagePlanKeys":[],"usage":{}}',
  ])('that is damaged stops the run: %s', (text) => {
    writeFileSync(directory.pathOf('gateway.json'), text);

    expect(() => stateIn(directory)).toThrow(/gateway\.json is damaged .*: put a copy of it back/);
  });

  const other = { ...key, id: 'k2', value: 'value-2' };
  const count = { period: '2026-11-20', count: 3 };
  it('that has several keys, members and counts is taken', () => {
    const usage = { 'p1 k1': count, 'p1 k2': { ...count, count: 0 } };
    const [member] = keys.usagePlanKeys;
    const usagePlanKeys = [member!, { ...member!, keyId: 'k2' }];
    directory.write('gateway.json', { apiKeys: [key, other], usagePlanKeys, usage });

    const state = stateIn(directory);

    expect([state.keys, state.usage]).toEqual([{ apiKeys: [key, other], usagePlanKeys }, usage]);
  });

  it.each<[string, object]>([
    ['a key that is nothing', { apiKeys: [key, null] }],
    ['a key without a name', { apiKeys: [{ ...key, name: undefined }] }],
    ['a key whose value is a number', { apiKeys: [{ ...key, value: 7 }] }],
    ['a key that may be enabled', { apiKeys: [{ ...key, enabled: 'no' }] }],
    ['a key from no time', { apiKeys: [{ ...key, createdDate: '1' }] }],
    ['a key that was changed at no time', { apiKeys: [{ ...key, lastUpdatedDate: null }] }],
    ['two keys with one id', { apiKeys: [key, { ...other, id: key.id }] }],
    ['two keys with one value', { apiKeys: [key, { ...other, value: key.value }] }],
    ['a member that is nothing', { usagePlanKeys: [...keys.usagePlanKeys, null] }],
    ['a member of no plan', { usagePlanKeys: [{ keyId: 'k1' }] }],
    ['a member that is a list', { usagePlanKeys: [{ usagePlanId: 'p1', keyId: ['k1'] }] }],
    ['no counts', { usage: null }],
    ['a number of counts', { usage: 5 }],
    ['a list of counts', { usage: [] }],
    ['a count that is nothing', { usage: { 'p1 k1': null } }],
    ['a count that is a text', { usage: { 'p1 k1': { ...count, count: '3' } } }],
    ['a count below zero', { usage: { 'p1 k1': { ...count, count: -1 } } }],
    ['a count beyond all bounds', { usage: { 'p1 k1': { ...count, count: 2 ** 60 } } }],
    ['a count of no period', { usage: { 'p1 k1': { count: 3 } } }],
  ])('that has %s stops the run as well', (_, part) => {
    directory.write('gateway.json', { ...keys, usage: {}, ...part });

    expect(() => stateIn(directory)).toThrow(
      /gateway\.json is damaged \(it does not have the format .*\): put a copy of it back/,
    );
  });

  it('survives a disk that is full: says so once, tries again, and says that it is over', () => {
    const state = watchedState();
    isFull = true;

    state.saveUsageSoon();
    jest.advanceTimersByTime(20_000);
    isFull = false;
    jest.advanceTimersByTime(20_000);

    expect(lines).toEqual([
      'gateway: the file cannot be written (ENOSPC)',
      'gateway: gateway.json is written again',
    ]);
    expect(written).toHaveLength(1);
    isFull = true;
    state.saveUsageSoon();
    jest.advanceTimersByTime(1_000);
    expect(lines).toHaveLength(3);
  });

  it('does not try again once it is closed', () => {
    const state = watchedState();
    isFull = true;
    state.saveUsageSoon();

    state.close();

    expect(lines).toEqual(['gateway: the file cannot be written (ENOSPC)']);
    expect(jest.getTimerCount()).toBe(0);
  });
});
