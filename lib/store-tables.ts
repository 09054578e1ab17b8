import {
  AttributeType,
  BillingMode,
  ProjectionType,
  Table,
  TableEncryption,
  type TableProps,
} from 'aws-cdk-lib/aws-dynamodb';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { acknowledge } from './settings/acknowledge.ts';
import type { StageConfiguration } from './settings/stages.ts';

/** The two tables: orders by `id`, API keys by the hash of their token. */
export class StoreTables extends Construct {
  readonly orders: Table;
  readonly apiKeys: Table;

  constructor(scope: Construct, id: string, configuration: StageConfiguration) {
    super(scope, id);
    this.orders = new Table(this, 'Orders', {
      ...tableDefaults(configuration),
      partitionKey: { name: 'id', type: AttributeType.NUMBER },
    });
    // No TTL: an expired key must stay visible to the operator, and a deleted one would lose its
    // counters. The authorizer compares `expiresAt` itself.
    this.apiKeys = new Table(this, 'ApiKeys', {
      ...tableDefaults(configuration),
      partitionKey: { name: 'keyHash', type: AttributeType.STRING },
    });
    // Keys only, so that counting a request never writes to the index.
    this.apiKeys.addGlobalSecondaryIndex({
      indexName: 'keyId-index',
      partitionKey: { name: 'keyId', type: AttributeType.STRING },
      projectionType: ProjectionType.KEYS_ONLY,
    });
    if (configuration.pointInTimeRecoveryDays === 0) {
      for (const table of [this.orders, this.apiKeys]) {
        acknowledge(table, {
          id: 'AwsSolutions-DDB3',
          reason: 'The data of this stage is disposable, as lib/settings/stages.ts says.',
        });
      }
    }
  }
}

function tableDefaults(configuration: StageConfiguration): Omit<TableProps, 'partitionKey'> {
  const days = configuration.pointInTimeRecoveryDays;
  return {
    billingMode: BillingMode.PAY_PER_REQUEST,
    encryption: TableEncryption.AWS_MANAGED,
    deletionProtection: configuration.deletionProtection,
    pointInTimeRecoverySpecification: {
      pointInTimeRecoveryEnabled: days > 0,
      ...(days > 0 && { recoveryPeriodInDays: days }),
    },
    removalPolicy:
      configuration.removalPolicy === 'retain' ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
  };
}
