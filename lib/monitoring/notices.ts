import { Annotations } from 'aws-cdk-lib/core';
import type { IConstruct } from 'constructs';
import { type StageConfiguration, variableName } from '../settings/stages.ts';

/** Warns at synthesis of optional settings without which an alarm is hard to notice or handle. */
export function warnOfMissingSettings(scope: IConstruct, configuration: StageConfiguration): void {
  const { stage, runbookUrl, alarmEmail, deletionProtection } = configuration;
  const annotations = Annotations.of(scope);
  if (!runbookUrl) {
    annotations.addWarningV2(
      'store-orders:runbookUrl',
      `The alarms of ${stage} name the runbook by its path, without an address: set ${variableName(stage, 'runbookUrl')} to its https URL.`,
    );
  }
  if (!alarmEmail && deletionProtection) {
    annotations.addWarningV2(
      'store-orders:alarmEmail',
      `Nobody is told of an alarm of ${stage}: set ${variableName(stage, 'alarmEmail')} to an e-mail address.`,
    );
  }
}
