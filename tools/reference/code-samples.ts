import type { Schema } from './contract.ts';
import { bodyOf, type ListedOperation } from './contract-index.ts';

interface Call {
  readonly method: string;
  readonly url: string;
  /** What a successful response lists; undefined if it has no body. */
  readonly items: Schema | undefined;
}

/**
 * Samples of how to call an operation, by language. They read the key from the environment.
 *
 * @param orderId of an order that exists. @default - the contract's example
 */
export function codeSamples(
  { method, path, parameters = [], responses }: ListedOperation,
  baseUrl: string,
  orderId?: string,
): Readonly<Record<string, string>> {
  const filledPath = parameters.reduce(
    (filled, { name, example }) =>
      filled.replace(`{${name}}`, encodeURIComponent(orderId ?? String(example))),
    path,
  );
  const items = responses['200'] && bodyOf(responses['200'])?.schema.items;
  const call = { method, url: baseUrl + filledPath, items };
  return { curl: curlSample(call), JavaScript: fetchSample(call), Python: pythonSample(call) };
}

/** The key goes through a pipe: other users of the machine can read the words of a command. */
function curlSample({ method, url, items }: Call): string {
  return `echo "Authorization: Bearer $STORE_ORDERS_KEY" |
  curl -i ${items ? '--compressed' : `-X ${method}`} -H @- \\
  '${url}'`;
}

function fetchSample({ method, url, items }: Call): string {
  const isInt64 = Object.entries(items?.properties ?? {})
    .filter(([, { format }]) => format === 'int64')
    .map(([name]) => `name === '${name}'`);
  const result = items
    ? `// Ids may exceed 2^53: keep their digits while parsing.
const orders = JSON.parse(await response.text(), (name, value, { source }) =>
  ${isInt64.join(' || ')} ? BigInt(source) : value,
);
console.log(orders.length);`
    : 'console.log(response.status);';
  return `const url = '${url}';
const response = await fetch(url, {
  method: '${method}',
  headers: { Authorization: \`Bearer \${process.env.STORE_ORDERS_KEY}\` },
});
if (!response.ok) throw new Error((await response.json()).code);
${result}`;
}

function pythonSample({ method, url, items }: Call): string {
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
print(${items ? 'len(response.json())' : 'response.status_code'})`;
}
