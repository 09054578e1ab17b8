import {
  ApiKeySourceType,
  AuthorizationType,
  type CfnAuthorizer,
  type CfnRestApi,
  EndpointType,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  ResponseTransferMode,
  RestApi,
  TokenAuthorizer,
} from 'aws-cdk-lib/aws-apigateway';
import { CfnPermission, type IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { everyResponseHeaders } from '../../lambdas/http/headers.ts';
import { charactersAfterPrefix } from '../../lambdas/keys/api-key.ts';
import {
  type FunctionName,
  integrationMarginMs,
  type OperationSettings,
  operationNames,
  operations,
  versionPath,
} from '../settings/functions.ts';
import { stackName } from '../settings/names.ts';
import type { StageConfiguration } from '../settings/stage-configuration.ts';
import { accessLogFormat } from './access-logs.ts';
import { modernTls } from './custom-domain.ts';
import { staticMappings } from './error-answers.ts';
import { addOtherRoutes, addRetiredPetOperation } from './fixed-routes.ts';
import { addGatewayResponses } from './gateway-responses.ts';

export interface OrdersApiProps {
  readonly configuration: StageConfiguration;
  readonly functions: Readonly<Record<FunctionName, { readonly handler: IFunction }>>;
}

/** The REST API with its stage, its resources, its authorizer and gateway responses. */
export class OrdersApi extends Construct {
  readonly restApi: RestApi;
  readonly accessLog: LogGroup;
  /** The log in which API Gateway writes why it answers 500 or 503 itself. */
  readonly executionLog: LogGroup;

  constructor(scope: Construct, id: string, props: OrdersApiProps) {
    super(scope, id);
    const { configuration } = props;
    const logDefaults = {
      retention: configuration.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    };
    this.accessLog = new LogGroup(this, 'AccessLogs', logDefaults);
    this.restApi = this.createRestApi(props);
    // Without this log group, API Gateway would create one whose logs never expire.
    this.executionLog = new LogGroup(this, 'ExecutionLogs', {
      logGroupName: `API-Gateway-Execution-Logs_${this.restApi.restApiId}/${configuration.stage}`,
      ...logDefaults,
    });
    this.restApi.deploymentStage.node.addDependency(this.executionLog);
    const everyResponse = staticMappings(everyResponseHeaders(configuration.corsOrigin));
    addGatewayResponses(this, this.restApi, everyResponse);
    this.addOperations(props);
    addRetiredPetOperation(this.restApi, everyResponse);
    addOtherRoutes(this.restApi, everyResponse, configuration.corsOrigin !== undefined);
    this.deployAfterPermissions();
  }

  private createRestApi({ configuration, functions }: OrdersApiProps): RestApi {
    const restApi = new RestApi(this, 'RestApi', {
      restApiName: stackName(configuration.stage),
      description: 'The orders of a store',
      endpointTypes: [EndpointType.REGIONAL],
      disableExecuteApiEndpoint: configuration.domain?.isDefaultEndpointClosed ?? false,
      apiKeySourceType: ApiKeySourceType.AUTHORIZER,
      // API Gateway's permission to log. All APIs of an account and Region share it, so it is retained when the stack
      // is deleted. Without it, the APIs of other stages would stop logging.
      cloudWatchRole: true,
      defaultMethodOptions: {
        authorizationType: AuthorizationType.CUSTOM,
        authorizer: this.createAuthorizer(configuration, functions.authorizer.handler),
        apiKeyRequired: true,
      },
      deployOptions: {
        stageName: configuration.stage,
        accessLogDestination: new LogGroupLogDestination(this.accessLog),
        accessLogFormat,
        // Data traces stay off, because they would contain the bearer token.
        loggingLevel: MethodLoggingLevel.ERROR,
        dataTraceEnabled: false,
        throttlingRateLimit: configuration.throttle.requestsPerSecond,
        throttlingBurstLimit: configuration.throttle.burst,
        // Off, because CloudWatch charges for the metrics of each method, and nothing reads them.
        metricsEnabled: false,
      },
    });
    // Set on the CloudFormation resource, because `RestApi` has no properties for the TLS of the default endpoint.
    Object.assign(restApi.node.defaultChild as CfnRestApi, modernTls);
    // API Gateway refuses a new logging role until IAM knows it everywhere. So the role is used after the deployment,
    // which waits for all methods and takes long enough: https://github.com/aws/aws-cdk/issues/2194
    restApi.node.findChild('Account').node.addDependency(restApi.latestDeployment!);
    // The construct's output is removed, because the stack has an output of its own, whose address includes the version
    // segment.
    restApi.node.tryRemoveChild('Endpoint');
    return restApi;
  }

  /**
   * `validationRegex` lets API Gateway answer 401 to a malformed header without calling the function. Results are not
   * cached, because every request has to be counted, and a revoked key has to be refused at once.
   */
  private createAuthorizer({ apiKeyPrefix }: StageConfiguration, handler: IFunction) {
    const authorizer = new TokenAuthorizer(this, 'Authorizer', {
      handler,
      authorizerName: 'api-key',
      validationRegex: `^[Bb][Ee][Aa][Rr][Ee][Rr] +${apiKeyPrefix}[0-9A-Za-z]{${charactersAfterPrefix}}$`,
      resultsCacheTtl: Duration.seconds(0),
    });
    // The construct makes the same URI with `Fn::Split` and `Fn::Select`, which the local run and the tests cannot read
    // (docs/adr/0001-local-gateway-runs-the-synthesized-template.md).
    (authorizer.node.defaultChild as CfnAuthorizer).authorizerUri = Stack.of(this).formatArn({
      service: 'apigateway',
      account: 'lambda',
      resource: 'path',
      resourceName: `2015-03-31/functions/${handler.functionArn}/invocations`,
    });
    return authorizer;
  }

  private addOperations({ configuration, functions }: OrdersApiProps): void {
    for (const operationName of operationNames) {
      const { method, path, functionTimeoutMs, isStreamed }: OperationSettings =
        operations[operationName];
      const integration = new LambdaIntegration(functions[operationName].handler, {
        ...(isStreamed && { responseTransferMode: ResponseTransferMode.STREAM }),
        timeout: Duration.millis(functionTimeoutMs + integrationMarginMs),
        allowTestInvoke: false,
      });
      const resource = this.restApi.root.resourceForPath(`${versionPath}${path}`);
      const { node } = resource.addMethod(method, integration, { operationName });
      // The construct's ARN is not used, because it refers to the stage, so CloudFormation would create the permission
      // after the stage.
      const anyPath = resource.path.replaceAll(/\{\w+\}/g, '*');
      const permission = node.findAll().find((child) => child instanceof CfnPermission)!;
      permission.sourceArn = this.restApi.arnForExecuteApi(method, anyPath, configuration.stage);
    }
  }

  /**
   * Deploys the API after the permissions. Otherwise, clients would get 500 for moments while an update replaces a
   * function or adds its alias.
   */
  private deployAfterPermissions(): void {
    const all = Stack.of(this).node.findAll();
    const permissions = all.filter((construct) => construct instanceof CfnPermission);
    this.restApi.latestDeployment!.node.addDependency(...permissions);
  }
}
