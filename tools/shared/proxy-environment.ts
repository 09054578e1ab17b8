/**
 * The environment for the option `proxyEnv` of an agent. Node ignores a proxy without a scheme, such as
 * `proxy.example.com:3128`, which curl and the AWS CLI take as `http://`.
 */
export function proxyEnvironment(environment = process.env): NodeJS.ProcessEnv {
  const withScheme = ([name, value = '']: [string, string?]) => {
    const lacksScheme = /^https?_proxy$/i.test(name) && value !== '' && !value.includes('://');
    return [name, lacksScheme ? `http://${value}` : value];
  };
  return Object.fromEntries(Object.entries(environment).map(withScheme));
}
