import type { ListedOperation } from './contract-index.ts';

export interface CodeSample {
  /** The title of the sample, such as `curl`. */
  readonly name: string;
  readonly code: string;
}

/** Samples of how to call an operation. They read the key from the environment. */
export function codeSamples(operation: ListedOperation, baseUrl: string): CodeSample[] {
  const url = baseUrl + operation.examplePath;
  return [
    { name: 'curl', code: curlSample(operation, url) },
    { name: 'JavaScript', code: fetchSample(operation, url) },
    { name: 'Python', code: pythonSample(operation, url) },
  ];
}

function curlSample({ method, bodyType }: ListedOperation, url: string): string {
  const options = [
    ...(method === 'GET' ? [] : [`-X ${method}`]),
    ...(bodyType === 'array' ? ['--compressed'] : []),
  ];
  return `curl -i ${[...options, `-H "Authorization: Bearer $STORE_ORDERS_KEY"`].join(' ')} \\
  '${url}'`;
}

function fetchSample({ method, bodyType, int64Names }: ListedOperation, url: string): string {
  const isInt64 = int64Names.map((name) => `name === '${name}'`).join(' || ') || 'false';
  const result =
    bodyType === undefined
      ? 'console.log(response.status);'
      : `// Ids may exceed 2^53: keep their digits while parsing.
const body = JSON.parse(await response.text(), (name, value, { source }) =>
  ${isInt64} ? BigInt(source) : value,
);
console.log(${bodyType === 'array' ? 'body.length' : 'body'});`;
  return `const response = await fetch('${url}', {
  method: '${method}',
  headers: { Authorization: \`Bearer \${process.env.STORE_ORDERS_KEY}\` },
});
if (!response.ok) throw new Error((await response.json()).code);
${result}`;
}

function pythonSample({ method, bodyType }: ListedOperation, url: string): string {
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
print(${results[bodyType ?? ''] ?? 'response.status_code'})`;
}
