import { describe, expect, it } from '@jest/globals';
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

  it('hold orders by their number', () => {
    expect(resources(stage, 'AWS::DynamoDB::Table').TablesOrders!.Properties).toEqual({
      ...defaults,
      AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'N' }],
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
    });
  });

  it('hold API keys by the hash of their token, findable by their public id', () => {
    expect(resources(stage, 'AWS::DynamoDB::Table').TablesApiKeys!.Properties).toEqual({
      ...defaults,
      AttributeDefinitions: [
        { AttributeName: 'keyHash', AttributeType: 'S' },
        { AttributeName: 'keyId', AttributeType: 'S' },
      ],
      KeySchema: [{ AttributeName: 'keyHash', KeyType: 'HASH' }],
      GlobalSecondaryIndexes: [
        {
          IndexName: 'keyId-index',
          KeySchema: [{ AttributeName: 'keyId', KeyType: 'HASH' }],
          Projection: { ProjectionType: 'KEYS_ONLY' },
        },
      ],
    });
  });

  it(stage === 'prod' ? 'outlive their stack' : 'go with their stack', () => {
    const policy = stage === 'prod' ? 'Retain' : 'Delete';
    const tables = Object.values(resources(stage, 'AWS::DynamoDB::Table'));

    expect(tables).toHaveLength(2);
    for (const { DeletionPolicy, UpdateReplacePolicy } of tables) {
      expect([DeletionPolicy, UpdateReplacePolicy]).toEqual([policy, policy]);
    }
  });
});
