/**
 * Replaces the SDK's endpoint discovery in the bundles. DynamoDB is reached at its regional endpoint
 * or at the configured endpoint, so discovery is always off.
 */
export const resolveEndpointDiscoveryConfig = <Config extends object>(config: Config) =>
  Object.assign(config, { endpointDiscoveryEnabled: async () => false });

/** By these options, the SDK looks for a setting that turns discovery on. */
export const NODE_ENDPOINT_DISCOVERY_CONFIG_OPTIONS = {
  environmentVariableSelector: () => undefined,
  configFileSelector: () => undefined,
  default: undefined,
};
