import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { ApiFunction } from './api-function.ts';
import type { FunctionName } from './bundling.ts';
import { integrationTimeouts, OrdersApi } from './orders-api.ts';
import { planNames, plans } from './plans.ts';
import type { StageConfiguration } from './stages.ts';
import { StoreTables } from './store-tables.ts';
import { capitalized, UsagePlans } from './usage-plans.ts';

export interface StoreOrdersStackProps extends StackProps {
  readonly configuration: StageConfiguration;
  /** Folder with each function's bundle. */
  readonly bundles: Readonly<Record<FunctionName, { readonly directory: string }>>;
}

/** The whole service, once per stage: nothing is shared between stages. */
export class StoreOrdersStack extends Stack {
  constructor(scope: Construct, id: string, props: StoreOrdersStackProps) {
    super(scope, id, props);
    const { configuration } = props;
    const tables = new StoreTables(this, 'Tables', configuration);
    const functions = this.createFunctions(props, tables);
    const { restApi } = new OrdersApi(this, 'Api', { configuration, ...functions });
    const usagePlans = new UsagePlans(this, 'UsagePlans', restApi.deploymentStage);

    this.output('BaseUrl', restApi.urlForPath('/v1'));
    this.output('RestApiId', restApi.restApiId);
    this.output('OrdersTableName', tables.orders.tableName);
    this.output('ApiKeysTableName', tables.apiKeys.tableName);
    for (const name of planNames) {
      this.output(`UsagePlanId${capitalized(name)}`, usagePlans.usagePlanId(name));
    }
  }

  private createFunctions({ configuration, bundles }: StoreOrdersStackProps, tables: StoreTables) {
    const authorizer = new ApiFunction(this, 'Authorizer', {
      configuration,
      bundleDirectory: bundles.authorizer.directory,
      description: 'Recognises an API key and counts the request against its limits',
      environment: {
        API_KEYS_TABLE: tables.apiKeys.tableName,
        API_KEY_PREFIX: configuration.apiKeyPrefix,
        BAN_RULES: banRules(),
      },
      access: { tableArn: tables.apiKeys.tableArn, actions: ['dynamodb:UpdateItem'] },
      timeout: Duration.seconds(5),
    });
    const listOrders = new ApiFunction(this, 'ListOrders', {
      configuration,
      bundleDirectory: bundles.listOrders.directory,
      description: 'listOrders: streams all orders as one JSON array',
      environment: { ORDERS_TABLE: tables.orders.tableName },
      access: { tableArn: tables.orders.tableArn, actions: ['dynamodb:Scan'] },
      timeout: integrationTimeouts.listOrders.plus(Duration.seconds(5)),
      // One whole CPU: transcoding and compressing are all that it does.
      memorySizeMb: 1_769,
    });
    const cancelOrder = new ApiFunction(this, 'CancelOrder', {
      configuration,
      bundleDirectory: bundles.cancelOrder.directory,
      description: 'cancelOrder: cancels one pending order',
      environment: { ORDERS_TABLE: tables.orders.tableName },
      access: { tableArn: tables.orders.tableArn, actions: ['dynamodb:UpdateItem'] },
      timeout: integrationTimeouts.cancelOrder.plus(Duration.seconds(5)),
    });
    return {
      authorizer: authorizer.handler,
      listOrders: listOrders.handler,
      cancelOrder: cancelOrder.handler,
    };
  }

  private output(name: string, value: string): void {
    new CfnOutput(this, name, { value });
  }
}

/** The authorizer's part of the plans, as its environment carries it. */
function banRules(): string {
  const rules = planNames.map((name) => {
    const { toleratedRejectionsPerMinute, banSeconds } = plans[name];
    return [name, { toleratedRejectionsPerMinute, banSeconds }];
  });
  return JSON.stringify(Object.fromEntries(rules));
}
