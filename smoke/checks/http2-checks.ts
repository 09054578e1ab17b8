import { gunzipSync } from 'node:zlib';
import { JsonArraySplitter } from '../../shared/json-array.ts';
import { getOverHttp2, type Http2Answer } from '../stage/http2-client.ts';
import type { Stage } from '../stage/stage.ts';
import { CheckSkipped, checksOf } from './check.ts';

/** Checks over HTTP/2, which API Gateway supports and in which a stream ends with an error code. */
export const http2Checks = checksOf('HTTP/2', {
  'ends the list with its last byte, and the stream without an error': expectWholeStream,
});

async function expectWholeStream(stage: Stage): Promise<string[]> {
  if (stage.url.protocol !== 'https:') throw new CheckSkipped('HTTP/2 needs an https:// address');
  const { path } = stage.contract.operation('listOrders');
  return streamDifferences(
    await getOverHttp2(new URL(stage.url.href + path), {
      authorization: `Bearer ${stage.key}`,
      'accept-encoding': 'gzip',
    }),
  );
}

/** The differences of an answer from a complete list. */
export function streamDifferences({ status, errorCode, isGzip, body }: Http2Answer): string[] {
  const problem = problemOfList(body, isGzip);
  if (status === 200 && errorCode === 0 && problem === undefined) return [];
  return [
    `came status ${status}, ${body.length} bytes, ${problem ?? 'a closed array'}, stream error ${errorCode}; ` +
      'expected status 200, a closed array, stream error 0',
  ];
}

function problemOfList(body: Buffer, isGzip: boolean): string | undefined {
  const splitter = new JsonArraySplitter();
  try {
    // This check is about the end of the array only, so its elements are not used.
    for (const _ of splitter.push(isGzip ? gunzipSync(body) : body));
    splitter.end();
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}
