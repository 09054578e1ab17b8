import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnOutput, Duration, Stack, type StackProps } from 'aws-cdk-lib/core';
import type { Construct } from 'constructs';
import { CustomDomain } from './api/custom-domain.ts';
import { Firewall } from './api/firewall.ts';
import { authorizerTimeout, integrationTimeouts, OrdersApi } from './api/orders-api.ts';
import { UsagePlans } from './api/usage-plans.ts';
import { ApiFunction } from './functions/api-function.ts';
import { GradualDeployment } from './functions/gradual-deployment.ts';
import { listConcurrency, warnOfConcurrency } from './functions/list-concurrency.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import type { FunctionName } from './settings/functions.ts';
import { type FixedOutputName, usagePlanOutput } from './settings/names.ts';
import { forEachPlan, planNames, plans } from './settings/plans.ts';
import { validateConfiguration } from './settings/stage-validation.ts';
import type { StageConfiguration } from './settings/stages.ts';
import { StoreTables } from './store-tables.ts';

export interface StoreOrdersStackProps extends StackProps {
  readonly configuration: StageConfiguration;
  /** The folder of each function's bundle. */
  readonly bundles: Readonly<Record<FunctionName, { readonly directory: string }>>;
}

/** The whole service for one stage. Stages share no resources. */
export class StoreOrdersStack extends Stack {
  constructor(scope: Construct, id: string, props: StoreOrdersStackProps) {
    super(scope, id, props);
    const { configuration } = props;
    validateConfiguration(configuration);
    warnOfConcurrency(this, configuration);
    const tables = new StoreTables(this, 'Tables', configuration);
    const functions = this.createFunctions(props, tables);
    const { restApi, accessLogs } = new OrdersApi(this, 'Api', {
      configuration,
      functions,
    });
    const usagePlans = new UsagePlans(this, 'UsagePlans', restApi.deploymentStage);
    this.addEdge(configuration, restApi);
    const { deploymentAlarms } = new Monitoring(this, 'Monitoring', {
      configuration,
      restApi,
      logs: { ...functions, accessLog: accessLogs },
      tables,
    });
    if (configuration.gradualDeployment) {
      new GradualDeployment(this, 'Deployment', {
        functions,
        alarms: deploymentAlarms,
        isEmergency: configuration.emergencyDeployment === 'true',
      });
    }
    this.addOutputs(configuration, restApi, tables, usagePlans);
  }

  /** Adds the custom domain and the web ACL, if they are configured. */
  private addEdge(configuration: StageConfiguration, restApi: RestApi): void {
    const { domainName, certificateArn, firewall, corsOrigins } = configuration;
    if (domainName && certificateArn) {
      new CustomDomain(this, 'CustomDomain', { restApi, domainName, certificateArn });
    }
    if (firewall) {
      new Firewall(this, 'Firewall', { stage: restApi.deploymentStage, corsOrigins, ...firewall });
    }
  }

  private addOutputs(
    { domainName }: StageConfiguration,
    restApi: RestApi,
    tables: StoreTables,
    usagePlans: UsagePlans,
  ): void {
    const outputs: Readonly<Record<FixedOutputName, string>> = {
      BaseUrl: domainName ? `https://${domainName}/v1` : restApi.urlForPath('/v1'),
      RestApiId: restApi.restApiId,
      OrdersTableName: tables.orders.tableName,
      ApiKeysTableName: tables.apiKeys.tableName,
      OwnersTableName: tables.owners.tableName,
    };
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
    for (const name of planNames) {
      new CfnOutput(this, usagePlanOutput(name), { value: usagePlans.usagePlanId(name) });
    }
  }

  private createFunctions(
    { configuration, bundles }: StoreOrdersStackProps,
    tables: StoreTables,
  ): Record<FunctionName, ApiFunction> {
    const authorizer = new ApiFunction(this, 'Authorizer', {
      configuration,
      bundleDirectory: bundles.authorizer.directory,
      description: 'Recognises an API key and counts the request against its limits',
      environment: {
        API_KEYS_TABLE: tables.apiKeys.tableName,
        API_KEY_PREFIX: configuration.apiKeyPrefix,
        BAN_RULES: banRules(),
      },
      access: {
        tableArn: tables.apiKeys.tableArn,
        actions: ['dynamodb:GetItem', 'dynamodb:UpdateItem'],
      },
      timeout: authorizerTimeout,
    });
    const [corsOrigin] = configuration.corsOrigins ?? [];
    const cors: Record<string, string> = corsOrigin ? { CORS_ORIGIN: corsOrigin } : {};
    const listOrders = new ApiFunction(this, 'ListOrders', {
      configuration,
      bundleDirectory: bundles.listOrders.directory,
      description: 'listOrders: streams all orders as one JSON array',
      environment: { ORDERS_TABLE: tables.orders.tableName, ...cors },
      access: { tableArn: tables.orders.tableArn, actions: ['dynamodb:Scan'] },
      timeout: integrationTimeouts.listOrders.plus(Duration.seconds(5)),
      // Lambda allots one whole CPU at 1,769 MB, and the function's time is spent on computing.
      memorySizeMb: 1_769,
      concurrency: listConcurrency(configuration),
    });
    const cancelOrder = new ApiFunction(this, 'CancelOrder', {
      configuration,
      bundleDirectory: bundles.cancelOrder.directory,
      description: 'cancelOrder: cancels one pending order',
      environment: { ORDERS_TABLE: tables.orders.tableName, ...cors },
      access: { tableArn: tables.orders.tableArn, actions: ['dynamodb:UpdateItem'] },
      timeout: integrationTimeouts.cancelOrder.plus(Duration.seconds(5)),
    });
    return { authorizer, listOrders, cancelOrder };
  }
}

/** The plans' ban rules as JSON, for the authorizer's environment. */
function banRules(): string {
  const rules = forEachPlan((name) => {
    const { toleratedRejectionsPerMinute, banSeconds } = plans[name];
    return { toleratedRejectionsPerMinute, banSeconds };
  });
  return JSON.stringify(rules);
}
