import {
  Effect,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  Architecture,
  type CfnFunction,
  Code,
  type IFunction,
  Function as LambdaFunction,
  LoggingFormat,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { type Duration, RemovalPolicy } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import type { StageConfiguration } from '../settings/stages.ts';

export interface ApiFunctionProps {
  readonly configuration: StageConfiguration;
  /** Folder with the bundle, `index.js`. */
  readonly bundleDirectory: string;
  readonly description: string;
  readonly environment: Record<string, string>;
  /** The table that the function works on, and all that it may do there. */
  readonly access: { readonly tableArn: string; readonly actions: readonly string[] };
  readonly timeout: Duration;
  /** Memory, and with it the share of CPU. @default 512 */
  readonly memorySizeMb?: number;
  /** How many of it may run at the same time. @default - as many as the account has left */
  readonly concurrency?: number | undefined;
}

/**
 * A Lambda function of the API, with every default in one place: runtime, architecture, a log group
 * that does not live forever, and a role that may write to that log group, do what `access` says,
 * and nothing else.
 */
export class ApiFunction extends Construct {
  /** Points at the version that serves; exists where the stage deploys gradually. */
  readonly alias?: Alias;
  /** What API Gateway invokes: the alias where there is one, and else the function. */
  readonly handler: IFunction;
  /** Where the function writes, its metrics among the lines. */
  readonly logGroup: LogGroup;

  constructor(scope: Construct, id: string, props: ApiFunctionProps) {
    super(scope, id);
    this.logGroup = new LogGroup(this, 'Logs', {
      retention: props.configuration.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const lambdaFunction = this.createFunction(props);
    if (props.configuration.gradualDeployment) {
      this.alias = new Alias(this, 'Live', {
        aliasName: 'live',
        version: lambdaFunction.currentVersion,
      });
    }
    this.handler = this.alias ?? lambdaFunction;
  }

  private createFunction(props: ApiFunctionProps): LambdaFunction {
    const lambdaFunction = new LambdaFunction(this, 'Function', {
      description: props.description,
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      handler: 'index.handler',
      code: Code.fromAsset(props.bundleDirectory),
      environment: { ...props.environment, STAGE: props.configuration.stage },
      memorySize: props.memorySizeMb ?? 512,
      timeout: props.timeout,
      reservedConcurrentExecutions: props.concurrency,
      role: executionRole(this, this.logGroup, props.access),
      logGroup: this.logGroup,
      // The functions write whole lines of JSON, metrics among them: they must arrive as they are.
      loggingFormat: LoggingFormat.TEXT,
      // Earlier versions stay, so that there is something to go back to. One whose creation is
      // rolled back goes: if it stayed, the next deployment would find that it exists already.
      currentVersionOptions: { removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE },
    });
    // The construct waits for the role's separate policies. This role has none.
    (lambdaFunction.node.defaultChild as CfnFunction).addDeletionOverride('DependsOn');
    return lambdaFunction;
  }
}

// AWS's managed policy for this allows any log group of the account; this one allows its own.
function executionRole(
  scope: Construct,
  logGroup: LogGroup,
  access: ApiFunctionProps['access'],
): Role {
  const writeLogs = new PolicyStatement({
    effect: Effect.ALLOW,
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [logGroup.logGroupArn],
  });
  const useTable = new PolicyStatement({
    effect: Effect.ALLOW,
    actions: [...access.actions],
    resources: [access.tableArn],
  });
  return new Role(scope, 'Role', {
    assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    inlinePolicies: {
      WriteLogs: new PolicyDocument({ statements: [writeLogs] }),
      UseTable: new PolicyDocument({ statements: [useTable] }),
    },
  });
}
