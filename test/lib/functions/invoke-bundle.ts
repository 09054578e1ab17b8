import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Writable } from 'node:stream';

// This process has nothing but what Lambda gives a function: a bundle, an event, variables.
const [bundleFile = '', event = ''] = process.argv.slice(2);
const chunks: Buffer[] = [];
let prelude: object | undefined;
const stream = new Writable({
  write(chunk, _, done) {
    chunks.push(chunk);
    done();
  },
});

Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: unknown) => handler,
    HttpResponseStream: {
      from: (destination: Writable, metadata: object) => {
        prelude = metadata;
        return destination;
      },
    },
  },
});

// Without this file, the repository's package.json would make the bundle an ES module.
const bundle = { exports: {} as { handler: (...parameters: unknown[]) => Promise<unknown> } };
const code = readFileSync(bundleFile, 'utf8');
new Function('module', 'require', code)(bundle, createRequire(import.meta.url));
const { handler } = bundle.exports;

const context = { awsRequestId: 'invocation', getRemainingTimeInMillis: () => 10_000 };
const isStreaming = bundleFile.includes('listOrders');
const result = await (isStreaming
  ? handler(JSON.parse(event), stream, context)
  : handler(JSON.parse(event), context));
process.stderr.write(
  JSON.stringify(isStreaming ? { ...prelude, body: Buffer.concat(chunks).toString() } : result),
);
