import type { Schema } from './contract.ts';
import { bodyOf, type ListedOperation } from './contract-index.ts';

/** Example values of parameters by name, which replace those of the contract. */
export type ParameterExamples = Readonly<Record<string, string>>;

interface Call {
  readonly method: string;
  readonly url: string;
  /** The successful response's body: an object, or an array of objects. */
  readonly body: Schema | undefined;
}

/** Samples of how to call an operation, by language. They read the key from the environment. */
export function codeSamples(
  { method, path, parameters = [], responses }: ListedOperation,
  baseUrl: string,
  examples: ParameterExamples,
): Readonly<Record<string, string>> {
  const filledPath = parameters.reduce(
    (filled, { name, example }) =>
      filled.replace(`{${name}}`, encodeURIComponent(examples[name] ?? String(example))),
    path,
  );
  const body = responses['200'] && bodyOf(responses['200'])?.schema;
  const call = { method, url: baseUrl + filledPath, body };
  return { curl: curlSample(call), JavaScript: fetchSample(call), Python: pythonSample(call) };
}

function curlSample({ method, url, body }: Call): string {
  const options = [
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(body?.type === 'array' ? ['--compressed'] : []),
  ];
  return `curl -i ${options.join(' ')} \\
  -H "Authorization: Bearer $STORE_ORDERS_KEY" \\
  '${url}'`;
}

function fetchSample({ method, url, body }: Call): string {
  const isInt64 = Object.entries((body?.items ?? body)?.properties ?? {})
    .filter(([, { format }]) => format === 'int64')
    .map(([name]) => `name === '${name}'`);
  const result =
    body === undefined
      ? 'console.log(response.status);'
      : `// Ids may exceed 2^53: keep their digits while parsing.
const body = JSON.parse(await response.text(), (name, value, { source }) =>
  ${isInt64.join(' || ') || 'false'} ? BigInt(source) : value,
);
console.log(${body.type === 'array' ? 'body.length' : 'body'});`;
  return `const url = '${url}';
const response = await fetch(url, {
  method: '${method}',
  headers: { Authorization: \`Bearer \${process.env.STORE_ORDERS_KEY}\` },
});
if (!response.ok) throw new Error((await response.json()).code);
${result}`;
}

function pythonSample({ method, url, body }: Call): string {
  const results: Readonly<Record<string, string>> = {
    array: 'len(response.json())',
    object: 'response.json()',
  };
  return `import os
import requests

response = requests.request(
    '${method}',
    '${url}',
    headers={'Authorization': f"Bearer {os.environ['STORE_ORDERS_KEY']}"},
    timeout=60,
)
if not response.ok:
    raise SystemExit(response.json()['code'])
print(${results[body?.type ?? ''] ?? 'response.status_code'})`;
}
