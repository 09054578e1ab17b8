/**
 * Stands in for the SDK's endpoint discovery inside the bundles: DynamoDB is reached at its Region's
 * endpoint, or at the one that is configured, and discovery is off unless asked for.
 */
export const resolveEndpointDiscoveryConfig = <Config extends object>(config: Config) =>
  Object.assign(config, { endpointDiscoveryEnabled: async () => false });

/** How the SDK would look for a wish to turn discovery on: it finds none. */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: undefined,
};
