import { describe, expect, it } from '@jest/globals';
import { differences } from '../helpers/differences.ts';
import { tableShapes } from '../helpers/embedded-dynamodb.ts';
import { stageNames } from '../helpers/synthesized.ts';
import { resources } from './readable.ts';

const protection = {
  staging: {
    DeletionProtectionEnabled: false,
    PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
  },
  prod: {
    DeletionProtectionEnabled: true,
    PointInTimeRecoverySpecification: {
      PointInTimeRecoveryEnabled: true,
      RecoveryPeriodInDays: 35,
    },
  },
};

describe.each(stageNames)('tables of %s', (stage) => {
  const defaults = {
    BillingMode: 'PAY_PER_REQUEST',
    SSESpecification: { SSEEnabled: true },
    ...protection[stage],
  };

  it('are those that the tests of functions and commands create', () => {
    const deployed = Object.keys(resources(stage, 'AWS::DynamoDB::Table'));
    const created = Object.keys(tableShapes).map((name) => `Tables${name}`);

    expect(
      differences(
        ['lib/store-tables.ts', deployed],
        ['test/helpers/embedded-dynamodb.ts, tableShapes', created],
      ),
    ).toEqual([]);
  });

  it.each(Object.entries(tableShapes))('have keys, and no index: %s', (name, shape) => {
    const { Properties } = resources(stage, 'AWS::DynamoDB::Table')[`Tables${name}`]!;

    expect(Properties).toEqual({ ...defaults, ...shape });
  });

  it(stage === 'prod' ? 'outlive their stack' : 'go with their stack', () => {
    const policy = stage === 'prod' ? 'Retain' : 'Delete';
    const tables = resources(stage, 'AWS::DynamoDB::Table');

    expect(tables).not.toEqual({});
    for (const { DeletionPolicy, UpdateReplacePolicy } of Object.values(tables)) {
      expect([DeletionPolicy, UpdateReplacePolicy]).toEqual([policy, policy]);
    }
  });
});
