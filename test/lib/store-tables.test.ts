import { describe, expect, it } from '@jest/globals';
import { stageSettings } from '../../lib/settings/stages.ts';
import { differences } from '../helpers/differences.ts';
import { tableShapes } from '../helpers/dynamodb/embedded-dynamodb.ts';
import { stageNames } from '../helpers/synthesized.ts';
import { resources } from './readable.ts';

describe.each(stageNames)('tables of %s', (stage) => {
  const { deletionProtection, pointInTimeRecoveryDays, removalPolicy } = stageSettings(stage);
  const isRecoverable = pointInTimeRecoveryDays > 0;
  const defaults = {
    BillingMode: 'PAY_PER_REQUEST',
    SSESpecification: { SSEEnabled: true },
    DeletionProtectionEnabled: deletionProtection,
    PointInTimeRecoverySpecification: {
      PointInTimeRecoveryEnabled: isRecoverable,
      ...(isRecoverable && { RecoveryPeriodInDays: pointInTimeRecoveryDays }),
    },
  };

  it('are those that the tests of functions and commands create', () => {
    const deployed = Object.keys(resources(stage, 'AWS::DynamoDB::Table'));
    const created = Object.keys(tableShapes).map((name) => `Tables${name}`);

    expect(
      differences(
        ['lib/store-tables.ts', deployed],
        ['test/helpers/dynamodb/embedded-dynamodb.ts, tableShapes', created],
      ),
    ).toEqual([]);
  });

  it.each(Object.entries(tableShapes))('have keys, and no index: %s', (name, shape) => {
    const { Properties } = resources(stage, 'AWS::DynamoDB::Table')[`Tables${name}`]!;

    expect(Properties).toEqual({ ...defaults, ...shape });
  });

  it(removalPolicy === 'retain' ? 'outlive their stack' : 'go with their stack', () => {
    const policy = removalPolicy === 'retain' ? 'Retain' : 'Delete';
    const tables = resources(stage, 'AWS::DynamoDB::Table');

    expect(tables).not.toEqual({});
    for (const { DeletionPolicy, UpdateReplacePolicy } of Object.values(tables)) {
      expect([DeletionPolicy, UpdateReplacePolicy]).toEqual([policy, policy]);
    }
  });
});
