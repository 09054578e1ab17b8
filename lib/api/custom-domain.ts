import { EndpointAccessMode, EndpointType, type RestApi } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import { CfnOutput } from 'aws-cdk-lib/core';
import { Construct } from 'constructs';
import { securityPolicy } from './security-policy.ts';

export interface CustomDomainProps {
  readonly restApi: RestApi;
  readonly domainName: string;
  readonly certificateArn: string;
}

/**
 * Serves the API at `https://{domainName}/v1`. The stack does not manage DNS; its outputs name the
 * target that the domain's alias or CNAME record must point to.
 */
export class CustomDomain extends Construct {
  constructor(scope: Construct, id: string, props: CustomDomainProps) {
    super(scope, id);
    const { restApi, domainName, certificateArn } = props;
    // There is no base path, because the version segment is one of the API's own resources.
    const domain = restApi.addDomainName('Domain', {
      domainName,
      certificate: Certificate.fromCertificateArn(this, 'Certificate', certificateArn),
      endpointType: EndpointType.REGIONAL,
      securityPolicy,
      endpointAccessMode: EndpointAccessMode.STRICT,
    });
    const outputs = {
      DomainNameTarget: domain.domainNameAliasDomainName,
      DomainNameTargetZoneId: domain.domainNameAliasHostedZoneId,
    };
    for (const [name, value] of Object.entries(outputs)) {
      new CfnOutput(this, name, { value }).overrideLogicalId(name);
    }
  }
}
