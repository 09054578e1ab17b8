import { GetTopicAttributesCommand, SNSClient } from '@aws-sdk/client-sns';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { alarmChecks } from '../alarms.ts';
import { type Check, CheckSkipped, isGood, type Outcome, runChecks } from '../runner.ts';
import { CheckFailed, Stage } from '../stage/stage.ts';

const throwing = (error: Error) => async () => {
  throw error;
};

/** Runs one check. @returns its outcome and what it has seen */
async function outcomeOf<Subject>(check: Check<Subject>, subject: Subject) {
  const seen: string[] = [];
  const outcomes = await runChecks([check], subject, (result) => seen.push(result.seen), isRange);
  return [...outcomes, ...seen];
}

const isRange = (error: unknown) => error instanceof RangeError;

describe('a check', () => {
  it.each<[Outcome, string, Partial<Check<undefined>>]>([
    ['passed', '', { run: async () => 'anything' }],
    ['passed', 'it works', { run: async () => 'it works', expected: 'works' }],
    ['failed', 'it is other', { run: async () => 'it is other', expected: 'works' }],
    ['failed', 'line 1\nline 2', { run: throwing(new CheckFailed('line 1\nline 2')) }],
    ['unchecked', 'refused', { run: throwing(new Error('refused')), expected: 'refused' }],
    ['skipped', 'no domain', { run: throwing(new CheckSkipped('no domain')) }],
  ])('is %s, with %j, for %j', async (outcome, seen, check) => {
    const given = { group: '', title: '', run: async () => {}, ...check };

    expect(await outcomeOf(given, undefined)).toEqual([outcome, seen]);
  });

  it('does not end a run, unless the caller names its error', async () => {
    const run = async (error: Error) => {
      const checks = [error, new CheckFailed('later')].map((each) => ({
        group: '',
        title: '',
        run: throwing(each),
      }));
      return runChecks(checks, undefined, () => {}, isRange);
    };

    expect(await run(new TypeError('no property'))).toEqual(['unchecked', 'failed']);
    await expect(run(new RangeError('interrupted'))).rejects.toThrow('interrupted');
  });

  it.each<[boolean, Outcome[]]>([
    [true, ['passed', 'skipped']],
    [false, ['passed', 'failed']],
    [false, ['passed', 'unchecked']],
  ])('lets a run be good: %s, with %j', (expected, outcomes) => {
    expect(isGood(outcomes)).toBe(expected);
  });
});

describe('the check of the alarms', () => {
  const sns = mockClient(SNSClient);
  const topic = 'arn:aws:sns:eu-west-1:111122223333:Alarms';

  beforeEach(() => {
    sns.reset();
  });
  afterAll(() => sns.restore());

  it.each<[Outcome, string, string, string, string]>([
    ['passed', '', 'so_test_x', '1', '1'],
    ['failed', 'nobody has confirmed the subscription; see "Alarms that', 'so_test_x', '0', '1'],
    ['skipped', 'nobody has subscribed, and the stage has no alarmEmail', 'so_test_x', '0', '0'],
    // A key of no stage whose settings are known.
    ['failed', 'nobody has subscribed; see "Alarms that', 'other_x', '0', '0'],
  ])(
    'is %s, with %j, for the key %s and %s confirmed and %s pending subscriptions',
    async (...row) => {
      const [outcome, seen, key, SubscriptionsConfirmed, SubscriptionsPending] = row;
      const Attributes = { SubscriptionsConfirmed, SubscriptionsPending };
      sns.on(GetTopicAttributesCommand, { TopicArn: topic }).resolves({ Attributes });
      const stage = new Stage(throwing(new Error('sends no request')), key);

      expect(await outcomeOf(alarmChecks(topic)[0]!, stage)).toEqual([
        outcome,
        expect.stringContaining(seen),
      ]);
    },
  );

  it('is unchecked if AWS refuses to show the topic', async () => {
    sns.on(GetTopicAttributesCommand).rejects(new Error('AccessDenied'));
    const stage = new Stage(throwing(new Error('sends no request')), 'so_test_x');

    expect(await outcomeOf(alarmChecks(topic)[0]!, stage)).toEqual(['unchecked', 'AccessDenied']);
  });
});
