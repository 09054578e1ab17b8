/**
 * The operations of API Gateway's control plane that the key store needs, under API Gateway's names.
 * `apiGatewayKeys` implements them with the SDK's client, and a local run's control plane implements
 * them in process.
 *
 * The *value* of a gateway key is always an owner's id, never a bearer token.
 */
export interface KeyGateway {
  /** Fails if a key with this value exists, because values are unique in an account and Region. */
  createApiKey(key: NewKey): Promise<{ id: string }>;
  /** The gateway keys whose names start with a text. Names are not unique in API Gateway. */
  findApiKeys(namePrefix: string): Promise<NamedKey[]>;
  /** Also succeeds if the key does not exist. */
  deleteApiKey(key: { apiKey: string }): Promise<void>;
  /** Also succeeds if the key is already in the usage plan. */
  createUsagePlanKey(member: UsagePlanMember): Promise<void>;
  /** Also succeeds if the key is not in the usage plan. */
  deleteUsagePlanKey(member: UsagePlanMember): Promise<void>;
  /** The ids of the usage plans that the gateway key is in. */
  findUsagePlans(key: { keyId: string }): Promise<string[]>;
}

export interface NewKey {
  name: string;
  value: string;
  enabled: true;
  tags: Record<string, string>;
}

/** A gateway key, with API Gateway's own id. */
export interface NamedKey {
  id: string;
  name: string;
}

/** `keyId` is API Gateway's id of its own key, not the key id of this service. */
export interface UsagePlanMember {
  usagePlanId: string;
  keyId: string;
}
