import {
  type CfnRestApi,
  EndpointAccessMode,
  type RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';

/**
 * TLS 1.2 and 1.3 with forward secrecy; a Regional API accepts TLS 1.0 unless it is told otherwise.
 * An enhanced policy asks for an endpoint access mode: `STRICT` refuses a request whose TLS server
 * name and `Host` differ.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-security-policies.html
 */
export const securityPolicy = SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09;

/** Sets the policy of the API's own endpoint, for which the construct has no property. */
export function requireModernTls(restApi: RestApi): void {
  const resource = restApi.node.defaultChild as CfnRestApi;
  resource.securityPolicy = securityPolicy;
  resource.endpointAccessMode = EndpointAccessMode.STRICT;
}
