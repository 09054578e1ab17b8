import {
  AttributeType,
  BillingMode,
  type ITable,
  StreamViewType,
  Table,
  type TableProps,
} from 'aws-cdk-lib/aws-dynamodb';
import { RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { StageSettings } from './settings/stages.ts';

/**
 * DynamoDB encrypts the tables with a key of its own, which is free. KMS would charge for any other key.
 *
 * @see https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/EncryptionAtRest.html
 */
export class StoreTables extends Construct {
  readonly orders: ITable;
  /** One item for each owner, with everything that the authorizer needs: limits, counters and keys. */
  readonly apiKeys: ITable;
  /** The details of owners and keys that only operators need. No function may read this table. */
  readonly owners: ITable;

  constructor(scope: Construct, id: string, configuration: StageSettings) {
    super(scope, id);
    const table = (id: string, restored: string | undefined, props: TableProps) =>
      restored
        ? Table.fromTableName(this, id, restored)
        : new Table(this, id, { ...tableDefaults(configuration), ...props });
    const { orders, apiKeys, owners } = configuration.restoredTables ?? {};
    this.orders = table('Orders', orders, {
      partitionKey: { name: 'id', type: AttributeType.NUMBER },
      // The store's own system learns of cancellations from this stream (docs/store-system.md). DynamoDB charges only
      // for reads of a stream.
      stream: StreamViewType.NEW_AND_OLD_IMAGES,
    });
    // The table has no TTL, because the deletion of an item would remove an owner's counters and all of its keys, and
    // operators have to see expired keys. The authorizer compares `expiresAt` itself.
    this.apiKeys = table('ApiKeys', apiKeys, {
      partitionKey: { name: 'ownerHash', type: AttributeType.STRING },
    });
    this.owners = table('Owners', owners, {
      partitionKey: { name: 'ownerId', type: AttributeType.STRING },
    });
  }
}

function tableDefaults(configuration: StageSettings): Omit<TableProps, 'partitionKey'> {
  const days = configuration.pointInTimeRecoveryDays;
  return {
    billingMode: BillingMode.PAY_PER_REQUEST,
    deletionProtection: configuration.deletionProtection,
    pointInTimeRecoverySpecification: {
      pointInTimeRecoveryEnabled: days > 0,
      ...(days > 0 && { recoveryPeriodInDays: days }),
    },
    removalPolicy:
      configuration.removalPolicy === 'destroy' ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN,
  };
}
