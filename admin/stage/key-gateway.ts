/**
 * What the key store needs of API Gateway's control plane, named as API Gateway names it. The SDK's
 * client answers it for a deployed stage (`apiGatewayKeys`), and a local run's control plane can
 * answer it in process.
 *
 * Every gateway key's *value* is an owner's id, never a bearer token.
 */
export interface KeyGateway {
  /** Fails where a key of this value exists, as values are unique in an account and Region. */
  createApiKey(key: NewKey): Promise<{ id: string }>;
  /** The gateway keys whose names begin with a text; names are not unique in API Gateway. */
  findApiKeys(namePrefix: string): Promise<NamedKey[]>;
  /** Succeeds also when the key is gone already. */
  deleteApiKey(key: { apiKey: string }): Promise<void>;
  /** Succeeds also when the key is in the usage plan already. */
  createUsagePlanKey(member: UsagePlanMember): Promise<void>;
  /** Succeeds also when the key is not in the usage plan. */
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

/** A gateway key by the id that API Gateway gave it. */
export interface NamedKey {
  id: string;
  name: string;
}

/** `keyId` is what API Gateway calls the id of its own key; it is not the key id of this service. */
export interface UsagePlanMember {
  usagePlanId: string;
  keyId: string;
}
