import { stageOfKey, stageSettings } from '../../lib/settings/stages.ts';
import { callLimitSettings } from '../admin/stage/call-limits.ts';
import type { StageCheck } from './checks.ts';
import { CheckSkipped } from './runner.ts';
import { CheckFailed } from './stage/stage.ts';

/** The check that an alarm would reach somebody. It reads the topic of the alarms, with AWS credentials. */
export function alarmChecks(topicArn: string): StageCheck[] {
  const group = 'docs/runbook.md: Alarms that reach nobody';
  const title = 'has somebody who gets its alarms';
  return [{ group, title, run: ({ key }) => expectListener(topicArn, key) }];
}

async function expectListener(TopicArn: string, key: string): Promise<void> {
  // Loaded here, because no other check needs it.
  const { SNS } = await import('@aws-sdk/client-sns');
  const client = new SNS({ ...callLimitSettings(), region: TopicArn.split(':')[3]! });
  const { Attributes = {} } = await client.getTopicAttributes({ TopicArn });
  if (Number(Attributes.SubscriptionsConfirmed) > 0) return;
  const stage = stageOfKey(key);
  if (Number(Attributes.SubscriptionsPending) > 0) {
    throw new CheckFailed(`nobody has confirmed the subscription; ${remedy}`);
  }
  if (stage && stageSettings(stage).alarmEmail === undefined) {
    throw new CheckSkipped('nobody has subscribed, and the stage has no alarmEmail');
  }
  throw new CheckFailed(`nobody has subscribed; ${remedy}`);
}

const remedy = 'see "Alarms that reach nobody" in docs/runbook.md';
