interface EndpointParameters {
  readonly Endpoint?: string | undefined;
  readonly Region?: string | undefined;
  readonly UseFIPS?: boolean | undefined;
  readonly UseDualStack?: boolean | undefined;
}

/** The domain of each AWS partition, by how the names of its Regions begin. */
const partitionDomains: readonly (readonly [prefix: string, domain: string])[] = [
  ['cn-', 'amazonaws.com.cn'],
  ['eusc-', 'amazonaws.eu'],
  ['us-iso-', 'c2s.ic.gov'],
  ['us-isob-', 'sc2s.sgov.gov'],
  ['eu-isoe-', 'cloud.adc-e.uk'],
  ['us-isof-', 'csp.hci.ic.gov'],
];

/**
 * Replaces the SDK's rules for the endpoint, most of which are about endpoints of single accounts,
 * FIPS and dual stack. The functions use the configured endpoint, or DynamoDB's in their Region.
 *
 * @throws Error for a kind of endpoint that the functions' client turns off
 */
export function defaultEndpointResolver(parameters: EndpointParameters) {
  const { Endpoint, Region = '', UseFIPS, UseDualStack } = parameters;
  if (UseFIPS || UseDualStack) {
    throw new Error('FIPS and dual-stack endpoints are left out: see lib/functions/sdk-modules.ts');
  }
  const [, domain] = partitionDomains.find(([prefix]) => Region.startsWith(prefix)) ?? [];
  return { url: new URL(Endpoint ?? `https://dynamodb.${Region}.${domain ?? 'amazonaws.com'}`) };
}
