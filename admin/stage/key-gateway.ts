/**
 * What the key store needs of API Gateway's control plane, named as API Gateway names it. The SDK's
 * client answers it for a deployed stage (`apiGatewayKeys`), and a local run's control plane can
 * answer it in process.
 *
 * Every gateway key's *value* is a key id, never a bearer token.
 */
export interface KeyGateway {
  createApiKey(key: { name: string; value: string; enabled: true }): Promise<{ id: string }>;
  /** The ids of the gateway keys of exactly this name; names are not unique in API Gateway. */
  findApiKeys(name: string): Promise<string[]>;
  /** Succeeds also when the key is gone already. */
  deleteApiKey(key: { apiKey: string }): Promise<void>;
  /** Succeeds also when the key is in the usage plan already. */
  createUsagePlanKey(member: UsagePlanMember): Promise<void>;
  /** Succeeds also when the key is not in the usage plan. */
  deleteUsagePlanKey(member: UsagePlanMember): Promise<void>;
  /** The ids of the usage plans that the gateway key is in. */
  findUsagePlans(key: { keyId: string }): Promise<string[]>;
}

/** `keyId` is what API Gateway calls the id of its own key; it is not the key id of this service. */
export interface UsagePlanMember {
  usagePlanId: string;
  keyId: string;
}
