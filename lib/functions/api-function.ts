import { createHash } from 'node:crypto';
import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import {
  Policy,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  Code,
  type IFunction,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { FunctionVariable } from '../../lambdas/contract/variables.ts';
import {
  type FunctionName,
  type FunctionVariables,
  functionSettings,
} from '../settings/functions.ts';
import type { StageConfiguration } from '../settings/stage-configuration.ts';

export interface ApiFunctionProps {
  readonly name: FunctionName;
  readonly configuration: StageConfiguration;
  readonly bundles: Readonly<Record<FunctionName, string>>;
  readonly tables: { readonly orders: ITable; readonly apiKeys: ITable };
}

const tableVariables = {
  orders: 'ORDERS_TABLE',
  apiKeys: 'API_KEYS_TABLE',
} as const satisfies Readonly<Record<string, FunctionVariable>>;

/** A function with its log group, and a role that may only write to this log and perform `actions` on one table. */
export class ApiFunction extends Construct {
  /** The alias of the current version; absent unless the stage deploys gradually. */
  readonly alias?: Alias;
  readonly functionName: string;
  /** The target of API Gateway's invocations: the alias if there is one, otherwise the function. */
  readonly handler: IFunction;
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: ApiFunctionProps) {
    super(scope, id);
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: props.configuration.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const lambdaFunction = this.createFunction(props);
    this.functionName = lambdaFunction.functionName;
    if (props.configuration.gradualDeployment) {
      this.alias = new Alias(this, 'Live', {
        aliasName: 'live',
        version: lambdaFunction.currentVersion,
      });
    }
    this.handler = this.alias ?? lambdaFunction;
  }

  private createFunction(props: ApiFunctionProps): LambdaFunction {
    const { name, configuration, bundles, tables } = props;
    const settings = functionSettings(name);
    const table = tables[settings.table];
    const useTable = new PolicyStatement({
      actions: [...settings.actions],
      resources: [table.tableArn],
    });
    const role = executionRole(this, this.logGroup);
    const lambdaFunction = new LambdaFunction(this, 'Function', {
      description: settings.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      // The source map is left out, because Lambda would read it at every cold start.
      code: Code.fromAsset(bundles[name], { exclude: ['*.map'] }),
      environment: environmentOf(props),
      memorySize: settings.memoryMb ?? 512,
      timeout: Duration.millis(settings.functionTimeoutMs),
      reservedConcurrentExecutions: settings.concurrency?.(configuration),
      // The role already has all permissions that the function needs, so the CDK must not add any.
      role: role.withoutPolicyUpdates(),
      logGroup: this.logGroup,
      // Text, because the functions write JSON themselves, and CloudWatch extracts metrics only from an unwrapped line.
      loggingFormat: LoggingFormat.TEXT,
      // Earlier versions are retained, so that a deployment can be rolled back to them. A version
      // whose creation is rolled back is deleted, because it would make the next deployment fail.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
    });
    lambdaFunction.node.addDependency(tablePolicy(this, role, useTable));
    return lambdaFunction;
  }
}

function environmentOf({ name, configuration, tables }: ApiFunctionProps): Record<string, string> {
  const { table, variables } = functionSettings(name);
  const all: FunctionVariables = {
    [tableVariables[table]]: () => tables[table].tableName,
    STAGE: () => configuration.stage,
    ...variables,
  };
  const values = Object.entries(all).map(([variable, valueAt]) => [
    variable,
    valueAt(configuration),
  ]);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}

/**
 * All versions of a function share the role, and the earlier version serves until the alias has moved. So a changed
 * policy gets another id. Then CloudFormation creates the new policy before it updates the function, and deletes the
 * former policy last, even in a rollback.
 */
function tablePolicy(scope: Construct, role: Role, useTable: PolicyStatement): Policy {
  const text = JSON.stringify(Stack.of(scope).resolve(useTable.toStatementJson()));
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 8).toUpperCase();
  return new Policy(scope, `UseTable${hash}`, { roles: [role], statements: [useTable] });
}

// AWS's managed policy is not used, because it would allow the role to write to every log group of the account.
function executionRole(scope: Construct, logGroup: LogGroup): Role {
  const writeLogs = new PolicyStatement({
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  });
  return new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: { WriteLogs: new PolicyDocument({ statements: [writeLogs] }) },
  });
}
