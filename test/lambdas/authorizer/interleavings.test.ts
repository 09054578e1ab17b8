import {
  type AttributeValue,
  ConditionalCheckFailedException,
  PutItemCommand,
  UpdateItemCommand,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import type { Item } from '../../../lambdas/shared/dynamodb.ts';
import { embeddedDynamoDbOfFile } from '../../../tools/shared/test/embedded-dynamodb.ts';
import { attributes } from '../../helpers/dynamodb/attribute-values.ts';
import { execute } from '../../helpers/dynamodb/execution.ts';
import { type Overrides, ownerItem } from '../../helpers/dynamodb/key-items.ts';
import {
  banSeconds,
  type Change,
  type Executed,
  Exploration,
  keys,
  type Scenario,
  type Step,
  tolerated,
  windowNames,
} from './exploration.ts';

const minuteSeconds = 60;
const toleranceSeconds = 300;
const midnight = Date.UTC(2026, 10, 21) / 1_000;
/** The last minute of a day, in its middle. */
const startSeconds = midnight - 30;
const minute = midnight - 60;
const today = midnight - 86_400;
/** What only a wrong clock can have written. */
const far = midnight + 3_600;

const limits = { perMinute: 2, perDay: 4 };
const used = { minuteWindow: minute, minuteCount: 1, dayWindow: today, dayCount: 2 };
const full = { ...used, minuteCount: 2 };
const noUse = {
  minuteWindow: minute - 600,
  minuteCount: 2,
  dayWindow: today - 86_400,
  dayCount: 4,
};

/** The owner's item with the first of two keys, or with both. */
function item(overrides: Overrides, keyCount = 1): Item {
  const entries = keys.slice(0, keyCount).map(({ tokenHash }) => [tokenHash, {}]);
  return ownerItem({ ...limits, ...overrides }, Object.fromEntries(entries));
}

function withLimits(perMinute: number, perDay: number): Change {
  return (before) => ({ ...before, ...attributes({ perMinute, perDay }) });
}

function withStatus(status: string): Change {
  return (before) => ({ ...before, status: { S: status } });
}

type Entries = Record<string, AttributeValue>;

function withEntries(change: (entries: Entries, nowSeconds: number) => Entries): Change {
  return (before, nowSeconds) => ({ ...before, keys: { M: change(before.keys!.M!, nowSeconds) } });
}

const [first, second] = [keys[0]!.tokenHash, keys[1]!.tokenHash];
const revoke = withEntries(({ [first]: _revoked, ...others }) => others);
const unban = withEntries(({ [first]: entry, ...others }) => {
  return entry ? { ...others, [first]: { M: { id: entry.M!.id! } } } : others;
});
/** The new key inherits the ban of the old one, which stays valid for a while. */
const rotate = withEntries((entries, nowSeconds) => {
  const { [first]: entry } = entries;
  if (!entry) return entries;
  const expiresAt = { N: String(nowSeconds + 30) };
  return { ...entries, [first]: { M: { ...entry.M, expiresAt } }, [second]: entry };
});

/** Environments with clocks that agree, each of which gets the given requests. */
function agreeing(...requests: number[][]): Scenario['environments'] {
  return requests.map((each) => ({ aheadSeconds: 0, requests: each }));
}

/** Environments with a request each, whose clocks differ. */
function ahead(...seconds: number[]): Scenario['environments'] {
  return seconds.map((aheadSeconds) => ({ aheadSeconds, requests: [0] }));
}

const scenarios: Record<string, Scenario> = {
  'the last requests of a minute, over two keys': {
    item: item(used, 2),
    startSeconds,
    environments: agreeing([0], [1], [0]),
    losses: 1,
    ticks: 1,
  },
  'the last request of a day': {
    item: item({ ...used, dayCount: 3 }),
    startSeconds,
    environments: agreeing([0], [0], [0]),
    losses: 1,
    ticks: 1,
  },
  'the first requests of a minute and a day': {
    item: item(noUse),
    startSeconds,
    environments: agreeing([0, 0], [0]),
    losses: 1,
    ticks: 2,
  },
  'clocks that are five minutes apart': {
    item: item(noUse),
    startSeconds,
    environments: ahead(-150, 0, 150),
    losses: 1,
    ticks: 1,
  },
  'a full minute that a faster clock has begun': {
    item: item({ ...full, minuteWindow: minute + 240 }),
    startSeconds,
    environments: ahead(-30, 0, 240),
    ticks: 1,
  },
  'rejections and a ban': {
    item: item({ ...full, rejectionWindow: minute, rejectionCount: tolerated - 1 }),
    startSeconds,
    environments: agreeing([0, 0], [0]),
    changes: { unban },
    losses: 1,
    ticks: 1,
  },
  'a ban that is due for three requests': {
    item: item({ ...full, rejectionWindow: minute, rejectionCount: tolerated }),
    startSeconds,
    environments: ahead(0, 30, -30),
    changes: { unban },
    losses: 1,
  },
  'a change of the plan': {
    item: item(full),
    startSeconds,
    environments: agreeing([0, 0], [0]),
    changes: { raise: withLimits(3, 5), lower: withLimits(1, 1) },
    ticks: 1,
  },
  'a revocation and a suspension': {
    item: item(used),
    startSeconds,
    environments: agreeing([0, 0], [0]),
    changes: { revoke, suspend: withStatus('suspended'), resume: withStatus('active') },
    losses: 1,
  },
  'a banned key that is replaced': {
    item: item({ ...used, bannedUntil: midnight }),
    startSeconds,
    environments: agreeing([0, 0], [1]),
    changes: { rotate, unban },
    ticks: 1,
  },
  'a key that expires': {
    item: item({ ...used, expiresAt: midnight }),
    startSeconds,
    environments: agreeing([0, 0], [0]),
    losses: 1,
    ticks: 1,
  },
  'windows and a ban that only a wrong clock can have begun': {
    item: item({ ...full, minuteWindow: far, dayWindow: far, bannedUntil: far, dayCount: 4 }),
    startSeconds,
    environments: agreeing([0, 0], [0]),
    losses: 1,
    ticks: 1,
  },
};

const knownNumbers = new WeakMap<Item, Record<string, number>>();

const numbersIn = (attributes: Item) =>
  Object.fromEntries(Object.entries(attributes).map(([name, { N = 0 }]) => [name, Number(N)]));

/** A number among attributes, which are read once; 0 for none. */
function numberOf(attributes: Item, name: string): number {
  const numbers = knownNumbers.get(attributes) ?? numbersIn(attributes);
  knownNumbers.set(attributes, numbers);
  return numbers[name] ?? 0;
}

const entryOf = (before: Item, key: number) => before.keys!.M![keys[key]!.tokenHash]?.M;

/** Whether the item has a full window at a time. */
function isFullAt(before: Item, nowSeconds: number): boolean {
  return [
    { name: 'minute', limit: 'perMinute', start: nowSeconds - (nowSeconds % minuteSeconds) },
    { name: 'day', limit: 'perDay', start: nowSeconds - (nowSeconds % 86_400) },
  ].some(({ name, limit, start }) => {
    const window = numberOf(before, `${name}Window`);
    const isCounting = window >= start && window <= nowSeconds + toleranceSeconds;
    return isCounting && numberOf(before, `${name}Count`) >= numberOf(before, limit);
  });
}

function isBannedAt(before: Item, key: number, nowSeconds: number): boolean {
  const until = numberOf(entryOf(before, key) ?? {}, 'bannedUntil');
  return until > nowSeconds && until <= nowSeconds + toleranceSeconds + banSeconds;
}

function isUsableAt(before: Item, key: number, nowSeconds: number): boolean {
  const entry = entryOf(before, key);
  if (!entry || before.status?.S !== 'active') return false;
  return entry.expiresAt === undefined || numberOf(entry, 'expiresAt') > nowSeconds;
}

function changesIn({ before, after }: Step, names: string[]): string[] {
  return names.filter((name) => numberOf(before, name) !== numberOf(after, name));
}

/** A rule holds in a step, or does not concern it. */
type Rule = (step: Step) => boolean;

/** A rule about the steps in which an execution environment's write took effect. */
function ofWrites(rule: (step: Step, write: NonNullable<Step['executed']>) => boolean): Rule {
  return (step) => !step.executed?.isDone || rule(step, step.executed);
}

const counts = ['minuteWindow', 'minuteCount', 'dayWindow', 'dayCount'];
const isAdmission = (step: Step) => changesIn(step, counts).length > 0;
const codeOf = ({ end }: Step) =>
  end && 'decision' in end ? (end.decision.rejection?.code ?? 'admitted') : undefined;
const keyOf = ({ executed }: Step) => executed!.key;

function isBanBegun(step: Step): boolean {
  const until = (each: Item) => numberOf(entryOf(each, keyOf(step)) ?? {}, 'bannedUntil');
  return until(step.after) !== until(step.before) && until(step.after) !== 0;
}

const rules: Record<string, Rule> = {
  'admits no more than the limit in a window': ofWrites((step) =>
    windowNames.every((name) => {
      const limit = numberOf(step.before, name === 'minute' ? 'perMinute' : 'perDay');
      return !isAdmission(step) || numberOf(step.after, `${name}Count`) <= limit;
    }),
  ),
  'forgets no request that it has counted': ofWrites((step) =>
    windowNames.every((name) => {
      const counted = step.counted[`${name} ${step.after[`${name}Window`]?.N}`] ?? 0;
      return numberOf(step.after, `${name}Count`) >= counted;
    }),
  ),
  'moves no window back, unless only a wrong clock can have begun it': ofWrites((step, write) =>
    windowNames.every((name) => {
      const window = numberOf(step.before, `${name}Window`);
      const isVoid = window > write.sentAtSeconds + toleranceSeconds;
      return isVoid || numberOf(step.after, `${name}Window`) >= window;
    }),
  ),
  'admits a request exactly if it has counted it': (step) => {
    if (step.event === 'answer' && step.executed!.isDone && isAdmission(step)) {
      return codeOf(step) === 'admitted';
    }
    return codeOf(step) !== 'admitted';
  },
  'counts a request once in both windows': ofWrites(
    (step) =>
      !isAdmission(step) ||
      windowNames.every((name) => {
        const window = `${name}Window`;
        const isNew = changesIn(step, [window]).length > 0;
        const before = isNew ? 0 : numberOf(step.before, `${name}Count`);
        return numberOf(step.after, `${name}Count`) === before + 1;
      }),
  ),
  'rejects for a limit only where the answer shows a full window': (step) => {
    const code = codeOf(step);
    if (code !== 'rate_limit_exceeded' && code !== 'quota_exceeded') return true;
    const { executed, nowSeconds } = step;
    if (!executed) return false;
    return [executed.sentAtSeconds, nowSeconds].some((time) => isFullAt(step.after, time));
  },
  'rejects for a ban only where the answer shows one': (step) => {
    if (codeOf(step) !== 'api_key_banned') return true;
    const { executed, nowSeconds } = step;
    if (!executed) return false;
    const times = [executed.sentAtSeconds, nowSeconds];
    return times.some((time) => isBannedAt(step.after, keyOf(step), time));
  },
  'writes for no key that is revoked, expired or of a suspended owner': ofWrites((step, write) =>
    isUsableAt(step.before, write.key, write.sentAtSeconds),
  ),
  'refuses as unauthorized only where the answer shows a key that is not usable': (step) => {
    if (!step.end?.isUnauthorized) return true;
    const { executed, nowSeconds } = step;
    if (!executed) return false;
    const times = [executed.sentAtSeconds, nowSeconds];
    return times.some((time) => !isUsableAt(step.after, keyOf(step), time));
  },
  'writes for no key that is banned': ofWrites(
    (step, write) => !isBannedAt(step.before, write.key, write.sentAtSeconds),
  ),
  'begins a ban after more rejections than are tolerated': ofWrites(
    (step) =>
      !isBanBegun(step) ||
      numberOf(entryOf(step.after, keyOf(step))!, 'rejectionCount') > tolerated,
  ),
  'begins a ban with the rejection beyond the tolerated ones': ofWrites((step, write) => {
    const count = numberOf(entryOf(step.after, write.key)!, 'rejectionCount');
    return isAdmission(step) || count <= tolerated || isBanBegun(step);
  }),
  'reports a ban with the request that has begun it, and with no other': (step) => {
    const isReported = Boolean(step.end && 'decision' in step.end && step.end.decision.isBanStart);
    const isBegun = step.event === 'answer' && Boolean(step.executed?.isDone) && isBanBegun(step);
    return isReported === isBegun;
  },
  'counts a rejection once, and only of a request that it rejects': ofWrites((step, write) => {
    if (isAdmission(step)) return true;
    const count = (each: Item) => numberOf(entryOf(each, write.key)!, 'rejectionCount');
    const isRejected = step.event !== 'answer' || step.end !== undefined;
    return isRejected && [1, count(step.before) + 1].includes(count(step.after));
  }),
  'states in an admission what the item has left': (step) => {
    if (!step.end || !('decision' in step.end) || step.end.decision.rejection) return true;
    const left = (name: 'minute' | 'day') =>
      numberOf(step.after, name === 'minute' ? 'perMinute' : 'perDay') -
      numberOf(step.after, `${name}Count`);
    return step.end.decision.remaining === Math.min(left('minute'), left('day'));
  },
  'answers every request, with four writes at the most': (step) => {
    const isFailed = step.end && 'error' in step.end && !step.end.isUnauthorized;
    return !isFailed && (step.executed?.writes ?? 0) <= 4;
  },
};

function brokenRule(step: Step): string | undefined {
  return Object.keys(rules).find((name) => !rules[name]!(step));
}

/** What was executed in the explorations, with different expressions. */
const executed = new Map<string, Executed[]>();

describe('in every order of requests, changes, lost answers and the clock, the limiter', () => {
  it.each(Object.keys(scenarios))('R24, R26: keeps every rule: %s', async (name) => {
    const exploration = new Exploration(scenarios[name]!);

    const { states, broken } = await exploration.run(brokenRule);

    expect(broken).toEqual([]);
    expect(states).toBeGreaterThan(100);
    for (const each of exploration.executed) {
      const { UpdateExpression, ConditionExpression } = each.command
        .input as Partial<UpdateItemCommandInput>;
      const expressions = `${UpdateExpression} ${ConditionExpression} ${each.execution.answer instanceof Error}`;
      executed.set(expressions, [...(executed.get(expressions) ?? []), each]);
    }
  });
});

/** Uses of the expressions what the limiter does not, but the operator's commands do. */
const asOperators = new UpdateItemCommand({
  TableName: 'ApiKeys',
  Key: { ownerHash: item(used).ownerHash! },
  UpdateExpression:
    'SET perDay = if_not_exists(perDay, :one), added = if_not_exists(added, :one) REMOVE dayCount, #keys.#key',
  ConditionExpression: 'size(#keys) = :one AND NOT size(#keys) < :one AND NOT size(added) < :one',
  ExpressionAttributeNames: { '#keys': 'keys', '#key': first },
  ExpressionAttributeValues: attributes({ ':one': 1 }),
  ReturnValues: 'ALL_NEW',
});

describe('the table in memory', () => {
  const database = embeddedDynamoDbOfFile();
  const samples = 12;

  it('executes what the limiter and the operators send as the embedded DynamoDB does', async () => {
    const TableName = await database.createApiKeysTable();
    const different = [...executed.values()].flatMap((each) =>
      each.filter((_, index) => index % Math.ceil(each.length / samples) === 0),
    );
    const execution = execute(item(used), asOperators);
    different.push({ item: item(used), command: asOperators, execution });
    for (const { item, command, execution } of different) {
      await database.dynamodb.send(new PutItemCommand({ TableName, Item: item }));
      const sent = Object.assign(command, { input: { ...command.input, TableName } });

      const answer = await database.dynamodb
        .send(sent as UpdateItemCommand)
        .catch((error: ConditionalCheckFailedException) => error);

      expect(itemIn(answer)).toEqual(itemIn(execution.answer));
    }
    expect(different.length).toBeGreaterThan(100);
  });
});

/** The item in an answer, which tells by its name how the command went. */
function itemIn(answer: { Item?: Item; Attributes?: Item } | ConditionalCheckFailedException) {
  if (answer instanceof ConditionalCheckFailedException) return { failed: answer.Item };
  return { read: answer.Item, written: answer.Attributes };
}
