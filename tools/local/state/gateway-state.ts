import type { ApiKey, ControlPlaneState } from '../control-plane/control-plane.ts';
import type { DataDirectory, FileFormat } from './data-directory.ts';

const file = 'gateway.json';

const format: FileFormat<ControlPlaneState> = {
  isValid: (value): value is ControlPlaneState => {
    const { apiKeys, usagePlanKeys } = Object(value) as Partial<ControlPlaneState>;
    return areKeys(apiKeys) && areMembers(usagePlanKeys);
  },
  remedy: 'put a copy of it back, or start with an empty directory',
};

/** The types of a stored API key's fields; a description is optional. */
const keyTypes = {
  id: 'string',
  name: 'string',
  value: 'string',
  enabled: 'boolean',
  createdDate: 'number',
  lastUpdatedDate: 'number',
};

function areKeys(value: unknown): boolean {
  if (!Array.isArray(value) || !value.every((key) => hasTypes(key, keyTypes))) return false;
  const keys: ApiKey[] = value;
  return [keys.map(({ id }) => id), keys.map((key) => key.value)].every(
    (texts) => new Set(texts).size === texts.length,
  );
}

function areMembers(value: unknown): boolean {
  const types = { usagePlanId: 'string', keyId: 'string' };
  return Array.isArray(value) && value.every((member) => hasTypes(member, types));
}

function hasTypes(value: unknown, types: Readonly<Record<string, string>>): boolean {
  const fields = Object(value) as Record<string, unknown>;
  return Object.entries(types).every(([name, type]) => typeof fields[name] === type);
}

/** The gateway's keys, which outlive a run. A change is on disk before its call is answered. */
export class GatewayState {
  /** The keys that an earlier run stored. */
  readonly keys: ControlPlaneState;
  readonly #directory: DataDirectory | undefined;

  /**
   * @param directory where to store the state; without one, it is not stored
   * @throws LocalRunError when the file of an earlier run is damaged
   */
  constructor(directory: DataDirectory | undefined) {
    this.#directory = directory;
    this.keys = directory?.read(file, format) ?? { apiKeys: [], usagePlanKeys: [] };
  }

  /** @throws LocalRunError when the keys cannot be written; then the stored keys stay as they are */
  saveKeys({ apiKeys, usagePlanKeys }: ControlPlaneState): void {
    this.#directory?.write(file, { apiKeys, usagePlanKeys });
  }
}
