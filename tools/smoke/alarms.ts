import { stageOfKey, stageSettings } from '../../lib/settings/stages.ts';
import { callLimitSettings } from '../admin/stage/call-limits.ts';
import type { StageCheck } from './checks.ts';
import { CheckSkipped } from './runner.ts';

/** The check that an alarm would reach somebody. It reads the topic of the alarms, with AWS credentials. */
export function alarmCheck(TopicArn: string): StageCheck {
  const run: StageCheck['run'] = async ({ key }) => {
    // Loaded here, because no other check needs it.
    const { SNS } = await import('@aws-sdk/client-sns');
    const client = new SNS({ ...callLimitSettings(), region: TopicArn.split(':')[3]! });
    const { Attributes = {} } = await client.getTopicAttributes({ TopicArn });
    if (Number(Attributes.SubscriptionsConfirmed) > 0) return;
    const stage = stageOfKey(key);
    const hasNoEmail = stage && stageSettings(stage).alarmEmail === undefined;
    if (hasNoEmail && Number(Attributes.SubscriptionsPending) === 0) {
      throw new CheckSkipped('nobody has subscribed, and the stage has no alarmEmail');
    }
    throw new Error('nobody has confirmed a subscription');
  };
  const group = 'docs/runbook.md: Alarms that reach nobody';
  return { group, title: 'has somebody who gets its alarms', run };
}
