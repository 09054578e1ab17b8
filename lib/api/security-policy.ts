import {
  type CfnRestApi,
  EndpointAccessMode,
  type RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';

/**
 * Allows TLS 1.2 and 1.3 with forward secrecy only; without a policy, a Regional API accepts TLS 1.0.
 * This policy requires an endpoint access mode. `STRICT` rejects a request whose TLS server name
 * differs from its `Host` header.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-security-policies.html
 */
export const securityPolicy = SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09;

/** Sets the security policy of the API's default endpoint, for which `RestApi` has no property. */
export function requireModernTls(restApi: RestApi): void {
  const resource = restApi.node.defaultChild as CfnRestApi;
  resource.securityPolicy = securityPolicy;
  resource.endpointAccessMode = EndpointAccessMode.STRICT;
}
