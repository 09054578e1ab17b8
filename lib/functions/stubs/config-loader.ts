/** A setting as the SDK describes it. It has a selector for configuration files too. */
interface Setting<Value> {
  readonly environmentVariableSelector: (variables: NodeJS.ProcessEnv) => Value | undefined;
  readonly default: Value | (() => Value | Promise<Value>);
}

/**
 * Replaces the SDK's search for settings that are not given in code: the environment is asked, and
 * then the default. The SDK would ask `~/.aws/config` and `~/.aws/credentials` in between, which
 * Lambda does not have.
 */
export function loadConfig<Value>(setting: Setting<Value>): () => Promise<Value> {
  return async () => {
    const value = setting.environmentVariableSelector(process.env);
    if (value !== undefined) return value;
    const preset = setting.default;
    return preset instanceof Function ? preset() : preset;
  };
}
