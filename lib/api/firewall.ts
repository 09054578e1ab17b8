import type { Stage } from 'aws-cdk-lib/aws-apigateway';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { everyResponseHeaders } from '../../lambdas/http/headers.ts';
import { rateLimitHeaders } from '../../lambdas/keys/rate-limit-headers.ts';
import { errorAnswer } from './error-answers.ts';

const windowSeconds = 300;

const tooManyRequests = errorAnswer('rate_limit_exceeded', {
  message: `Too many requests from this address. Retry after ${windowSeconds} seconds.`,
});

export interface FirewallProps {
  readonly stage: Stage;
  readonly requestsPerIpPer5Minutes: number;
  readonly corsOrigin?: string | undefined;
}

/**
 * Blocks an IP address that sends too many requests, so that blocked requests do not cost calls of the authorizer.
 * WAF's response takes precedence over the gateway response WAF_FILTERED, and has the form of every other 429.
 *
 * @see https://docs.aws.amazon.com/waf/latest/developerguide/customizing-the-response-for-blocked-requests.html
 */
export class Firewall extends Construct {
  constructor(scope: Construct, id: string, props: FirewallProps) {
    super(scope, id);
    const webAcl = new CfnWebACL(this, 'WebAcl', {
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      visibilityConfig: visibility('Firewall'),
      customResponseBodies: {
        tooManyRequests: { contentType: 'APPLICATION_JSON', content: tooManyRequests.body },
      },
      rules: [rateRule(props)],
    });
    new CfnWebACLAssociation(this, 'Association', {
      webAclArn: webAcl.attrArn,
      resourceArn: props.stage.stageArn,
    });
  }
}

function rateRule({ requestsPerIpPer5Minutes, corsOrigin }: FirewallProps) {
  const limits = Object.entries(rateLimitHeaders);
  const everyResponse = Object.entries(everyResponseHeaders(corsOrigin));
  return {
    name: 'RequestsPerIp',
    priority: 0,
    statement: {
      rateBasedStatement: {
        aggregateKeyType: 'IP',
        evaluationWindowSec: windowSeconds,
        limit: requestsPerIpPer5Minutes,
      },
    },
    action: {
      block: {
        customResponse: {
          responseCode: tooManyRequests.status,
          customResponseBodyKey: 'tooManyRequests',
          responseHeaders: [
            { name: 'Retry-After', value: String(windowSeconds) },
            // The values of unknown limits, because the firewall rejects the request before the authorizer sees it.
            ...limits.map(([name, { withoutKey: value }]) => ({ name, value })),
            ...everyResponse.map(([name, value]) => ({ name, value })),
          ],
        },
      },
    },
    visibilityConfig: visibility('RequestsPerIp'),
  } satisfies CfnWebACL.RuleProperty;
}

function visibility(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
}
