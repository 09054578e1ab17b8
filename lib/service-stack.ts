import { Annotations, type App, CfnOutput, DefaultStackSynthesizer, Stack } from 'aws-cdk-lib/core';
import { serviceName } from '../lambdas/contract/service-name.ts';
import { addCustomDomain } from './api/custom-domain.ts';
import { Firewall } from './api/firewall.ts';
import { OrdersApi } from './api/orders-api.ts';
import { UsagePlans } from './api/usage-plans.ts';
import { ApiFunction } from './functions/api-function.ts';
import { GradualDeployment } from './functions/gradual-deployment.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import {
  type FunctionName,
  functionNames,
  recordByFunction,
  versionPath,
} from './settings/functions.ts';
import {
  capitalized,
  type OutputName,
  stackName,
  stackTag,
  usagePlanOutput,
} from './settings/names.ts';
import { planNames, plans } from './settings/plans.ts';
import { type StageConfiguration, warningsOf } from './settings/stage-configuration.ts';
import { StoreTables } from './store-tables.ts';

/** The whole service for one stage. Stages share no resources. */
export class ServiceStack extends Stack {
  /** @param bundles the folders that contain each function's bundle `index.js` and its source map */
  constructor(
    app: App,
    configuration: StageConfiguration,
    bundles: Readonly<Record<FunctionName, string>>,
  ) {
    const { stage, env, domain, firewall, corsOrigin } = configuration;
    super(app, stackName(stage), {
      description: `${serviceName} API, ${stage}`,
      // With an account and a Region, the ids of the functions' versions are the same on every machine. The CDK hashes
      // these ids from the name of the assets' bucket, too, which contains the account and the Region.
      env,
      // CloudFormation passes the tag on to all resources, so the bill can be divided by this tag.
      tags: { [stackTag]: stackName(stage) },
      terminationProtection: configuration.deletionProtection,
      // Without the rule, the template needs no parameter for the version of the bootstrap stack.
      synthesizer: new DefaultStackSynthesizer({ generateBootstrapVersionRule: false }),
    });
    const tables = new StoreTables(this, 'Tables', configuration);
    const functions = recordByFunction(
      (name) => new ApiFunction(this, capitalized(name), { name, configuration, bundles, tables }),
    );
    const api = new OrdersApi(this, 'Api', { configuration, functions });
    const { restApi, accessLog, executionLog } = api;
    const usagePlans = new UsagePlans(this, 'UsagePlans', restApi.deploymentStage);
    if (domain) addCustomDomain(restApi, domain);
    if (firewall) {
      new Firewall(this, 'Firewall', { stage: restApi.deploymentStage, corsOrigin, ...firewall });
    }
    const monitoring = new Monitoring(this, 'Monitoring', {
      configuration,
      restApi,
      logs: {
        accessLog,
        executionLog,
        ...recordByFunction((name) => functions[name].logGroup),
      },
      tables,
    });
    if (configuration.gradualDeployment) {
      new GradualDeployment(this, 'Deployment', {
        functions,
        alarms: monitoring.deploymentAlarms,
        isEmergency: configuration.isEmergency,
      });
    }
    this.addOutputs({
      BaseUrl: domain ? `https://${domain.name}${versionPath}` : restApi.urlForPath(versionPath),
      RestApiId: restApi.restApiId,
      OrdersTableName: tables.orders.tableName,
      // A restored table has no stream at first, so the ARN of its stream is unknown here.
      ...(tables.orders.tableStreamArn && { OrdersStreamArn: tables.orders.tableStreamArn }),
      ApiKeysTableName: tables.apiKeys.tableName,
      OwnersTableName: tables.owners.tableName,
      // The plans with which the authorizer of this version counts. The operators' commands show them.
      Plans: JSON.stringify(plans),
      AlarmTopicArn: monitoring.topic.topicArn,
      AccessLogGroupName: accessLog.logGroupName,
      ExecutionLogGroupName: executionLog.logGroupName,
    });
    for (const name of functionNames) {
      this.addOutputs({
        [`${capitalized(name)}FunctionName`]: functions[name].functionName,
        [`${capitalized(name)}LogGroupName`]: functions[name].logGroup.logGroupName,
      });
    }
    for (const name of planNames) {
      this.addOutputs({ [usagePlanOutput(name)]: usagePlans.byName[name].usagePlanId });
    }
    for (const [name, warning] of Object.entries(warningsOf(configuration))) {
      Annotations.of(this).addWarningV2(`${serviceName}:${name}`, warning);
    }
  }

  private addOutputs(outputs: Readonly<Partial<Record<OutputName, string>>>): void {
    for (const [name, value] of Object.entries(outputs)) new CfnOutput(this, name, { value });
  }
}
