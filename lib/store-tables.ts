import {
  AttributeType,
  BillingMode,
  Table,
  TableEncryption,
  type TableProps,
} from 'aws-cdk-lib/aws-dynamodb';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { acknowledge } from './settings/acknowledge.ts';
import type { StageConfiguration } from './settings/stages.ts';

/** The three tables: orders by `id`, API keys by a hash of their owner, owners by their id. */
export class StoreTables extends Construct {
  readonly orders: Table;
  /** An item per owner, with its limits, counters and keys: all that the authorizer needs. */
  readonly apiKeys: Table;
  /** What only operators need of an owner and its keys; no function may read it. */
  readonly owners: Table;

  constructor(scope: Construct, id: string, configuration: StageConfiguration) {
    super(scope, id);
    this.orders = new Table(this, 'Orders', {
      ...tableDefaults(configuration),
      partitionKey: { name: 'id', type: AttributeType.NUMBER },
    });
    // No TTL: an expired key must stay visible to the operator, and a deleted owner would lose its
    // counters. The authorizer compares `expiresAt` itself.
    this.apiKeys = new Table(this, 'ApiKeys', {
      ...tableDefaults(configuration),
      partitionKey: { name: 'ownerHash', type: AttributeType.STRING },
    });
    this.owners = new Table(this, 'Owners', {
      ...tableDefaults(configuration),
      partitionKey: { name: 'ownerId', type: AttributeType.STRING },
    });
    if (configuration.pointInTimeRecoveryDays === 0) {
      for (const table of [this.orders, this.apiKeys, this.owners]) {
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
