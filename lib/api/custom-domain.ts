import {
  EndpointAccessMode,
  EndpointType,
  type RestApi,
  SecurityPolicy,
} from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { CfnOutput, Stack } from 'aws-cdk-lib/core';
import type { StageSettings } from '../settings/stages.ts';

/**
 * TLS 1.2 and 1.3 with forward secrecy. Without a policy, a Regional API accepts TLS 1.0. A policy requires an access
 * mode. The mode `STRICT` rejects a request whose TLS server name differs from its `Host` header.
 *
 * @see https://docs.aws.amazon.com/apigateway/latest/developerguide/apigateway-security-policies.html
 */
export const modernTls = {
  securityPolicy: SecurityPolicy.TLS13_1_2_PFS_PQ_2025_09,
  endpointAccessMode: EndpointAccessMode.STRICT,
};

/** Serves the API at a name of its own. The outputs name the target for the domain's alias or CNAME record. */
export function addCustomDomain(
  restApi: RestApi,
  { name: domainName, certificateArn }: NonNullable<StageSettings['domain']>,
): void {
  const stack = Stack.of(restApi);
  // The domain needs no base path, because the version segment is one of the API's own resources.
  const domain = restApi.addDomainName('Domain', {
    domainName,
    certificate: Certificate.fromCertificateArn(stack, 'Certificate', certificateArn),
    endpointType: EndpointType.REGIONAL,
    ...modernTls,
  });
  new CfnOutput(stack, 'DomainNameTarget', { value: domain.domainNameAliasDomainName });
  new CfnOutput(stack, 'DomainNameTargetZoneId', { value: domain.domainNameAliasHostedZoneId });
}
