import {
  ApiKeySourceType,
  AuthorizationType,
  type CfnAuthorizer,
  EndpointType,
  LambdaIntegration,
  MethodLoggingLevel,
  ResponseTransferMode,
  RestApi,
  TokenAuthorizer,
} from 'aws-cdk-lib/aws-apigateway';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { charactersAfterPrefix } from '../../lambdas/shared/api-key.ts';
import { maxListMs } from '../../lambdas/shared/list-limits.ts';
import { acknowledge } from '../settings/acknowledge.ts';
import type { FunctionName, OperationName } from '../settings/functions.ts';
import type { StageConfiguration } from '../settings/stages.ts';
import { AccessLogs } from './access-logs.ts';
import { addPreflights, corsMappings } from './cors.ts';
import { addGatewayResponses } from './gateway-responses.ts';
import { addRetiredPetOperation } from './retired-pet-operation.ts';
import { requireModernTls } from './security-policy.ts';
import { deployEveryChange } from './snapshot.ts';
import { addUnknownRoutes } from './unknown-routes.ts';

/** How long the authorizer may take before its request is answered 503. */
export const authorizerTimeout = Duration.seconds(5);

/** How long API Gateway waits for each function. The functions' own timeouts are slightly longer. */
export const integrationTimeouts: Readonly<Record<OperationName, Duration>> = {
  /** Longer than a list may take, so that one that ends itself at its limit is still recorded. */
  listOrders: Duration.millis(maxListMs + 5_000),
  cancelOrder: Duration.seconds(10),
};

export interface OrdersApiProps {
  readonly configuration: StageConfiguration;
  readonly functions: Readonly<Record<FunctionName, { readonly handler: IFunction }>>;
}

/** The REST API with its stage, its resources under `/v1`, its authorizer and gateway responses. */
export class OrdersApi extends Construct {
  readonly restApi: RestApi;
  readonly accessLogs: AccessLogs;

  constructor(scope: Construct, id: string, props: OrdersApiProps) {
    super(scope, id);
    this.accessLogs = new AccessLogs(this, 'AccessLogs', {
      retentionDays: props.configuration.logRetentionDays,
    });
    this.restApi = this.createRestApi(props);
    addGatewayResponses(this, this.restApi, corsMappings(props.configuration));
    this.addResources(props);
    deployEveryChange(this.restApi);
    this.acknowledgeFindings(props.configuration);
  }

  private createRestApi({ configuration, functions }: OrdersApiProps): RestApi {
    const restApi = new RestApi(this, 'RestApi', {
      restApiName: `store-orders-${configuration.stage}`,
      description: 'Store orders: list all orders, cancel one',
      endpointTypes: [EndpointType.REGIONAL],
      // With a custom domain, the API cannot be reached by a second address that bypasses the domain.
      disableExecuteApiEndpoint: configuration.domainName !== undefined,
      apiKeySourceType: ApiKeySourceType.AUTHORIZER,
      cloudWatchRole: false,
      defaultMethodOptions: {
        authorizationType: AuthorizationType.CUSTOM,
        authorizer: this.createAuthorizer(configuration, functions.authorizer.handler),
        apiKeyRequired: true,
      },
      deployOptions: {
        stageName: configuration.stage,
        accessLogDestination: this.accessLogs.destination,
        accessLogFormat: this.accessLogs.format,
        // Data traces stay off, because they would contain the bearer token.
        loggingLevel: MethodLoggingLevel.ERROR,
        dataTraceEnabled: false,
        // Detailed metrics separate the latency of cancellations from the duration of streams.
        metricsEnabled: true,
        throttlingRateLimit: configuration.throttle.requestsPerSecond,
        throttlingBurstLimit: configuration.throttle.burst,
      },
    });
    requireModernTls(restApi);
    restApi.deploymentStage.node.addDependency(
      this.accessLogs.account,
      this.createExecutionLogs(restApi, configuration),
    );
    // The stack has its own output for the address, which includes the version segment.
    restApi.node.tryRemoveChild('Endpoint');
    return restApi;
  }

  /** Without this log group, API Gateway would create one whose logs never expire. */
  private createExecutionLogs({ restApiId }: RestApi, configuration: StageConfiguration): LogGroup {
    return new LogGroup(this, 'ExecutionLogs', {
      logGroupName: `API-Gateway-Execution-Logs_${restApiId}/${configuration.stage}`,
      retention: configuration.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }

  /**
   * API Gateway answers a malformed header with 401 by the expression, without calling the function.
   * Results are not cached, because every request has to be counted, and a revoked key has to be
   * refused at once.
   */
  private createAuthorizer({ apiKeyPrefix }: StageConfiguration, handler: IFunction) {
    const authorizer = new TokenAuthorizer(this, 'Authorizer', {
      handler,
      authorizerName: 'api-key',
      validationRegex: `^[Bb][Ee][Aa][Rr][Ee][Rr] ${apiKeyPrefix}[0-9A-Za-z]{${charactersAfterPrefix}}$`,
      resultsCacheTtl: Duration.seconds(0),
    });
    // The construct derives the same URI by splitting the function's ARN, which complicates the template.
    (authorizer.node.defaultChild as CfnAuthorizer).authorizerUri = Stack.of(this).formatArn({
      service: 'apigateway',
      account: 'lambda',
      resource: 'path',
      resourceName: `2015-03-31/functions/${handler.functionArn}/invocations`,
    });
    return authorizer;
  }

  private addResources({ configuration, functions }: OrdersApiProps): void {
    const v1 = this.restApi.root.addResource('v1');
    const orders = v1.addResource('store').addResource('orders');
    const listIntegration = new LambdaIntegration(functions.listOrders.handler, {
      responseTransferMode: ResponseTransferMode.STREAM,
      timeout: integrationTimeouts.listOrders,
      allowTestInvoke: false,
    });
    orders.addMethod('GET', listIntegration, { operationName: 'listOrders' });
    const cancelIntegration = new LambdaIntegration(functions.cancelOrder.handler, {
      timeout: integrationTimeouts.cancelOrder,
      allowTestInvoke: false,
    });
    orders
      .addResource('{orderId}')
      .addMethod('DELETE', cancelIntegration, { operationName: 'cancelOrder' });
    addRetiredPetOperation(v1.addResource('pets'), corsMappings(configuration));
    addPreflights(this.restApi, configuration);
    addUnknownRoutes(this.restApi, corsMappings(configuration));
  }

  private acknowledgeFindings({ firewall }: StageConfiguration): void {
    acknowledge(this.restApi, {
      id: 'AwsSolutions-APIG2',
      reason: 'The handlers validate what they read, and answer with the documented error codes.',
    });
    for (const method of this.restApi.methods) {
      acknowledge(method, {
        id: 'AwsSolutions-APIG4',
        reason:
          'Only fixed answers have no authorizer: 404 to an unknown path or method, 204 to a preflight.',
      });
      acknowledge(method, {
        id: 'AwsSolutions-COG4',
        reason: 'Clients are programs with API keys, which the Lambda authorizer checks: no users.',
      });
    }
    if (firewall) return;
    acknowledge(this.restApi.deploymentStage, {
      id: 'AwsSolutions-APIG3',
      reason:
        'Every request needs a key and is limited by it; lib/settings/stages.ts turns a web ACL on.',
    });
  }
}
