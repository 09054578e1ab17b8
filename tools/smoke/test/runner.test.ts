import { GetTopicAttributesCommand, SNSClient } from '@aws-sdk/client-sns';
import { afterAll, describe, expect, it, jest } from '@jest/globals';
import { mockClient } from 'aws-sdk-client-mock';
import { OperatorError } from '../../shared/errors.ts';
import { selectChecks } from '../checks.ts';
import { type Check, CheckSkipped, runChecks } from '../runner.ts';
import { Stage } from '../stage/stage.ts';

const throwing = (error: Error) => async () => {
  throw error;
};
const check = (run: Check<unknown>['run'], expected?: string): Check<unknown> => ({
  group: 'group',
  title: 'check',
  run,
  ...(expected !== undefined && { expected }),
});

const log = jest.spyOn(console, 'log').mockImplementation(() => {});

/** Makes checks. @returns whether no check has failed, and what is printed */
async function run(...checks: Check<unknown>[]) {
  log.mockClear();
  return [await runChecks(checks, {}), ...log.mock.calls.flat().map((line) => line.trim())];
}

describe('a run', () => {
  it.each([
    [true, 'contains what is expected', async () => 'it works', ['✓ check', 'seen: it works']],
    [false, 'differs', async () => 'other', ['✗ check', 'expected: works', 'seen: other']],
    [false, 'fails', throwing(new Error('a\nb')), ['✗ check', 'expected: works', 'seen: a', 'b']],
    [true, 'is skipped', throwing(new CheckSkipped('no domain')), ['– check', 'seen: no domain']],
  ])('is good: %s, if a check %s, and runs the next check', async (isGood, _, first, lines) => {
    const printed = await run(
      check(first, 'works'),
      check(async () => 0),
    );

    expect(printed).toEqual(expect.arrayContaining([isGood, ...lines, '✓ check']));
  });

  it('makes no check after it was interrupted', async () => {
    const interrupted = AbortSignal.abort(new OperatorError('interrupted'));
    const first = check(throwing(new Error('runs')));

    await expect(runChecks([first], {}, interrupted)).rejects.toThrow('interrupted');
  });
});

describe('the check of the alarms', () => {
  const sns = mockClient(SNSClient);
  afterAll(() => sns.restore());

  it.each([
    ['passes', true, '✓', 'so_test_x', '1', '1'],
    ['fails without a confirmation', false, '✗', 'so_test_x', '0', '1'],
    ['is skipped if the stage has no alarmEmail', true, '–', 'so_test_x', '0', '0'],
    ['fails with the key of an unknown stage', false, '✗', 'other_x', '0', '0'],
  ])('%s', async (_, isGood, mark, key, SubscriptionsConfirmed, SubscriptionsPending) => {
    const Attributes = { SubscriptionsConfirmed, SubscriptionsPending };
    const TopicArn = 'arn:aws:sns:eu-west-1:111122223333:Alarms';
    sns.on(GetTopicAttributesCommand, { TopicArn }).resolves({ Attributes });
    const stage = new Stage(throwing(new Error('sends no request')), key);

    const { run: readTopic } = selectChecks({ alarmTopic: TopicArn }).at(-1)!;
    const printed = await run(check(() => readTopic(stage)));

    expect(printed).toEqual(expect.arrayContaining([isGood, `${mark} check`]));
  });
});
