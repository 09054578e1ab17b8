import { describe, expect, it } from '@jest/globals';
import type { CfnAuthorizer, CfnMethod, CfnRestApi } from 'aws-cdk-lib/aws-apigateway';
import { CfnResource } from 'aws-cdk-lib/core';
import type { StoreOrdersStack } from '../../../lib/store-orders-stack.ts';
import { template } from '../../helpers/synthesized.ts';
import { createStack } from '../stack-factory.ts';

/*
 * A stage serves a deployment, which is a snapshot of the API. CloudFormation creates a new one
 * only if the logical id changes, so a change that does not influence the id has no effect.
 */
type Change = (stack: StoreOrdersStack) => void;

const changes: Record<string, Change> = {
  "the authorizer's validation expression": (stack) => {
    first<CfnAuthorizer>(stack, 'AWS::ApiGateway::Authorizer').identityValidationExpression = '^x$';
  },
  "the authorizer's time to live": (stack) => {
    first<CfnAuthorizer>(stack, 'AWS::ApiGateway::Authorizer').authorizerResultTtlInSeconds = 300;
  },
  "the authorizer's function": (stack) => {
    first<CfnAuthorizer>(stack, 'AWS::ApiGateway::Authorizer').authorizerUri = 'arn:other';
  },
  "a method's integration": (stack) => {
    first<CfnMethod>(stack, 'AWS::ApiGateway::Method').addPropertyOverride(
      'Integration.TimeoutInMillis',
      1_000,
    );
  },
  "a method's need of a key": (stack) => {
    first<CfnMethod>(stack, 'AWS::ApiGateway::Method').apiKeyRequired = false;
  },
  'a path': (stack) => {
    first(stack, 'AWS::ApiGateway::Resource').addPropertyOverride('PathPart', 'v2');
  },
  "a gateway response's text": (stack) => {
    first(stack, 'AWS::ApiGateway::GatewayResponse').addPropertyOverride('ResponseTemplates', {
      'application/json': '{}',
    });
  },
  "a gateway response's header": (stack) => {
    first(stack, 'AWS::ApiGateway::GatewayResponse').addPropertyOverride('ResponseParameters', {
      'gatewayresponse.header.X': "'1'",
    });
  },
  'the source of the usage-plan key': (stack) => {
    first<CfnRestApi>(stack, 'AWS::ApiGateway::RestApi').apiKeySourceType = 'HEADER';
  },
};

describe('the deployment of the API', () => {
  const unchangedId = deploymentIdAfter(() => {});

  it('stays the same while nothing changes', () => {
    const { Resources } = template('staging');

    const [id] = Object.keys(Resources).filter(
      (each) => Resources[each]!.Type === 'AWS::ApiGateway::Deployment',
    );

    expect(unchangedId).toBe(id);
  });

  it.each(Object.entries(changes))('is a new one after a change of %s', (_name, change) => {
    expect(deploymentIdAfter(change)).not.toBe(unchangedId);
  });
});

/** The logical id that the deployment would have in the template. */
function deploymentIdAfter(change: Change): string {
  const stack = createStack('staging');
  change(stack);
  return stack.resolve(first(stack, 'AWS::ApiGateway::Deployment').logicalId);
}

function first<T extends CfnResource>(stack: StoreOrdersStack, type: string): T {
  return stack.node
    .findAll()
    .find(
      (construct) => CfnResource.isCfnResource(construct) && construct.cfnResourceType === type,
    ) as T;
}
