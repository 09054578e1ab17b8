import { ownerCharactersLength, tokenChecksum } from '../../lambdas/shared/api-key.ts';
import { stageConfiguration, stageNames } from '../../lib/settings/stages.ts';
import { createOwner, createToken } from '../../shared/api-key-token.ts';
import { type Stage, shownRateLimit } from '../stage/stage.ts';
import { checksOf, combineDifferences } from './check.ts';

const checksumLength = 6;
const refused = { status: 401, code: 'unauthorized' };

/** Every kind of invalid authorization has to get the same answer. */
export const authenticationChecks = checksOf('Authentication', {
  'refuses a missing Authorization header': (stage) => expectRefused(stage, null),
  'refuses the Basic scheme': (stage) => expectRefused(stage, 'Basic c3RvcmU6b3JkZXJz'),
  'refuses a scheme without a key': (stage) => expectRefused(stage, 'Bearer'),
  'refuses a key without a scheme': (stage) => expectRefused(stage, stage.key),
  'refuses two spaces before the key': (stage) => expectRefused(stage, `Bearer  ${stage.key}`),
  'refuses a second word after the key': (stage) => expectRefused(stage, `Bearer ${stage.key} x`),
  'refuses a key with one character changed': (stage) =>
    expectRefused(stage, `Bearer ${withChangedCharacter(stage.key, 20)}`),
  'refuses a key with a wrong checksum': (stage) =>
    expectRefused(stage, `Bearer ${withChangedCharacter(stage.key, stage.key.length - 1)}`),
  "refuses another stage's key": (stage) =>
    expectRefused(stage, `Bearer ${ofOtherStage(stage.key)}`),
  'refuses a well-formed key that was never issued': (stage) =>
    expectRefused(stage, `Bearer ${unknownKey(stage.key)}`),
  "refuses a key that was never issued to the key's own owner": (stage) =>
    expectRefused(stage, `Bearer ${unknownKeyOfOwner(stage.key)}`),
  'refuses a missing key on every operation': expectRefusedEverywhere,
  'gives all of them one identical body': expectOneBody,
  'accepts the scheme in any case': (stage) =>
    stage.expect('getPet', { authorization: `bEaReR ${stage.key}` }, { status: 410, code: 'gone' }),
});

async function expectRefused(stage: Stage, authorization: string | null): Promise<string[]> {
  const answer = await stage.call('listOrders', { authorization });
  const shown = (['limit', 'remaining', 'reset'] as const)
    .map((name) => shownRateLimit(answer, name))
    // The comparison with the contract reports a missing header.
    .filter((value) => value !== 'absent');
  const isZero = shown.every((value) => value === '0');
  return [
    ...stage.compare('listOrders', answer, refused),
    ...(isZero ? [] : [`rate-limit headers are ${shown.join(', ')}, expected 0, 0, 0`]),
  ];
}

async function expectRefusedEverywhere(stage: Stage): Promise<string[]> {
  const found: [string, string[]][] = [];
  for (const { operationId } of stage.contract.operations()) {
    const options = { authorization: null, orderId: '1' };
    found.push([operationId, await stage.expect(operationId, options, refused)]);
  }
  return combineDifferences(found);
}

async function expectOneBody(stage: Stage): Promise<string[]> {
  const refusedHeaders = [null, 'Basic x', `Bearer ${withChangedCharacter(stage.key, 20)}`];
  const unknown = [unknownKey(stage.key), unknownKeyOfOwner(stage.key)];
  const bodies = new Set<string>();
  for (const authorization of [...refusedHeaders, ...unknown.map((key) => `Bearer ${key}`)]) {
    bodies.add((await stage.call('listOrders', { authorization })).text);
  }
  return bodies.size === 1 ? [] : [`the bodies differ: ${[...bodies].join(' and ')}`];
}

function prefixOf(key: string): string {
  return key.slice(0, key.lastIndexOf('_') + 1);
}

/** A well-formed key of an owner that does not exist. */
function unknownKey(key: string): string {
  const prefix = prefixOf(key);
  return createToken(prefix, createOwner(prefix).seed);
}

/** A well-formed key that was never issued, with the same owner part as a key. */
function unknownKeyOfOwner(key: string): string {
  const ownerPart = key.slice(0, prefixOf(key).length + ownerCharactersLength);
  const own = unknownKey(key).slice(ownerPart.length, -checksumLength);
  return ownerPart + own + tokenChecksum(ownerPart + own);
}

function withChangedCharacter(key: string, index: number): string {
  const replacement = key[index] === '0' ? '1' : '0';
  return key.slice(0, index) + replacement + key.slice(index + 1);
}

function ofOtherStage(key: string): string {
  const own = prefixOf(key);
  const prefixes = stageNames.map((stage) => stageConfiguration(stage, {}).apiKeyPrefix);
  const other = prefixes.find((prefix) => prefix !== own);
  const body = other + key.slice(own.length, -checksumLength);
  return body + tokenChecksum(body);
}
