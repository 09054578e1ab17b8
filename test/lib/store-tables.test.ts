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

  it('hold what the authorizer needs of an owner by a hash of its tokens, without an index', () => {
    expect(resources(stage, 'AWS::DynamoDB::Table').TablesApiKeys!.Properties).toEqual({
      ...defaults,
      AttributeDefinitions: [{ AttributeName: 'ownerHash', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'ownerHash', KeyType: 'HASH' }],
    });
  });

  it('hold what operators need of an owner by its public id', () => {
    expect(resources(stage, 'AWS::DynamoDB::Table').TablesOwners!.Properties).toEqual({
      ...defaults,
      AttributeDefinitions: [{ AttributeName: 'ownerId', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'ownerId', KeyType: 'HASH' }],
    });
  });

  it(stage === 'prod' ? 'outlive their stack' : 'go with their stack', () => {
    const policy = stage === 'prod' ? 'Retain' : 'Delete';
    const tables = resources(stage, 'AWS::DynamoDB::Table');

    expect(Object.keys(tables)).toEqual(
      expect.arrayContaining(['TablesOrders', 'TablesApiKeys', 'TablesOwners']),
    );
    for (const { DeletionPolicy, UpdateReplacePolicy } of Object.values(tables)) {
      expect([DeletionPolicy, UpdateReplacePolicy]).toEqual([policy, policy]);
    }
  });
});
