import { GetTopicAttributesCommand, SNSClient } from '@aws-sdk/client-sns';
import { afterAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { alarmChecks } from '../alarms.ts';
import { type Check, CheckSkipped, Runner, row } from '../runner.ts';
import { CheckFailed, Stage } from '../stage/stage.ts';

const throwing = (error: Error) => async () => {
  throw error;
};

/** Runs checks that a RangeError ends. @returns what is printed, without times */
async function printedBy<Subject>(checks: readonly Check<Subject>[], subject: Subject) {
  const lines: string[] = [];
  const runner = new Runner(
    (line) => lines.push(line.replace(/ \(\d+ ms\)$/, '').trim()),
    (error) => error instanceof RangeError,
  );
  await runner.run(checks, subject);
  return [...lines, runner.summary, runner.isGood];
}

describe('a run', () => {
  it('prints each group once, and what was expected and seen', async () => {
    const checks = [
      row('group', 'one', 'works', async () => 'it works'),
      { group: 'group', title: 'two', run: async () => 'anything' },
      { group: 'other', title: 'three', run: throwing(new CheckSkipped('no domain')) },
    ];

    expect(await printedBy(checks, undefined)).toEqual([
      ...['group', '✓ one', 'expected: works', 'seen: it works', '✓ two'],
      ...['other', '– three', 'no domain'],
      '2 passed, 0 failed, 0 unchecked, 1 skipped',
      true,
    ]);
  });

  it.each([
    ['differs', row('', 'check', 'works', async () => 'other'), '✗ check', '0 passed, 1 failed, 0'],
    [
      'fails',
      { group: '', title: 'check', run: throwing(new CheckFailed('a\nb')) },
      '✗ check',
      '0 passed, 1 failed, 0 unchecked',
    ],
    [
      'cannot be made',
      row('', 'check', 'refused', throwing(new Error('refused'))),
      '? check',
      '0 passed, 0 failed, 1 unchecked',
    ],
  ])('is not good if a check %s, and makes the next check', async (_, check, line, summary) => {
    const checks = [check, { group: '', title: 'next', run: throwing(new CheckSkipped('')) }];

    const printed = await printedBy<undefined>(checks, undefined);

    expect(printed).toEqual(expect.arrayContaining([line, '– next']));
    expect(printed.slice(-2)).toEqual([expect.stringContaining(summary), false]);
  });

  it('ends with an error that the caller names', async () => {
    const check = row('', '', '', throwing(new RangeError('interrupted')));

    await expect(printedBy([check], undefined)).rejects.toThrow('interrupted');
  });
});

describe('the check of the alarms', () => {
  const sns = mockClient(SNSClient);
  const topic = 'arn:aws:sns:eu-west-1:111122223333:Alarms';
  const checked = (key: string) =>
    printedBy(alarmChecks(topic), new Stage(throwing(new Error('sends no request')), key));

  beforeEach(() => {
    sns.reset();
  });
  afterAll(() => sns.restore());

  it.each([
    ['passes', '✓', 'so_test_x', '1', '1'],
    [
      'says that nobody has confirmed the subscription; see "Alarms that',
      '✗',
      'so_test_x',
      '0',
      '1',
    ],
    [
      'says that nobody has subscribed, and the stage has no alarmEmail',
      '–',
      'so_test_x',
      '0',
      '0',
    ],
    // A key of no stage whose settings are known.
    ['says that nobody has subscribed; see "Alarms that', '✗', 'other_x', '0', '0'],
  ])('%s: %s for the key %s, %s confirmed and %s pending subscriptions', async (...given) => {
    const [says, mark, key, SubscriptionsConfirmed, SubscriptionsPending] = given;
    const Attributes = { SubscriptionsConfirmed, SubscriptionsPending };
    sns.on(GetTopicAttributesCommand, { TopicArn: topic }).resolves({ Attributes });

    const [, line, reason] = await checked(key);

    expect(line).toBe(`${mark} has somebody who gets its alarms`);
    if (mark !== '✓') expect(reason).toContain(says.replace('says that ', ''));
  });

  it('is not made if AWS refuses to show the topic', async () => {
    sns.on(GetTopicAttributesCommand).rejects(new Error('AccessDenied'));

    expect(await checked('so_test_x')).toEqual(
      expect.arrayContaining(['? has somebody who gets its alarms', 'AccessDenied', false]),
    );
  });
});
